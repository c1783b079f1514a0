import { DaemonError } from '../errors.ts'
import { bootstrapTexts } from '../network/environment.ts'
import { NetworkAccess } from './access.ts'
import type { Io } from '../io.ts'
import type { Network } from '../network/network.ts'
import type { Output } from '../terminal/output.ts'
import type { NetworkOptions } from './access.ts'

/** The part of a command's context that says how it reaches other nodes. */
interface AccessContext {
  io: Pick<Io, 'env'>
  output: Pick<Output, 'note'>
  signal: AbortSignal
  /** The directory of the repo. */
  repo: string
  network?: NetworkOptions
}

/**
 * How a command reaches other nodes: with its options, and not before it needs to.
 *
 * @param maxSockets - how many requests to the daemon run at a time
 */
export function networkAccess (
  { io: { env }, network, repo, signal, output }: AccessContext,
  maxSockets?: number
): NetworkAccess {
  return new NetworkAccess({
    ...network,
    maxSockets,
    bootstrap: bootstrapTexts(undefined, env),
    repo,
    signal,
    onNote: message => { output.note(message) }
  })
}

/**
 * Open the network alone, for commands that do not read the repo.
 *
 * @param access - is left open
 * @throws {DaemonError} there is no daemon, and no peer to connect to
 */
export async function requireNetwork (access: Pick<NetworkAccess, 'isPossible' | 'open'>): Promise<Network> {
  if (!await access.isPossible()) {
    throw new DaemonError(
      'No daemon is running, and no peer was specified: start a daemon with ipfsz daemon, or specify a peer with --peer'
    )
  }

  return access.open()
}
