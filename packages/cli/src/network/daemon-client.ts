import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { buffer, text } from 'node:stream/consumers'
import { CID } from 'multiformats/cid'
import { fromWire, MAX_CIDS, PEER_HEADER } from '../daemon/protocol.ts'
import { DaemonError } from '../errors.ts'
import type { ConnectedPeer, FetchedBlock, FetchOptions, NameOptions, Network, NodeId, Provider, PublishedName, PublishOptions, ResolvedName } from './network.ts'
import type { DaemonAddress } from '../daemon/daemon-file.ts'
import type { WireError } from '../daemon/protocol.ts'
import type { IncomingMessage } from 'node:http'

/** How many requests of one command are answered at one time. */
const MAX_SOCKETS = 24

/** Other nodes, through the daemon of the repo. */
export class DaemonClient implements Network {
  readonly #daemon: DaemonAddress
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })

  constructor (daemon: DaemonAddress) {
    this.#daemon = daemon
  }

  async id (): Promise<NodeId> {
    return this.#json('/v0/id', {})
  }

  async peers (): Promise<ConnectedPeer[]> {
    return this.#json('/v0/peers', {})
  }

  async connect (address: string, signal: AbortSignal): Promise<string> {
    return (await this.#json<{ peerId: string }>('/v0/connect', { address }, signal)).peerId
  }

  async fetch (cid: CID, { root, size, timeout, signal }: FetchOptions): Promise<FetchedBlock> {
    const response = await this.#ask('/v0/fetch', { cid: cid.toString(), root: root.toString(), size, timeout }, signal)

    return { bytes: await buffer(response), peerId: String(response.headers[PEER_HEADER]) }
  }

  async * findProviders (cid: CID, signal: AbortSignal): AsyncGenerator<Provider> {
    for await (const line of createInterface(await this.#ask('/v0/providers', { cid: cid.toString() }, signal))) {
      yield JSON.parse(line) as Provider
    }
  }

  async provide (cids: readonly CID[]): Promise<void> {
    for (let i = 0; i < cids.length; i += MAX_CIDS) {
      await this.#json('/v0/provide', { cids: cids.slice(i, i + MAX_CIDS).map(String) })
    }
  }

  async publishName (cid: CID, path: string, { key, lifetime, signal }: PublishOptions): Promise<PublishedName> {
    const published = await this.#json<{ name: string, cid: string, sequence: string }>('/v0/name/publish', { cid: cid.toString(), path, key, lifetime }, signal)

    return { name: published.name, cid: CID.parse(published.cid), sequence: BigInt(published.sequence) }
  }

  async resolveName (name: string, { signal }: NameOptions): Promise<ResolvedName> {
    const { cid, path } = await this.#json<{ cid: string, path: string }>('/v0/name/resolve', { name }, signal)

    return { cid: CID.parse(cid), path }
  }

  async close (): Promise<void> {
    this.#agent.destroy()
  }

  async #json<T> (path: string, body: object, signal?: AbortSignal): Promise<T> {
    return JSON.parse(await text(await this.#ask(path, body, signal))) as T
  }

  async #ask (path: string, body: object, signal?: AbortSignal): Promise<IncomingMessage> {
    const { port, token, pid } = this.#daemon
    const bytes = JSON.stringify(body)
    let response: IncomingMessage

    try {
      response = await new Promise((resolve, reject) => {
        request({
          agent: this.#agent,
          host: '127.0.0.1',
          port,
          path,
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) },
          ...signal == null ? {} : { signal }
        }, resolve).once('error', reject).end(bytes)
      })
    } catch (err) {
      signal?.throwIfAborted()
      throw new DaemonError(`The daemon of the repo (process ${pid}) does not answer: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
    }

    if (response.statusCode === 200) {
      return response
    }

    const said = await text(response)

    try {
      throw fromWire(JSON.parse(said) as WireError)
    } catch (err) {
      throw err instanceof SyntaxError ? new DaemonError(`The daemon answers with the status ${response.statusCode}`, { cause: err }) : err
    }
  }
}
