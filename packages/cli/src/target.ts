import { parseCid } from './context.ts'
import type { CID } from 'multiformats/cid'

/** What a command reads: a CID, and a path below it. */
export interface Target {
  cid: CID
  /** Empty for the CID itself. */
  path: string
  /** As it was typed. */
  text: string
}

/**
 * `CID`, `CID/a/b.csv`, also behind `/ipfs/` or `ipfs://`.
 *
 * @throws {UsageError} it does not begin with a CID
 */
export function parseTarget (text: string): Target {
  const bare = text.replace(/^(?:ipfs:\/\/|\/ipfs\/)/, '')
  const slash = bare.indexOf('/')

  return slash === -1
    ? { cid: parseCid(bare), path: '', text }
    : { cid: parseCid(bare.slice(0, slash)), path: bare.slice(slash + 1), text }
}

/** What to call what it leads to: the last name of the path, or the CID. */
export function nameOf ({ cid, path }: Target): string {
  return path.split('/').findLast(Boolean) ?? cid.toString()
}
