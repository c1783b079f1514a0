import { parallelism, startThread } from '#platform'
import { WorkerPool } from './pool.ts'
import type { FullImplementation } from '../implementation.ts'
import type { Program } from './pool.ts'

/** Maximum number of workers on any number of cores, since each has its own heap. */
const MAX_WORKERS = 8
/** After how long to end an idle worker, in milliseconds. */
const IDLE = 5000

let pool: WorkerPool | undefined

function sharedPool (): WorkerPool {
  return pool ??= new WorkerPool({
    size: Math.min(MAX_WORKERS, Math.max(1, parallelism())),
    idle: IDLE,
    start: startThread
  })
}

export function runInWorkers (program: Program): FullImplementation {
  return {
    compress: async (bytes, level, { signal, transfer, dictionary } = {}) => sharedPool().run(program, () => ({
      compress: toTransferable(bytes, transfer),
      level,
      dictionary: dictionary && new Uint8Array(dictionary)
    }), signal),

    decompress: async (frame, size, { signal, transfer, dictionary } = {}) => sharedPool().run(program, () => ({
      decompress: toTransferable(frame, transfer),
      size,
      dictionary: dictionary && new Uint8Array(dictionary)
    }), signal),

    prepare: calls => { sharedPool().prepare(program, calls) }
  }
}

/** The bytes themselves if they may be transferred and have an ArrayBuffer of their own, else a copy. */
function toTransferable (bytes: Uint8Array, transfer: boolean | undefined): Uint8Array {
  const { buffer, byteLength } = bytes
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength

  // not slice(), which shares memory in a Buffer
  return transfer === true && isWhole ? bytes : new Uint8Array(bytes)
}
