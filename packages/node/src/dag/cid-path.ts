// Room: walks, compares, measures and repairs DAGs; fetches one whole before it is written (`fetch-dag.ts`).
import { hidePlaceSecrets } from '@ipfsz/utils/hide-secrets'
import { CID } from 'multiformats/cid'
import { UsageError } from '../errors.ts'

/** A CID, and a path below it. */
export interface CidPath {
  cid: CID
  /** Empty for the CID itself. */
  path: string
  /** As it was typed. */
  text: string
  /** The last name that was typed, where that is not one of `path`: what a name leads to may have any path. */
  label?: string
}

/** An IPNS name, a DNSLink name or the name of a key, and a path below what it leads to. */
export interface NamePath {
  name: string
  /** Empty for what the name leads to. */
  path: string
  /** As it was typed. */
  text: string
}

/** What stands before a CID, and before a name. */
const CID_PREFIX = /^(?:ipfs:\/\/|\/ipfs\/)/
const NAME_PREFIX = /^(?:ipns:\/\/|\/ipns\/)/

/** Maximum number of characters of a CID: some bases take quadratic time to decode, half a second here. */
const MAX_CID_LENGTH = 16_384

/** The host and the path of a gateway's URL for a name: `NAME.ipns.HOST`. */
const NAME_HOST = /^(.+?)\.ipns\./

/**
 * Parse `CID` or `CID/a/b.csv`, with or without `/ipfs/` or `ipfs://` before it; a name in its place, as in
 * `/ipns/NAME/a/b.csv` or `ipns://NAME/a/b.csv`; or the URL of a gateway for any of them, as in
 * `https://example.com/ipfs/CID/a/b.csv` or `http://CID.ipfs.localhost:8080/a/b.csv`. No gateway is asked.
 *
 * @throws {UsageError} the text begins neither with a CID nor with a name
 */
export function parseContentPath (text: string): CidPath | NamePath {
  const path = pathOf(text)

  if (!NAME_PREFIX.test(path)) {
    const { first, rest } = split(path.replace(CID_PREFIX, ''))

    return { cid: parseCid(first), path: rest, text }
  }

  const { first, rest } = split(path.replace(NAME_PREFIX, ''))

  if (first === '') {
    throw new UsageError(`"${hidePlaceSecrets(text)}" has no name: use the form /ipns/NAME`)
  }

  return { name: first, path: rest, text }
}

function parseCid (text: string): CID {
  try {
    if (text.length > MAX_CID_LENGTH) {
      throw new RangeError(`it exceeds the limit of ${MAX_CID_LENGTH} characters`)
    }

    return CID.parse(text)
  } catch (err) {
    throw new UsageError(
      `"${hidePlaceSecrets(text)}" is not a CID`,
      { cause: err, problem: 'not-a-cid' }
    )
  }
}

function split (text: string): { first: string, rest: string } {
  const slash = text.indexOf('/')

  return slash === -1 ? { first: text, rest: '' } : { first: text.slice(0, slash), rest: text.slice(slash + 1) }
}

/** `/ipfs/CID/path` or `/ipns/NAME/path` from the URL of a gateway, whose path is percent-encoded. Any other text. */
function pathOf (text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return text
  }

  const path = contentPath(new URL(text))

  try {
    return CID_PREFIX.test(path) || NAME_PREFIX.test(path) ? path.split('/').map(decodeURIComponent).join('/') : text
  } catch {
    // a percent sign that encodes nothing
    return text
  }
}

function contentPath ({ hostname, pathname }: URL): string {
  const [cid, namespace] = hostname.split('.')

  if (namespace === 'ipfs') {
    return `/ipfs/${cid}${pathname}`
  }

  const [, name] = NAME_HOST.exec(hostname) ?? []

  return name == null ? pathname : `/ipns/${restoreName(name)}${pathname}`
}

/**
 * The name that a DNS label stands for: a DNS name has `-` for its dots, and `--` for a dash
 * (specs.ipfs.tech/http-gateways/subdomain-gateway, `Host`). No key has a dash.
 */
function restoreName (label: string): string {
  return label.includes('.') ? label : label.replaceAll(/--?/g, dashes => dashes === '--' ? '-' : '.')
}

/** The last name that was typed, or the CID if there is none. */
export function nameOf ({ cid, path, label }: CidPath): string {
  return label ?? path.split('/').findLast(Boolean) ?? cid.toString()
}
