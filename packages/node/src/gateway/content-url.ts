import type { CID } from 'multiformats/cid'

/**
 * The URL of a CID on a gateway.
 *
 * @param name - of a file: browsers save it under this name, and the gateway tells its type from it.
 *   Undefined for a directory, empty for a file without a name
 */
export function contentUrl (gateway: string, cid: CID, name?: string): string {
  const url = `${gateway}/ipfs/${cid}`

  if (name == null) {
    return `${url}/`
  }

  return name === '' ? url : `${url}?filename=${encodeURIComponent(name.toWellFormed())}`
}
