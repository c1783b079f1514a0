// Room: the daemon of a repo: its server, who may talk to it (`guard.ts`), its client, and how work reaches other nodes
// through it or a temporary node (`command-access.ts`).
import { readDaemonFile } from './daemon-file.ts'
import type { Network } from '../network/network.ts'

/** The network options of a command. */
export interface NetworkOptions {
  /** Never use the network. */
  offline?: boolean | undefined
  /** Multiaddrs of peers to ask. */
  peers?: readonly string[] | undefined
  /** URLs of HTTP gateways to ask before peers. */
  gateways?: readonly string[] | undefined
  /** URLs of delegated routers, which name gateways for a root. */
  routers?: readonly string[] | undefined
  /**
   * Whether gateways that routers name may be in private networks.
   *
   * @default false
   */
  allowLocal?: boolean | undefined
  /**
   * How long a command may go without any block arriving, in milliseconds.
   *
   * @default 60000
   */
  timeout?: number | undefined
}

/** In milliseconds. */
export const DEFAULT_TIMEOUT = 60_000

export interface AccessInit extends NetworkOptions {
  /** The directory of the repo. */
  repo: string
  /** Multiaddrs of the bootstrap peers. */
  bootstrap: readonly string[]
  signal: AbortSignal
  onNote: (message: string) => void
  /**
   * How many requests to the daemon run at a time.
   *
   * @default that of a command
   */
  maxSockets?: number | undefined
}

/**
 * Opens the network when it is first needed: through the daemon if one runs, otherwise through a
 * temporary node in this process.
 */
export class NetworkAccess {
  readonly #init: AccessInit
  #opened: Promise<Network> | undefined
  readonly #named = new Set<string>()

  constructor (init: AccessInit) {
    this.#init = init
  }

  /** Whether there is a daemon, a bootstrap peer or a given peer to ask. */
  async isPossible (): Promise<boolean> {
    const { offline = false, peers = [], bootstrap, repo } = this.#init

    return !offline && (peers.length > 0 || bootstrap.length > 0 || await readDaemonFile(repo) != null)
  }

  /** The ids of the peers that were specified with `--peer`, once the network is open. */
  get named (): readonly string[] {
    return [...this.#named]
  }

  async open (): Promise<Network> {
    return this.#opened ??= this.#open()
  }

  async close (): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.close()
  }

  async #open (): Promise<Network> {
    const { repo: path, peers = [], bootstrap, timeout = DEFAULT_TIMEOUT, onNote, maxSockets } = this.#init
    const signal = AbortSignal.any([this.#init.signal, AbortSignal.timeout(timeout)])
    const daemon = await readDaemonFile(path)
    const network = daemon == null
      ? await (await import('../network/node/temporary-node.ts'))
        .startTemporaryNode({ path, bootstrap, peers, onNote, signal: this.#init.signal })
      : new (await import('./daemon-client.ts')).DaemonClient(daemon, maxSockets)

    try {
      // a peer that the user named must be reachable
      for (const id of await Promise.all(peers.map(async peer => network.connect(peer, signal)))) {
        this.#named.add(id)
      }
    } catch (err) {
      await network.close()
      throw err
    }

    return network
  }
}
