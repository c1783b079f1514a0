import CRC32 from 'crc-32'
import type { ZlibResult } from './node.ts'
import type * as BrotliWasm from 'brotli-wasm'

/** A browser has no zlib. */
export function hasZlib (): boolean {
  return false
}

export async function runZlib (): Promise<ZlibResult> {
  throw new Error('There is no zlib on this platform')
}

export const zlibConstants = {}

/** CRC-32 as gzip uses it (RFC 1952). */
export function crc32 (bytes: Uint8Array): number {
  return CRC32.buf(bytes) >>> 0
}

export async function loadBrotliWasm (): Promise<typeof BrotliWasm> {
  const { default: loading } = await import('brotli-wasm')

  return await (loading as unknown as Promise<typeof BrotliWasm>)
}
