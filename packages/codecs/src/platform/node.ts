import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import zlib from 'node:zlib'
import { decompressInTask, isDecompressor } from './decompress-task.ts'
import { freeParts, isAlone } from './zlib-output.ts'
import type { Thread } from './thread.ts'
import type { ZlibInfo } from './decompress-task.ts'
import type { ZlibOutput } from './zlib-output.ts'
import type * as WorkerThreads from 'node:worker_threads'
import type { CompressCallback } from 'node:zlib'

/** Whether zlib has a function. `zstdCompress` needs Node 22.15. */
export function hasZlib (name: 'zstdCompress' | 'deflateRaw' | 'brotliCompress'): boolean {
  return typeof zlib[name] === 'function'
}

let dictionaries: boolean | undefined

/** Whether zstd in zlib takes dictionaries. Tried once: older versions of Node ignore the option without an error. */
export function hasZlibDictionaries (): boolean {
  return dictionaries ??= hasZlib('zstdCompress') && tryDictionary()
}

function tryDictionary (): boolean {
  // bytes that compress only with themselves as the dictionary, at an offset in their buffer
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 13).subarray(64)

  try {
    return zlib.zstdCompressSync(bytes, { dictionary: bytes }).byteLength < 64
  } catch {
    // the zlib of another runtime may refuse the option
    return false
  }
}

interface ZlibOptions {
  /** The size of the first output buffer, in bytes. */
  chunkSize: number
  maxOutputLength?: number
  level?: number
  finishFlush?: number
  pledgedSrcSize?: number
  /** Only for zstd. */
  dictionary?: Uint8Array
  params?: Record<number, number>
  /** Memory for what is decompressed, at least `chunkSize` bytes. Only for calls on the thread pool. */
  into?: Uint8Array
}

export interface ZlibResult extends ZlibOutput {
  /** Bytes of the input that were used. */
  consumed: number
}

type ZlibCall = 'zstdCompress' | 'zstdDecompress' | 'deflateRaw' | 'inflateRaw' | 'brotliCompress' | 'brotliDecompress'

/**
 * Run a zlib function, on the thread pool or synchronously, and then without a promise. Only the option `info`
 * tells where a frame ended, and so whether other bytes follow it.
 */
export function runZlib (
  name: ZlibCall,
  bytes: Uint8Array,
  options: ZlibOptions,
  sync: boolean
): ZlibResult | Promise<ZlibResult> {
  return sync ? toResult(zlib[`${name}Sync`](bytes, { ...options, info: true })) : runInPool(name, bytes, options)
}

async function runInPool (
  name: ZlibCall,
  bytes: Uint8Array,
  options: ZlibOptions
): Promise<ZlibResult> {
  if (isDecompressor(name)) {
    return toResult(await decompressInTask(name, bytes, options))
  }

  const withInfo = { ...options, info: true }
  const call = zlib[name] as (bytes: Uint8Array, options: ZlibOptions, callback: CompressCallback) => void

  return new Promise((resolve, reject) => {
    call(bytes, withInfo, (err, result) => {
      if (err == null) {
        const { buffer, engine: { buffers } } = result as unknown as ZlibInfo
        freeParts(buffers ?? [], buffer, options.chunkSize)
        resolve({ ...toResult(result), isAlone: isAlone(buffer, options.chunkSize) })
      } else {
        reject(err)
      }
    })
  })
}

function toResult (result: unknown): ZlibResult {
  const { buffer, engine } = result as ZlibInfo

  return {
    bytes: new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength),
    consumed: engine.bytesWritten
  }
}

export const zlibConstants = zlib.constants

export { streamZlib } from './zlib-stream.ts'
export { isSame, zstdBound, zstdCompressKept, zstdDecompressKept } from '@ipfsz/utils/zstd-kept'
export { zstdCompressKeptDictionary, zstdKeptInTask } from './zstd-contexts.ts'
export { zstdHere, zstdInTask } from './zstd-task.ts'

/** Whether an optional package with compiled code is installed and works on this machine. */
export function hasAddon (name: string): boolean {
  try {
    loadAddon(name)
    return true
  } catch {
    return false
  }
}

/** @throws if the package is not installed */
export function loadAddon (name: string): unknown {
  return createRequire(import.meta.url)(name)
}

/** How many threads can run in parallel. */
export function parallelism (): number {
  return availableParallelism()
}

export function hasWorkers (): boolean {
  return true
}

/** Gives a worker thread the globals of a Web Worker. */
const PRELUDE = `
const { parentPort } = require('node:worker_threads')
globalThis.self = {
  postMessage: (message, transfer) => { parentPort.postMessage(message, transfer) },
  addEventListener: (type, listener) => { parentPort.on(type, data => listener({ data })) }
};
`

/** Start a worker thread, without the flags of the process: some would change how its source is parsed. */
export function startThread (source: string): Thread {
  // loaded on first use: it takes milliseconds, and few programs need a worker
  const { Worker } = createRequire(import.meta.url)('node:worker_threads') as typeof WorkerThreads
  const worker = new Worker(PRELUDE + source, { eval: true, execArgv: [] })

  const thread: Thread = {
    onMessage: () => {},
    onFailure: () => {},
    post: (message, transfer) => { worker.postMessage(message, transfer as ArrayBuffer[]) },
    end: () => { worker.terminate().catch(() => {}) },
    keep: () => { worker.ref() },
    release: timer => {
      worker.unref();
      (timer as NodeJS.Timeout).unref()
    }
  }

  worker.on('message', message => { thread.onMessage(message) })
  worker.on('messageerror', err => { thread.onFailure(err) })
  worker.on('error', err => { thread.onFailure(err) })
  worker.on('exit', code => { thread.onFailure(new Error(`The worker exited with code ${code}`)) })

  return thread
}
