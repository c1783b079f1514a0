/**
 * Which implementations exist of each codec, the preferred one first. The first
 * that is available runs, unless a factory is told otherwise.
 *
 * One constant a codec, so that a bundle holds only what it uses.
 */
import { hasZlib } from '#platform'
import type { ImplementationEntry } from './codec.ts'

export const ZSTD: readonly ImplementationEntry[] = [
  { name: 'native', available: hasZlib('zstdCompress'), load: () => import('./impl/zstd-native.ts') },
  { name: 'wasm', available: 'WebAssembly' in globalThis, load: () => import('./impl/zstd-wasm.ts') },
  { name: 'js', available: true, load: () => import('./impl/zstd-js.ts') }
]

export const GZIP: readonly ImplementationEntry[] = [
  { name: 'native', available: hasZlib('deflateRaw'), load: () => import('./impl/gzip-native.ts') },
  { name: 'js', available: true, load: () => import('./impl/gzip-js.ts') }
]

export const BROTLI: readonly ImplementationEntry[] = [
  { name: 'native', available: hasZlib('brotliCompress'), load: () => import('./impl/brotli-native.ts') },
  { name: 'wasm', available: 'WebAssembly' in globalThis, load: () => import('./impl/brotli-wasm.ts') }
]

export const LZ4: readonly ImplementationEntry[] = [
  { name: 'js', available: true, load: () => import('./impl/lz4-js.ts') }
]

export const SNAPPY: readonly ImplementationEntry[] = [
  { name: 'js', available: true, load: () => import('./impl/snappy-js.ts') }
]
