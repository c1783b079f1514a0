// Room: the daemon of a repo: its server, who may talk to it (`guard.ts`), its client, and how work reaches other nodes
// through it or a temporary node (`access.ts`).
import { DaemonError } from '../errors.ts'
import { emit } from '../events.ts'
import { readDaemonFile } from './daemon-file.ts'
import type { NodeProgressOptions } from '../events.ts'
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

/** The repo that work is about, and how it reaches other nodes. */
export interface NodeContext extends NodeProgressOptions {
  /** The directory of the repo. */
  repo: string
  /** Ends the work. */
  signal: AbortSignal
  network?: NetworkOptions | undefined
  /**
   * URLs of HTTP gateways that resolve names, where `network` is not given.
   *
   * @default none
   */
  nameGateways?: readonly string[] | undefined
  /** Multiaddrs of the bootstrap peers of a temporary node. */
  bootstrap: readonly string[]
  /**
   * The time, in milliseconds since 1970.
   *
   * @default Date.now
   */
  now?: (() => number) | undefined
}

/**
 * Opens the network when it is first needed: through the daemon if one runs, otherwise through a
 * temporary node in this process.
 */
export class NetworkAccess {
  readonly #context: NodeContext
  readonly #maxSockets: number | undefined
  #opened: Promise<Network> | undefined
  readonly #named = new Set<string>()

  /** @param maxSockets - how many requests to the daemon run at a time. By default as many as those of a command */
  constructor (context: NodeContext, maxSockets?: number) {
    this.#context = context
    this.#maxSockets = maxSockets
  }

  /** Whether there is a daemon, a bootstrap peer or a given peer to ask. */
  async isPossible (): Promise<boolean> {
    const { bootstrap, repo, network: { offline = false, peers = [] } = {} } = this.#context

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
    const { repo: path, signal, bootstrap, network: { peers = [], timeout = DEFAULT_TIMEOUT } = {} } = this.#context
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
    const onNote = (message: string): void => {
      emit(this.#context, 'ipfsz:warning', { message, isMinor: false })
    }
    const daemon = await readDaemonFile(path)
    const network = daemon == null
      ? await (await import('../network/node/temporary-node.ts'))
        .startTemporaryNode({ path, bootstrap, peers, onNote, signal })
      : new (await import('./daemon-client.ts')).DaemonClient(daemon, this.#maxSockets)

    try {
      // a peer that the user named must be reachable
      for (const id of await Promise.all(peers.map(async peer => network.connect(peer, inTime)))) {
        this.#named.add(id)
      }
    } catch (err) {
      await network.close()
      throw err
    }

    return network
  }
}

/**
 * Open the network alone, for work that does not read the repo.
 *
 * @param access - is left open
 */
export async function requireNetwork (access: Pick<NetworkAccess, 'isPossible' | 'open'>): Promise<Network> {
  if (!await access.isPossible()) {
    throw new DaemonError('No daemon is running, and no peer was specified', { problem: 'no-network' })
  }

  return access.open()
}
