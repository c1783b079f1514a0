import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkBlock, CorruptBlockError } from '@ipfsz/core'
import { checkKubo, createIpfszForKubo, KuboBlockstore, pinInKubo } from '@ipfsz/core/kubo'
import { collectBytes } from '@ipfsz/utils/bytes'
import { hideSecrets } from '@ipfsz/utils/hide-secrets'
import { UsageError } from '../errors.ts'
import { CommandKuboClient } from './kubo-client.ts'
import type { NewPin } from '../repo/repo-pins.ts'
import type { Ipfsz, IpfszInit } from '@ipfsz/core'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** How long Kubo may take to return a block that it has, in milliseconds. */
const BLOCK_TIMEOUT = 60_000
/** How long to wait for the first answer, in milliseconds. */
const FIRST_ANSWER_TIMEOUT = 10_000

/** The multiaddrs that Kubo writes into its file `api`, perhaps followed by http, https or tls/http. */
const MULTIADDR = /^\/(ip4|ip6|dns[46]?)\/([^/]+)\/tcp\/(\d+)(?:\/(https?|tls\/http))?\/?$/

/** The blocks and pins of a running Kubo node, to read. */
export interface KuboSource {
  blockstore: Pick<Blockstore, 'get' | 'has' | 'put'> & { checksBlocks: true }
  pins: (signal: AbortSignal) => AsyncIterable<{ cid: CID, name?: string }>
  /** Remove a recursive pin, while they are not listed. */
  unpin: (cid: CID, signal: AbortSignal) => Promise<void>
}

/** A running Kubo node, with the part of a repo's interface that adding needs. */
export interface KuboSession {
  files: Ipfsz
  pins: {
    /** Returns an error for each CID, in their order, or undefined if it is pinned. */
    addNew (added: readonly NewPin[]): Promise<unknown[]>
  }
}

/**
 * Connect to a Kubo node, and check that it answers.
 *
 * @param address - of its RPC API, a URL or a multiaddr
 * @throws {UsageError} the address is neither
 */
export async function openKubo (address: string, init: IpfszInit, signal: AbortSignal): Promise<KuboSession> {
  const { url, headers } = parseAddress(address)
  const client = new CommandKuboClient(url, headers)

  await checkKubo(client, { signal, timeout: FIRST_ANSWER_TIMEOUT })

  return {
    files: createIpfszForKubo(client, { ...init, pin: false }),
    pins: {
      addNew: async added => Promise.all(added.map(async ({ cid, name }) =>
        pinInKubo(client, cid, { name, signal }).then(() => undefined, (err: unknown) => err)))
    }
  }
}

/**
 * Open what a Kubo node has, to read it. It fetches nothing for that.
 *
 * @param address - of its RPC API, a URL or a multiaddr, or the directory of its repo
 * @throws {UsageError} the address is none of these, or Kubo does not run on the repo
 */
export async function openKuboSource (address: string, signal: AbortSignal): Promise<KuboSource> {
  const { url, headers } = parseAddress(await apiOf(address))
  const client = new CommandKuboClient(url, headers)

  await checkKubo(client, { signal, timeout: FIRST_ANSWER_TIMEOUT })
  const blocks = new KuboBlockstore(client, BLOCK_TIMEOUT)

  return {
    blockstore: {
      checksBlocks: true,
      async * get (cid, options) {
        const bytes = await collectBytes(blocks.get(cid, { ...options, offline: true }))
        await checkBlock(cid, bytes).catch((cause: unknown) => {
          throw cause instanceof CorruptBlockError ? new CorruptBlockError(cid, { sender: 'Kubo', cause }) : cause
        })
        yield bytes
      },
      has: async (cid, options) => blocks.has(cid, options),
      put: async cid => cid
    },
    pins: signal => client.pins(signal),
    unpin: async (cid, signal) => client.unpin(cid, signal)
  }
}

/** The address in the file `api` of a repo that Kubo runs on; any other text is an address already. */
async function apiOf (address: string): Promise<string> {
  if (!(await stat(address).catch(() => undefined))?.isDirectory()) {
    return address
  }

  const api = await readOwnFile(join(address, 'api')).catch(() => undefined)

  if (api == null) {
    throw new UsageError(`Kubo does not run on ${address}: start it with IPFS_PATH=${address} ipfs daemon --offline`)
  }

  return String(api).trim()
}

interface Address {
  url: URL
  headers: Record<string, string>
}

function parseAddress (address: string): Address {
  const url = toUrl(address)

  if (
    url == null || !['http:', 'https:'].includes(url.protocol) ||
    url.hostname === '' || url.search !== '' || url.hash !== ''
  ) {
    throw new UsageError(
      `"${hideSecrets(address)}" is not an address of Kubo's RPC API. Examples: ` +
        'http://127.0.0.1:5001, /ip4/127.0.0.1/tcp/5001'
    )
  }

  const { username, password } = url

  if (username === '' && password === '') {
    return { url, headers: {} }
  }

  url.username = ''
  url.password = ''

  return {
    url,
    headers: { authorization: `Basic ${Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64')}` }
  }
}

function decode (text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new UsageError(
      'the credentials in the address of Kubo contain an invalid percent-encoding: write % as %25',
      { cause }
    )
  }
}

function toUrl (address: string): URL | undefined {
  const [, family, host, port, protocol = 'http'] = MULTIADDR.exec(address) ?? []
  const scheme = protocol === 'http' ? 'http' : 'https'
  const hostname = family === 'ip6' ? `[${host}]` : host

  try {
    return new URL(host == null ? address : `${scheme}://${hostname}:${port}`)
  } catch {
    return undefined
  }
}
