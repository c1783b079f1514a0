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

/** What stands before a CID. */
const PREFIX = /^(?:ipfs:\/\/|\/ipfs\/)/

/**
 * Parse a CID, with or without `/ipfs/` or `ipfs://` before it, or the URL of a gateway for it.
 *
 * @throws {UsageError} the text is not a CID
 */
export function parseCid (text: string): CID {
  try {
    return CID.parse((fromUrl(text) ?? text).replace(PREFIX, '').replace(/\/$/, ''))
  } catch (err) {
    throw new UsageError(
      `"${text}" is not a CID: name a CID, such as one that ipfsz add printed`,
      { cause: err }
    )
  }
}

/**
 * Parse `CID` or `CID/a/b.csv`, with or without `/ipfs/` or `ipfs://` before it, or the URL of a gateway for it:
 * `https://example.com/ipfs/CID/a/b.csv` or `http://CID.ipfs.localhost:8080/a/b.csv`. No gateway is asked.
 *
 * @throws {UsageError} the text does not begin with a CID
 */
export function parseCidPath (text: string): CidPath {
  const bare = (fromUrl(text) ?? text).replace(PREFIX, '')
  const slash = bare.indexOf('/')

  return slash === -1
    ? { cid: parseCid(bare), path: '', text }
    : { cid: parseCid(bare.slice(0, slash)), path: bare.slice(slash + 1), text }
}

/** `CID/path` from the URL of a gateway, whose path is percent-encoded. Undefined if the text is no such URL. */
function fromUrl (text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return undefined
  }

  const { hostname, pathname } = new URL(text)
  const [cid, namespace] = hostname.split('.')
  const path = namespace === 'ipfs' ? `/ipfs/${cid}${pathname}` : pathname

  try {
    return PREFIX.test(path) ? path.replace(PREFIX, '').split('/').map(decodeURIComponent).join('/') : undefined
  } catch {
    // a percent sign that encodes nothing
    return undefined
  }
}

/** The last name of the path, or the CID if the path is empty. */
export function nameOf ({ cid, path }: CidPath): string {
  return path.split('/').findLast(Boolean) ?? cid.toString()
}
