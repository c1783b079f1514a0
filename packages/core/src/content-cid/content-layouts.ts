import * as dagPb from '@ipld/dag-pb'
import { sha256 } from 'multiformats/hashes/sha2'
import { MAX_LEAF_SIZE, MAX_LINKS } from '../constants.ts'
import type { CID } from 'multiformats/cid'

/** How an importer cuts a file into leaves, and joins them. All are balanced, with sha2-256. */
export interface Layout {
  /** Written into the entries of links, so it never changes. */
  readonly name: string
  readonly cidVersion: 0 | 1
  /** Whether leaves are raw blocks, or dag-pb ones. */
  readonly rawLeaves: boolean
  /** Bytes of the file in every leaf but the last. */
  readonly leafSize: number
  /** The most links in a node. */
  readonly maxLinks: number
}

const KUBO_LEAF_SIZE = 256 * 1024
const KUBO_LINKS = 174

/** What @helia/unixfs makes, and Kubo with the profile of that name (before: `test-cid-v1-wide`). */
export const UNIXFS_V1_2025: Layout = { name: 'unixfs-v1-2025', cidVersion: 1, rawLeaves: true, leafSize: MAX_LEAF_SIZE, maxLinks: MAX_LINKS }

/** What Kubo makes without options, and with the profiles `unixfs-v0-2015` and `legacy-cid-v0`. */
export const UNIXFS_V0_2015: Layout = { name: 'unixfs-v0-2015', cidVersion: 0, rawLeaves: false, leafSize: KUBO_LEAF_SIZE, maxLinks: KUBO_LINKS }

/** IPIP-499 defines two profiles. Kubo's options make three more that are common. */
export const LAYOUTS: readonly Layout[] = [
  UNIXFS_V1_2025,
  UNIXFS_V0_2015,
  // ipfs add --cid-version=1
  { name: 'kubo-cid-v1', cidVersion: 1, rawLeaves: true, leafSize: KUBO_LEAF_SIZE, maxLinks: KUBO_LINKS },
  // the profile test-cid-v1
  { name: 'kubo-test-cid-v1', cidVersion: 1, rawLeaves: true, leafSize: MAX_LEAF_SIZE, maxLinks: KUBO_LINKS },
  // ipfs add --raw-leaves, and --nocopy
  { name: 'kubo-v0-raw-leaves', cidVersion: 0, rawLeaves: true, leafSize: KUBO_LEAF_SIZE, maxLinks: KUBO_LINKS }
]

/** In place of a layout: a raw CID is the hash of the bytes, whatever cut them. */
export const RAW_ORIGINAL = 'raw'

/** Whether that is the name of something that an original may have been made with. */
export function isLayout (name: string): boolean {
  return name === RAW_ORIGINAL || LAYOUTS.some(layout => layout.name === name)
}

/**
 * The layouts that the root of a file may have been made with. The version tells
 * nothing: gateways turn a CID of version 0 into one of version 1 for subdomains.
 */
export function layoutsOf ({ code, multihash }: CID): readonly Layout[] {
  return code === dagPb.code && multihash.code === sha256.code ? LAYOUTS : []
}
