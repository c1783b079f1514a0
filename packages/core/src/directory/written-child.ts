import * as dagPb from '@ipld/dag-pb'
import { blockKey } from '../dag/block-key.ts'
import { cidKey } from '../dag/cid-key.ts'
import { isMarked } from '../marker.ts'
import type { ImportResult } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

/** What comes before the multihash in the key of a plain root: CIDv1, dag-pb. */
const PLAIN = String.fromCharCode(1, dagPb.code)

/** All that is kept of an entry until its directory is written, since there may be millions. */
export interface WrittenChild {
  /** See `cidKey`: a CID takes ten times as much memory. Of the plain CID. */
  key: string
  /** Bytes of all its blocks. */
  size: bigint
  /** Whether it is a file that is known to be compressed. */
  isMarked?: boolean | undefined
  isDirectory?: boolean | undefined
}

export function toDirectory (written: ImportResult): WrittenChild {
  return { ...toChild(written), isDirectory: true }
}

/** @param cid - of a file that may be compressed, marked then */
export function toFile (cid: CID, size: bigint): WrittenChild {
  return isMarked(cid) ? { key: PLAIN + blockKey(cid), size, isMarked: true } : { key: cidKey(cid), size }
}

export function toChild ({ cid, size = 0n }: Pick<ImportResult, 'cid' | 'size'>): WrittenChild {
  return { key: cidKey(cid), size }
}
