import { DaemonError } from '../errors.ts'
import { emit } from '../events.ts'
import { NetworkAccess } from './access.ts'
import type { NodeProgressOptions } from '../events.ts'
import type { Network } from '../network/network.ts'
import type { NetworkOptions } from './access.ts'

/** The repo that work is about, and how it reaches other nodes. */
export interface AccessContext extends NodeProgressOptions {
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
 * How work reaches other nodes: with its options, and not before it needs to.
 *
 * @param maxSockets - how many requests to the daemon run at a time
 */
export function networkAccess (context: AccessContext, maxSockets?: number): NetworkAccess {
  const { network, bootstrap, repo, signal } = context

  return new NetworkAccess({
    ...network,
    maxSockets,
    bootstrap,
    repo,
    signal,
    onNote: message => { emit(context, 'ipfsz:warning', { message, isMinor: false }) }
  })
}

/**
 * Open the network alone, for work that does not read the repo.
 *
 * @param access - is left open
 * @throws {DaemonError} there is no daemon, and no peer to connect to
 */
export async function requireNetwork (access: Pick<NetworkAccess, 'isPossible' | 'open'>): Promise<Network> {
  if (!await access.isPossible()) {
    throw new DaemonError('No daemon is running, and no peer was specified', { problem: 'no-network' })
  }

  return access.open()
}
