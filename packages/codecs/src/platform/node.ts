import { createRequire } from 'node:module'
import zlib from 'node:zlib'
import type * as BrotliWasm from 'brotli-wasm'
import type { CompressCallback } from 'node:zlib'

/** Whether this platform's zlib has a function: `zstdCompress` came with Node 22.15. */
export function hasZlib (name: 'zstdCompress' | 'deflateRaw' | 'brotliCompress'): boolean {
  return typeof zlib[name] === 'function'
}

interface ZlibOptions {
  /** The size of the first output buffer, in bytes. */
  chunkSize: number
  maxOutputLength?: number
  level?: number
  pledgedSrcSize?: number
  params?: Record<number, number>
}

export interface ZlibResult {
  bytes: Uint8Array
  /** How many bytes of the input were used. */
  consumed: number
}

/**
 * Run one of zlib's calls on its thread pool.
 *
 * `info` is an option of all of them that the types do not know: it is the only
 * way to learn where a frame ended, and so whether bytes follow it.
 */
export async function runZlib (
  name: 'zstdCompress' | 'zstdDecompress' | 'deflateRaw' | 'inflateRaw' | 'brotliCompress' | 'brotliDecompress',
  bytes: Uint8Array,
  options: ZlibOptions
): Promise<ZlibResult> {
  const call = zlib[name] as (bytes: Uint8Array, options: ZlibOptions & { info: true }, callback: CompressCallback) => void

  return new Promise((resolve, reject) => {
    call(bytes, { ...options, info: true }, (err, result) => {
      if (err != null) {
        reject(err)
        return
      }

      const { buffer, engine } = result as unknown as { buffer: Buffer, engine: { bytesWritten: number } }

      resolve({
        bytes: new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength),
        consumed: engine.bytesWritten
      })
    })
  })
}

export const zlibConstants = zlib.constants

/** CRC-32 as gzip uses it (RFC 1952). */
export function crc32 (bytes: Uint8Array): number {
  return zlib.crc32(bytes)
}

/**
 * Load brotli-wasm. Its entry for `import` fetches the module by URL, which Node
 * cannot do with a file, its entry for `require` reads it.
 */
export async function loadBrotliWasm (): Promise<typeof BrotliWasm> {
  return createRequire(import.meta.url)('brotli-wasm')
}
