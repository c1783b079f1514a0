import { checkKubo, createIpfszForKubo, pinInKubo } from '@ipfsz/core/kubo'
import { UsageError } from '../errors.ts'
import { CommandKuboClient } from './kubo-client.ts'
import type { NewPin } from '../repo/repo-pins.ts'
import type { Ipfsz, IpfszInit } from '@ipfsz/core'

/** How long to wait for a first answer, in milliseconds. */
const FIRST_ANSWER = 10_000

/** Where HTTP is spoken over TCP: the multiaddrs that Kubo writes into its file `api`, and those with a scheme. */
const MULTIADDR = /^\/(ip4|ip6|dns[46]?)\/([^/]+)\/tcp\/(\d+)(?:\/(https?|tls\/http))?\/?$/

/** A running Kubo, as commands use a repo. */
export interface KuboSession {
  files: Ipfsz
  pins: {
    /** Returns in their order what went wrong with each, undefined where it is pinned. */
    addNew (added: readonly NewPin[]): Promise<unknown[]>
  }
}

/**
 * Connect to a Kubo, and see that it answers.
 *
 * @param address - of its RPC API, a URL or a multiaddr
 * @throws {UsageError} it is neither
 */
export async function openKubo (address: string, init: IpfszInit, signal: AbortSignal): Promise<KuboSession> {
  const { url, headers } = parseAddress(address)
  const client = new CommandKuboClient(url, headers)

  await checkKubo(client, { signal, timeout: FIRST_ANSWER })

  return {
    files: createIpfszForKubo(client, { ...init, pin: false }),
    pins: { addNew: async added => Promise.all(added.map(async ({ cid, name }) => pinInKubo(client, cid, { name, signal }).then(() => undefined, (err: unknown) => err))) }
  }
}

interface Address {
  url: URL
  headers: Record<string, string>
}

function parseAddress (address: string): Address {
  const url = toUrl(address)

  if (url == null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(`"${address}" is no address of Kubo's RPC API: give one as http://127.0.0.1:5001 or /ip4/127.0.0.1/tcp/5001`)
  }

  const { username, password } = url

  if (username === '' && password === '') {
    return { url, headers: {} }
  }

  url.username = ''
  url.password = ''

  return { url, headers: { authorization: `Basic ${Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64')}` } }
}

/** @throws {UsageError} a percent sign is none of an encoding */
function decode (text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new UsageError('a % in the credentials of --kubo is written as %25', { cause })
  }
}

function toUrl (address: string): URL | undefined {
  const [, family, host, port, scheme = 'http'] = MULTIADDR.exec(address) ?? []

  try {
    return new URL(host == null ? address : `${scheme === 'http' ? 'http' : 'https'}://${family === 'ip6' ? `[${host}]` : host}:${port}`)
  } catch {
    return undefined
  }
}
