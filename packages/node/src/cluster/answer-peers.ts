// Room: the other nodes of a shared store: which of them fetches a block, and what each announces.
import { parseBody, readFetchRequest } from '../network/fetch-request.ts'
import { Answer, CLUSTER_PROTOCOL, requestOn } from './messages.ts'
import type { FetchOptions } from '../network/network.ts'
import type { SourceBlock } from '@ipfsz/core'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** How often the other node is told that the fetch goes on, in milliseconds. */
const WORKING_INTERVAL = 1000
/** How long a request may take to arrive, and a block to be taken, in milliseconds. */
const MESSAGE_TIMEOUT = 10_000
/** How long a fetch for another node goes on at the longest, in milliseconds. */
const FETCH_TIMEOUT = 120_000
/** Maximum number of requests of all nodes at a time, and the most streams of one: more than it opens. */
const MAX_REQUESTS = 512
const MAX_STREAMS = 512

export interface AnswerClusterPeersInit {
  libp2p: Libp2p
  /** Whether a peer is a node of the store: nobody else may make this one fetch. */
  isPeer: (peerId: string) => Promise<boolean>
  /** Fetches a block itself: a request of one node is never passed on to a third. */
  fetchHere: (cid: CID, options: FetchOptions) => Promise<SourceBlock>
}

/** Fetch blocks for other nodes of the store. Returns what ends it. */
export async function answerPeers (init: AnswerClusterPeersInit): Promise<() => Promise<void>> {
  const { libp2p } = init
  const stopped = new AbortController()
  let running = 0

  await libp2p.handle(CLUSTER_PROTOCOL, async (stream, connection) => {
    running++

    try {
      await (running > MAX_REQUESTS ? refuse(stream) : answer(stream, connection, init, stopped.signal))
      await stream.close()
    } catch (err) {
      stream.abort(err as Error)
    } finally {
      running--
    }
  }, { maxInboundStreams: MAX_STREAMS })

  return async () => {
    await libp2p.unhandle(CLUSTER_PROTOCOL)
    stopped.abort(new Error('the node has stopped'))
  }
}

/** The other node then fetches for itself. */
async function refuse (stream: Stream): Promise<void> {
  await requestOn(stream).write(new Uint8Array([Answer.failed]), { signal: AbortSignal.timeout(MESSAGE_TIMEOUT) })
}

async function answer (
  stream: Stream,
  { remotePeer }: Connection,
  { isPeer, fetchHere }: AnswerClusterPeersInit,
  stopped: AbortSignal
): Promise<void> {
  const gone = new AbortController()
  stream.addEventListener('close', () => { gone.abort(new Error('the other node has left')) })

  // before the guard, so that what arrives meanwhile is kept
  const messages = requestOn(stream)
  const within = (time: number): AbortSignal => AbortSignal.any([gone.signal, stopped, AbortSignal.timeout(time)])

  if (!await isPeer(remotePeer.toString())) {
    throw new Error('the peer is not a node of the store')
  }

  const request = await messages.read({ signal: within(MESSAGE_TIMEOUT) })
  const { cid, options } = readFetchRequest(parseBody(request.subarray()))
  const say = (): void => {
    messages.write(new Uint8Array([Answer.working]), { signal: within(MESSAGE_TIMEOUT) }).catch(() => {})
  }
  const working = setInterval(say, WORKING_INTERVAL)
  say()

  let message: Uint8Array

  try {
    const { bytes } = await fetchHere(cid, { ...options, signal: within(FETCH_TIMEOUT) })
    message = Buffer.concat([new Uint8Array([Answer.block]), bytes])
  } catch {
    message = new Uint8Array([Answer.failed])
  } finally {
    clearInterval(working)
  }

  await messages.write(message, { signal: within(MESSAGE_TIMEOUT) })
}
