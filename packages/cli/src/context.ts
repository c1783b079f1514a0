import { bootstrapTexts, urlsIn } from '@ipfsz/node/environment'
import { showEvents } from './terminal/show-events.ts'
import type { Io } from './io.ts'
import type { NetworkOptions, NodeContext } from '@ipfsz/node/session'
import type { Output } from './terminal/output.ts'

/** What every command gets besides its own arguments and options. */
export interface Context {
  io: Io
  output: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** The directory of the repo. */
  repo: string
  /** How to reach peers, for commands that use the network. */
  network?: NetworkOptions
}

/** The part of a command's context that a node needs. What it reports is shown. */
export function nodeContext ({ io, output, signal, repo, network }: Context): NodeContext {
  return {
    signal,
    repo,
    network,
    // commands without network options resolve names as the others do
    nameGateways: urlsIn(io.env.IPFSZ_GATEWAYS),
    bootstrap: bootstrapTexts(undefined, io.env),
    now: () => io.now(),
    onProgress: showEvents(output, io)
  }
}
