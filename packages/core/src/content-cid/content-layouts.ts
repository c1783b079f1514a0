import * as dagPb from '@ipld/dag-pb'
import { sha256 } from 'multiformats/hashes/sha2'
import { MAX_LEAF_SIZE, MAX_LINKS, MAX_RAW_ORIGINAL } from '../constants.ts'
import type { CID } from 'multiformats/cid'

/** How an importer splits a file into leaves and builds its DAG. All are balanced and use sha2-256. */
export interface Layout {
  /** Stored in the entries of links, so it must never change. */
  readonly name: string
  readonly cidVersion: 0 | 1
  /** Whether leaves are raw blocks or dag-pb blocks. */
  readonly rawLeaves: boolean
  /** Bytes of the file in every leaf but the last. */
  readonly leafSize: number
  /** Maximum number of links in a node. */
  readonly maxLinks: number
}

const KUBO_LEAF_SIZE = 256 * 1024
const KUBO_LINKS = 174

/** The layout of @helia/unixfs, and of Kubo's profile of the same name (formerly `test-cid-v1-wide`). */
export const UNIXFS_V1_2025: Layout = {
  name: 'unixfs-v1-2025',
  cidVersion: 1,
  rawLeaves: true,
  leafSize: MAX_LEAF_SIZE,
  maxLinks: MAX_LINKS
}

/** Kubo's default, and its profiles `unixfs-v0-2015` and `legacy-cid-v0`. */
export const UNIXFS_V0_2015: Layout = {
  name: 'unixfs-v0-2015',
  cidVersion: 0,
  rawLeaves: false,
  leafSize: KUBO_LEAF_SIZE,
  maxLinks: KUBO_LINKS
}

/** The two profiles of IPIP-499, and three more layouts that common options of Kubo produce. */
export const LAYOUTS: readonly Layout[] = [
  UNIXFS_V1_2025,
  UNIXFS_V0_2015,
  // ipfs add --cid-version=1
  { name: 'kubo-cid-v1', cidVersion: 1, rawLeaves: true, leafSize: KUBO_LEAF_SIZE, maxLinks: KUBO_LINKS },
  // Kubo's profile test-cid-v1
  { name: 'kubo-test-cid-v1', cidVersion: 1, rawLeaves: true, leafSize: MAX_LEAF_SIZE, maxLinks: KUBO_LINKS },
  // ipfs add --raw-leaves, and ipfs add --nocopy
  { name: 'kubo-v0-raw-leaves', cidVersion: 0, rawLeaves: true, leafSize: KUBO_LEAF_SIZE, maxLinks: KUBO_LINKS }
]

/** Used instead of a layout's name for a raw CID, which is the hash of the bytes. */
export const RAW_ORIGINAL = 'raw'

/** One raw block, as large as it may be. */
const RAW_LAYOUT: Layout = { ...UNIXFS_V1_2025, name: RAW_ORIGINAL, leafSize: MAX_RAW_ORIGINAL }

export function layoutNamed (name: string): Layout | undefined {
  return [RAW_LAYOUT, ...LAYOUTS].find(layout => layout.name === name)
}

export function isLayout (name: string): boolean {
  return layoutNamed(name) != null
}

/**
 * The layouts that may have produced a file's root CID. The CID version does not narrow them
 * down: gateways convert version 0 to version 1 for subdomains.
 */
export function layoutsOf ({ code, multihash }: CID): readonly Layout[] {
  return code === dagPb.code && multihash.code === sha256.code ? LAYOUTS : []
}
