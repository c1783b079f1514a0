import { getBlock } from './dag.ts'
import type { Source } from './read.ts'
import type { CID } from 'multiformats/cid'

/** Thrown when no peer sends a block in time, however many others arrive meanwhile. */
export class BlockNotSentError extends Error {
  static override readonly name = 'BlockNotSentError'
  override readonly name = 'BlockNotSentError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`No connected peer sent the block ${cid}`)
    this.cid = cid
  }
}

/** Thrown when the last peer disconnects during a read. */
export class PeerGoneError extends Error {
  static override readonly name = 'PeerGoneError'
  override readonly name = 'PeerGoneError'

  constructor () {
    super('The peer disconnected before everything arrived')
  }
}

/** How long a block may take, in milliseconds. */
const PATIENCE = 8_000

/**
 * A source that gives up on a block after a timeout, because peers need not answer, and at
 * once if the last peer disconnects. Stored blocks are always read.
 *
 * A reader that goes away leaves its block on the way, to be stored: a Helia that has sent a block answers no second
 * want for it (docs/upstream.md). How many there are is bounded by what readers read ahead.
 */
export function patient (source: Source, peersLeft: () => AbortSignal): Source {
  /** By CID, what is on the way. */
  const fetches = new Map<string, Promise<Uint8Array>>()

  return {
    put: (cid, bytes, options) => source.put(cid, bytes, options),
    has: (cid, options) => source.has(cid, options),

    async * get (cid, options) {
      if (await source.has(cid, options)) {
        yield * source.get(cid, options)
        return
      }

      const key = cid.toString()
      let fetched = fetches.get(key)

      if (fetched == null) {
        fetched = fetchBlock(cid, source, options, peersLeft()).finally(() => { fetches.delete(key) })
        fetches.set(key, fetched)
        // nobody may be left to be told
        fetched.catch(() => {})
      }

      yield await raceAbort(fetched, options?.signal)
    }
  }
}

async function fetchBlock (
  cid: CID,
  source: Source,
  options: Parameters<Source['get']>[1],
  peersLeft: AbortSignal
): Promise<Uint8Array> {
  const tooLong = new AbortController()
  const timer = setTimeout(() => { tooLong.abort(new BlockNotSentError(cid)) }, PATIENCE)
  const signal = AbortSignal.any([tooLong.signal, peersLeft])

  try {
    // raced, because not every layer below checks the signal
    return await raceAbort(getBlock(source, cid, { ...options, signal }), signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Whoever loses the race may fail later: that is handled here too. */
async function raceAbort<T> (promise: Promise<T>, signal?: AbortSignal | null): Promise<T> {
  const ended = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => { reject(signal?.reason) }

    if (signal?.aborted === true) {
      abort()
    }

    signal?.addEventListener('abort', abort, { once: true, signal: ended.signal })
  })

  try {
    return await Promise.race([promise, aborted])
  } finally {
    ended.abort()
  }
}
