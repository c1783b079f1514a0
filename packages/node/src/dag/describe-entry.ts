import { unmark } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import type { Ipfsz, Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** A file, directory or symlink, as its root block describes it. */
export interface DescribedEntry {
  /** Plain. */
  cid: CID
  /** The CID that reads the original bytes. */
  readCid: CID
  type: 'file' | 'directory' | 'symlink'
  /** Original bytes of a file. */
  size?: number
  isCompressed: boolean
  /** The CID that its bytes have uncompressed, if that is known. */
  contentCid?: CID
}

/** Read what the root block of an entry says. The leaves of a file are not read. */
export async function describeEntry (
  cid: CID,
  files: Pick<Ipfsz, 'stat'>,
  signal: AbortSignal
): Promise<DescribedEntry> {
  const plain = await files.stat(unmark(cid), { signal })
  const { plainCid, markedCid } = plain

  if (plain.type === 'directory') {
    return { cid: plainCid, readCid: plainCid, type: 'directory', isCompressed: false }
  }

  if (plain.unixfs?.type === 'symlink') {
    return { cid: plainCid, readCid: plainCid, type: 'symlink', isCompressed: false }
  }

  const stats: Stats = markedCid == null ? plain : await files.stat(markedCid, { signal })

  return {
    cid: plainCid,
    readCid: markedCid ?? plainCid,
    type: 'file',
    size: Number(stats.size),
    isCompressed: markedCid != null,
    contentCid: markedCid == null ? plainCid : stats.contentCid
  }
}

/** Whether two CIDs name the same bytes, as blocks or as a DAG, whatever they are marked with. */
export function isSameCid (a: CID, b: CID): boolean {
  const [x, y] = [a, b].map(cid => unmark(cid).toV1())

  return x.equals(y)
}

/** How two entries compare. `unknown`: files of the same size, which may hold the same bytes stored in two ways. */
export type Comparison = 'same' | 'changed' | 'unknown'

/**
 * Compare two files, symlinks or directories by what their roots say.
 *
 * @param trustsHeaders - whether to believe the content CIDs in the headers of compressed files
 */
export function compareEntries (a: DescribedEntry, b: DescribedEntry, trustsHeaders: boolean): Comparison {
  if (isSameCid(a.cid, b.cid)) {
    return 'same'
  }

  if (a.type !== b.type || a.type !== 'file' || a.size !== b.size || (isRaw(a) && isRaw(b))) {
    return 'changed'
  }

  if (!trustsHeaders || a.contentCid == null || b.contentCid == null) {
    return 'unknown'
  }

  if (isSameCid(a.contentCid, b.contentCid)) {
    return 'same'
  }

  // those in headers are all of one layout. Of uncompressed files, nobody knows how they were cut into blocks
  return a.isCompressed && b.isCompressed ? 'changed' : 'unknown'
}

/** A raw block has no layout. */
function isRaw ({ cid }: DescribedEntry): boolean {
  return cid.code === raw.code
}
