import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { messageOf } from '@ipfsz/utils/message-of'
import { CID } from 'multiformats/cid'
import { fromWire, lackingPeer, MAX_CIDS, PEER_HEADER } from './protocol.ts'
import { DaemonError, NO_ANSWER, NotConnectedError } from '../errors.ts'
import { fetchRequest } from '../network/fetch-request.ts'
import { throwIfInterrupted } from '../network/throw-if-interrupted.ts'
import type {
  ConnectedPeer,
  FetchOptions,
  Network,
  NodeId,
  Provider,
  PublishedName,
  PublishOptions,
  ResolvedName
} from '../network/network.ts'
import type { DaemonAddress } from './daemon-file.ts'
import type { WireError } from './protocol.ts'
import type { SourceBlock } from '@ipfsz/core'
import type { IncomingMessage, InformationEvent } from 'node:http'

/** How many requests of one command run at a time, by default. */
const MAX_SOCKETS = 24
/** How often a request is tried if the daemon closes the connection. */
const MAX_TRIES = 6
/** How long until the second try, in milliseconds. Each later wait is longer by as much. */
const RETRY_AFTER = 100

/** Reaches other nodes through the daemon of the repo. */
export class DaemonClient implements Network {
  readonly #daemon: DaemonAddress
  readonly #agent: Agent

  /** @param maxSockets - how many requests run at a time */
  constructor (daemon: DaemonAddress, maxSockets = MAX_SOCKETS) {
    this.#daemon = daemon
    this.#agent = new Agent({ keepAlive: true, maxSockets })
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
      throwIfInterrupted(signal)
      throw signal.aborted ? new NotConnectedError(address, NO_ANSWER, { cause: err }) : err
    }
  }

  async fetch (cid: CID, { signal, onLacks, ...options }: FetchOptions): Promise<SourceBlock> {
    const response = await this.#ask('/v0/fetch', fetchRequest(cid, options), signal, ({ headers }) => {
      const peer = lackingPeer(headers)

      if (peer != null) {
        onLacks?.(peer)
      }
    })

    return { bytes: await this.#reading(buffer(response), signal), sender: String(response.headers[PEER_HEADER]) }
  }

  async providerCount (root: CID): Promise<number> {
    return (await this.#json<{ count: number }>('/v0/fetch/providers', { root: root.toString() })).count
  }

  async * findProviders (cid: CID, signal: AbortSignal): AsyncGenerator<Provider> {
    const response = await this.#ask('/v0/providers', { cid: cid.toString() }, signal)
    const lines = createInterface(response)[Symbol.asyncIterator]()
    const next = async (): ReturnType<typeof lines.next> => this.#reading(lines.next(), signal)

    try {
      for (let line = await next(); line.done !== true; line = await next()) {
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
    const body = { cid: cid.toString(), path, key, lifetime }
    const published = await this.#json<Record<'name' | 'cid' | 'sequence', string>>('/v0/name/publish', body, signal)

    return { name: published.name, cid: CID.parse(published.cid), sequence: BigInt(published.sequence) }
  }

  async resolveName (name: string, signal: AbortSignal): Promise<ResolvedName> {
    const { cid, ...rest } = await this.#json<Omit<ResolvedName, 'cid'> & { cid: string }>(
      '/v0/name/resolve',
      { name },
      signal
    )

    return { cid: CID.parse(cid), ...rest }
  }

  async nameRecord (name: string, signal: AbortSignal): Promise<Uint8Array> {
    const { record } = await this.#json<{ record: string }>('/v0/name/record', { name }, signal)

    return new Uint8Array(Buffer.from(record, 'base64'))
  }

  async close (): Promise<void> {
    this.#agent.destroy()
  }

  async #json<T> (path: string, body: object, signal?: AbortSignal): Promise<T> {
    return JSON.parse(await this.#reading(text(await this.#ask(path, body, signal)), signal)) as T
  }

  /** Retries on ECONNRESET: a daemon with too many connections closes new ones. All requests may be repeated. */
  async #retry<T> (signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
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

  /** Turns a failure to read the answer into a DaemonError: the daemon may end in the middle of it. */
  async #reading<T> (result: Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await result
    } catch (err) {
      throw this.#noAnswer(err, signal)
    }
  }

  #noAnswer (err: unknown, signal?: AbortSignal): DaemonError {
    signal?.throwIfAborted()

    const reason = messageOf(err)

    return new DaemonError(
      `The daemon of the repo (process ${this.#daemon.pid}) does not answer (${reason})`,
      { cause: err, problem: 'no-answer' }
    )
  }

  /** @param onInformation - called with informational responses (1xx) before the final one */
  async #ask (
    path: string,
    body: object,
    signal?: AbortSignal,
    onInformation: (info: InformationEvent) => void = () => {}
  ): Promise<IncomingMessage> {
    const { port, token } = this.#daemon
    const bytes = JSON.stringify(body)
    let response: IncomingMessage

    try {
      response = await this.#retry(signal, async () => new Promise((resolve, reject) => {
        request({
          agent: this.#agent,
          host: '127.0.0.1',
          port,
          path,
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(bytes)
          },
          ...signal == null ? {} : { signal }
        }, resolve).on('information', onInformation).once('error', reject).end(bytes)
      }))
    } catch (err) {
      throw this.#noAnswer(err, signal)
    }

    if (response.statusCode === 200) {
      return response
    }

    const answer = await text(response)

    try {
      throw fromWire(JSON.parse(answer) as WireError)
    } catch (err) {
      if (err instanceof SyntaxError) {
        const { statusCode } = response
        throw new DaemonError(
          `The daemon answered with status ${statusCode} without JSON`,
          { cause: err, problem: 'no-answer' }
        )
      }

      throw err
    }
  }
}
