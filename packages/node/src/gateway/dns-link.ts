import { Resolver } from 'node:dns/promises'
import { GatewayError, NameNotFoundError } from '@ipfsz/gateway'

/** Where a DNSLink points (dnslink.dev): `/ipfs/CID/path`, or `/ipns/NAME/path`. */
export interface DnsLink {
  namespace: 'ipfs' | 'ipns'
  name: string
  path: string[]
}

/** Looks up the TXT records of a host. A record is a list of strings, whose characters are bytes, as in `node:dns`. */
export type LookUpTxt = (host: string, signal: AbortSignal) => Promise<string[][]>

/** How long one server may take to answer, in milliseconds, and how often it is asked. */
const TIMEOUT = 5000
const TRIES = 2

/** The answers of DNS that there is no such record. */
const NONE = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Maximum characters of what a record leads to, and the most characters and names of a path: a TXT record may have
 * 64 KiB. To decode a CID of that length takes half a minute, and a thousand paths are remembered.
 */
const MAX_NAME = 512
const MAX_PATH_SIZE = 4096
const MAX_PATH = 256

/** A host name of several labels (RFC 1035, section 2.3.4). */
const HOST = /^(?=.{1,244}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * Find the DNSLink of a host: the first, in alphabetical order, of the TXT records of `_dnslink.HOST` that
 * has one, or of those of the host itself.
 *
 * @throws {NameNotFoundError} it has none
 * @throws {GatewayError} 502: DNS does not answer
 */
export async function findDnsLink (host: string, signal: AbortSignal, lookUp = lookUpTxt): Promise<DnsLink> {
  if (!HOST.test(host)) {
    throw new NameNotFoundError(host)
  }

  for (const name of [`_dnslink.${host}`, host]) {
    signal.throwIfAborted()

    const texts = (await lookUp(name, signal)).map(strings => fromUtf8(strings.join(''))).toSorted()
    const link = texts.map(parseDnsLink).find(link => link != null)

    if (link != null) {
      return link
    }
  }

  throw new NameNotFoundError(host)
}

/** Text that is no UTF-8 stays as it is. */
function fromUtf8 (bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString()

  return text.includes('\ufffd') ? bytes : text
}

function parseDnsLink (text: string): DnsLink | undefined {
  const [, namespace, name, path = ''] = /^dnslink=\/(ipfs|ipns)\/([^/\s]+)(?:\/(.*))?$/s.exec(text.trim()) ?? []

  const names = path.split('/').filter(Boolean)

  return name == null || name.length > MAX_NAME || path.length > MAX_PATH_SIZE || names.length > MAX_PATH
    ? undefined
    : { namespace: namespace as 'ipfs' | 'ipns', name, path: names }
}

async function lookUpTxt (host: string, signal: AbortSignal): Promise<string[][]> {
  const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES })
  const cancel = (): void => { resolver.cancel() }

  signal.addEventListener('abort', cancel, { once: true })

  try {
    return await resolver.resolveTxt(host)
  } catch (err) {
    signal.throwIfAborted()

    if (NONE.has((err as NodeJS.ErrnoException).code ?? '')) {
      return []
    }

    throw new GatewayError(502, `The DNS query for ${host} failed`, { cause: err })
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
