import { GatewayError } from '@ipfsz/gateway'
import type { Network, Provider } from '../network/network.ts'

/** What a gateway needs of other nodes. */
export type FetchNetwork = Pick<
  Network,
  'fetch' | 'findProviders' | 'providerCount' | 'peers' | 'resolveName' | 'nameRecord'
>

/** How to reach them: `NetworkAccess`, or a fake. */
export interface Access {
  open (): Promise<Network>
  close (): Promise<void>
}

/**
 * Access to other nodes for as long as a gateway runs. The daemon may end meanwhile, and another one start: a request
 * that cannot reach it opens the access again, and tries once more.
 */
export class ReconnectingNetwork implements FetchNetwork {
  readonly #makeAccess: () => Access
  #access: Access

  constructor (makeAccess: () => Access) {
    this.#makeAccess = makeAccess
    this.#access = makeAccess()
  }

  /** Open it now: otherwise the first request does. */
  async open (): Promise<void> {
    await this.#access.open()
  }

  async fetch (...args: Parameters<Network['fetch']>): ReturnType<Network['fetch']> {
    return this.#use(async network => network.fetch(...args), args[1].signal)
  }

  async providerCount (...args: Parameters<Network['providerCount']>): ReturnType<Network['providerCount']> {
    return this.#use(async network => network.providerCount(...args))
  }

  async * findProviders (...args: Parameters<Network['findProviders']>): AsyncGenerator<Provider> {
    yield * await this.#use(async network => network.findProviders(...args), args[1])
  }

  async peers (): ReturnType<Network['peers']> {
    return this.#use(async network => network.peers())
  }

  async resolveName (...args: Parameters<Network['resolveName']>): ReturnType<Network['resolveName']> {
    return this.#use(async network => network.resolveName(...args), args[1])
  }

  async nameRecord (...args: Parameters<Network['nameRecord']>): ReturnType<Network['nameRecord']> {
    return this.#use(async network => network.nameRecord(...args), args[1])
  }

  async close (): Promise<void> {
    await this.#access.close()
  }

  async #use<T> (work: (network: Network) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const access = this.#access

    try {
      return await work(await access.open())
    } catch (err) {
      if (!isUnreachable(err) || signal?.aborted === true) {
        throw err
      }
    }

    if (access === this.#access) {
      this.#access = this.#makeAccess()
      await access.close().catch(() => {})
    }

    try {
      return await work(await this.#access.open())
    } catch (err) {
      throw isUnreachable(err)
        ? new GatewayError(502, 'The node of this gateway does not respond', { cause: err })
        : err
    }
  }
}

const UNREACHABLE = new Set(['DaemonError', 'NodeError', 'NotConnectedError'])

function isUnreachable (err: unknown): boolean {
  // a DaemonError without a cause is an answer of the daemon
  return err instanceof Error && UNREACHABLE.has(err.name) && (err.name !== 'DaemonError' || err.cause != null)
}
