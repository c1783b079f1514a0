import * as node from '@ipfsz/node/internal/context'
import { bootstrapTexts, urlsIn } from '@ipfsz/node/internal/network/environment'
import { showEvents } from './terminal/show-events.ts'
import type { Io } from './io.ts'
import type { NetworkOptions } from '@ipfsz/node/internal/daemon/access'
import type { Output } from './terminal/output.ts'

export type { Reading } from '@ipfsz/node/internal/context'

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
export function nodeContext ({ io, output, signal, repo, network }: Context): node.NodeContext {
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

/** As `openToRead` of the node. */
export async function openToRead (
  context: Context,
  init?: Parameters<typeof node.openToRead>[1]
): Promise<node.Session> {
  return node.openToRead(context, init)
}
