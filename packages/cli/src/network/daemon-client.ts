import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { CID } from 'multiformats/cid'
import { fromWire, MAX_CIDS, PEER_HEADER } from '../daemon/protocol.ts'
import { DaemonError, NotConnectedError } from '../errors.ts'
import { NO_ANSWER, throwUnlessTimedOut } from './throw-if-interrupted.ts'
import type { ConnectedPeer, FetchedBlock, FetchOptions, NameOptions, Network, NodeId, Provider, PublishedName, PublishOptions, ResolvedName } from './network.ts'
import type { DaemonAddress } from '../daemon/daemon-file.ts'
import type { WireError } from '../daemon/protocol.ts'
import type { IncomingMessage } from 'node:http'

/** How many requests of one command are answered at one time. */
const MAX_SOCKETS = 24
/** How often something is asked of a daemon that closes the connection, and how long after, in milliseconds. Each time it is longer. */
const MAX_TRIES = 6
const RETRY_AFTER = 100

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
    try {
      return (await this.#json<{ peerId: string }>('/v0/connect', { address }, signal)).peerId
    } catch (err) {
      throwUnlessTimedOut(signal)
      throw signal.aborted ? new NotConnectedError(address, NO_ANSWER, { cause: err }) : err
    }
  }

  async fetch (cid: CID, { root, size, timeout, signal }: FetchOptions): Promise<FetchedBlock> {
    const response = await this.#ask('/v0/fetch', { cid: cid.toString(), root: root.toString(), size, timeout }, signal)

    return { bytes: await this.#whole(buffer(response), signal), peerId: String(response.headers[PEER_HEADER]) }
  }

  async * findProviders (cid: CID, signal: AbortSignal): AsyncGenerator<Provider> {
    const lines = createInterface(await this.#ask('/v0/providers', { cid: cid.toString() }, signal))[Symbol.asyncIterator]()

    try {
      for (let line = await this.#whole(lines.next(), signal); line.done !== true; line = await this.#whole(lines.next(), signal)) {
        yield JSON.parse(line.value) as Provider
      }
    } finally {
      await lines.return?.()
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
    return JSON.parse(await this.#whole(text(await this.#ask(path, body, signal)), signal)) as T
  }

  /** A daemon with too many connections closes new ones: all that is asked of it may be asked again. */
  async #askAgain<T> (signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await ask()
      } catch (err) {
        if ((err as NodeJS.ErrnoException).code !== 'ECONNRESET' || tries === MAX_TRIES) {
          throw err
        }
      }

      await setTimeout(RETRY_AFTER * tries, undefined, { signal })
    }
  }

  /** What is read of an answer, of which the daemon may end in the middle. */
  async #whole<T> (reading: Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await reading
    } catch (err) {
      throw this.#noAnswer(err, signal)
    }
  }

  #noAnswer (err: unknown, signal?: AbortSignal): DaemonError {
    signal?.throwIfAborted()

    return new DaemonError(`The daemon of the repo (process ${this.#daemon.pid}) does not answer: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }

  async #ask (path: string, body: object, signal?: AbortSignal): Promise<IncomingMessage> {
    const { port, token } = this.#daemon
    const bytes = JSON.stringify(body)
    let response: IncomingMessage

    try {
      response = await this.#askAgain(signal, async () => new Promise((resolve, reject) => {
        request({
          agent: this.#agent,
          host: '127.0.0.1',
          port,
          path,
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) },
          ...signal == null ? {} : { signal }
        }, resolve).once('error', reject).end(bytes)
      }))
    } catch (err) {
      throw this.#noAnswer(err, signal)
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
