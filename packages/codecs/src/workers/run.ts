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
      sharedPool().run(program, () => ({ compress: transfer === true && isWhole(bytes) ? bytes : copy(bytes), level }), signal),
    decompress: async (frame, size, { signal } = {}) =>
      sharedPool().run(program, () => ({ decompress: copy(frame), size }), signal)
  }
}

/** Whether nothing else lies in the memory of the bytes, which goes with them. */
function isWhole ({ buffer, byteLength }: Uint8Array): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
}

/** Not `slice`: that of a Buffer is no copy. */
function copy (bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
