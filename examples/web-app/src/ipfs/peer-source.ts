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
    super('The peer went away before everything arrived')
  }
}

/** How long a block may take, in milliseconds. */
const PATIENCE = 8_000

/**
 * A source that gives up on a block after a timeout, because peers need not answer, and at
 * once if the last peer disconnects. Stored blocks are always read.
 */
export function patient (source: Source, peersLeft: () => AbortSignal): Source {
  return {
    put: (cid, bytes, options) => source.put(cid, bytes, options),
    has: (cid, options) => source.has(cid, options),

    async * get (cid, options) {
      if (await source.has(cid, options)) {
        yield * source.get(cid, options)
        return
      }

      const tooLong = new AbortController()
      const timer = setTimeout(() => { tooLong.abort(new BlockNotSentError(cid)) }, PATIENCE)
      const signal = AbortSignal.any([tooLong.signal, peersLeft(), ...options?.signal == null ? [] : [options.signal]])

      try {
        signal.throwIfAborted()
        // raced, because not every layer below checks the signal
        yield await Promise.race([getBlock(source, cid, { ...options, signal }), aborted(signal)])
      } finally {
        clearTimeout(timer)
        // ends what still waits for the signal
        tooLong.abort()
      }
    }
  }
}

async function aborted (signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => { reject(signal.reason) }, { once: true })
  })
}
