import * as node from '@ipfsz/node/internal/context'
import { bootstrapTexts, urlsIn } from '@ipfsz/node/internal/network/environment'
import { networkAccess as accessOf } from '@ipfsz/node/internal/daemon/command-access'
import { showEvents } from './terminal/show-events.ts'
import type { Io } from './io.ts'
import type { NetworkAccess, NetworkOptions } from '@ipfsz/node/internal/daemon/access'
import type { Output } from './terminal/output.ts'
import type { CID } from 'multiformats/cid'

export type { Reading, Session } from '@ipfsz/node/internal/context'

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

/** As `withRepo` of the node. */
export async function withRepo<T> (
  context: Context,
  options: node.SessionOptions,
  work: (session: node.Session) => Promise<T>
): Promise<T> {
  return node.withRepo(nodeContext(context), options, work)
}

/** As `openToRead` of the node. */
export async function openToRead (
  context: Context,
  init?: Parameters<typeof node.openToRead>[1]
): Promise<node.Session> {
  return node.openToRead(context, init)
}

/** As `withReading` of the node. */
export async function withReading<T> (
  context: Context,
  root: CID,
  work: (reading: node.Reading) => Promise<T>,
  options?: node.ReadingOptions
): Promise<T> {
  return node.withReading(nodeContext(context), root, work, options)
}

/** As `withReadings` of the node. */
export async function withReadings<T> (
  context: Context,
  work: Parameters<typeof node.withReadings<T>>[1],
  options?: Parameters<typeof node.withReadings<T>>[2]
): Promise<T> {
  return node.withReadings(nodeContext(context), work, options)
}

/** As `networkAccess` of the node. */
export function networkAccess (context: Context, maxSockets?: number): NetworkAccess {
  return accessOf(nodeContext(context), maxSockets)
}
