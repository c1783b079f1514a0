import { CID } from 'multiformats/cid'
import { UsageError } from '../errors.ts'

/** A CID, and a path below it. */
export interface CidPath {
  cid: CID
  /** Empty for the CID itself. */
  path: string
  /** As it was typed. */
  text: string
}

/**
 * Parse a CID, with or without `/ipfs/` or `ipfs://` before it.
 *
 * @throws {UsageError} the text is not a CID
 */
export function parseCid (text: string): CID {
  try {
    return CID.parse(text.replace(/^(?:ipfs:\/\/|\/ipfs\/)/, ''))
  } catch (err) {
    throw new UsageError(
      `"${text}" is not a CID: name a CID, such as one that ipfsz add printed`,
      { cause: err }
    )
  }
}

/**
 * Parse `CID` or `CID/a/b.csv`, with or without `/ipfs/` or `ipfs://` before it.
 *
 * @throws {UsageError} the text does not begin with a CID
 */
export function parseCidPath (text: string): CidPath {
  const bare = text.replace(/^(?:ipfs:\/\/|\/ipfs\/)/, '')
  const slash = bare.indexOf('/')

  return slash === -1
    ? { cid: parseCid(bare), path: '', text }
    : { cid: parseCid(bare.slice(0, slash)), path: bare.slice(slash + 1), text }
}

/** The last name of the path, or the CID if the path is empty. */
export function nameOf ({ cid, path }: CidPath): string {
  return path.split('/').findLast(Boolean) ?? cid.toString()
}
