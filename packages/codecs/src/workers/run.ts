import { parallelism, startThread } from '#platform'
import { WorkerPool } from './pool.ts'
import type { Implementation } from '../implementation.ts'
import type { Program } from './pool.ts'

/** The most workers, however many cores there are: each has a heap of its own. */
const MAX_WORKERS = 8
/** A worker that had nothing to do for so long is ended, in milliseconds. */
const IDLE = 5000

let pool: WorkerPool | undefined

/** The workers that all codecs share, see {@link WorkerPool}. */
function sharedPool (): WorkerPool {
  return pool ??= new WorkerPool({
    size: Math.min(MAX_WORKERS, Math.max(1, parallelism())),
    idle: IDLE,
    start: startThread
  })
}

/** An implementation whose work is done in workers. */
export function runInWorkers (program: Program): Required<Implementation> {
  return {
    compress: async (bytes, level, { signal, transfer } = {}) =>
      sharedPool().run(program, () => ({ compress: own(bytes, transfer), level }), signal),
    decompress: async (frame, size, { signal, transfer } = {}) =>
      sharedPool().run(program, () => ({ decompress: own(frame, transfer), size }), signal)
  }
}

/** What may be transferred: the bytes themselves where that is allowed and nothing else lies in their memory, or a copy. */
function own (bytes: Uint8Array, transfer: boolean | undefined): Uint8Array {
  const { buffer, byteLength } = bytes
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength

  // not `slice`: that of a Buffer is no copy
  return transfer === true && isWhole ? bytes : new Uint8Array(bytes)
}
