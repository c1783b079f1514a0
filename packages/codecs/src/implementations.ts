/**
 * Which implementations exist of each codec, the preferred one first. The first
 * that is available runs, unless a factory is told otherwise. docs/codecs.md has
 * the measurements that the order follows.
 *
 * One constant a codec, so that a bundle holds only what it uses.
 */
import { hasAddon, hasZlib } from '#platform'
import type { ImplementationEntry } from './implementation.ts'

const always = (): boolean => true
const hasWasm = (): boolean => typeof WebAssembly === 'object'

export const ZSTD: readonly ImplementationEntry[] = [
  {
    name: 'native',
    available: () => hasZlib('zstdCompress'),
    load: () => import('./impl/zstd-native.ts')
  },
  {
    name: 'wasm',
    everywhere: true,
    available: hasWasm,
    load: () => import('./impl/zstd-wasm.ts'),
    worker: () => import('./generated/zstd-wasm-worker.ts'),
    wasm: () => import('./generated/zstd-module.ts')
  },
  {
    name: 'js',
    readsOnly: true,
    available: always,
    load: () => import('./impl/zstd-js.ts'),
    worker: () => import('./generated/zstd-js-worker.ts')
  }
]

export const GZIP: readonly ImplementationEntry[] = [
  {
    name: 'native',
    available: () => hasZlib('deflateRaw'),
    load: () => import('./impl/gzip-native.ts')
  },
  {
    name: 'js',
    everywhere: true,
    available: always,
    load: () => import('./impl/gzip-js.ts'),
    worker: () => import('./generated/gzip-js-worker.ts')
  }
]

export const BROTLI: readonly ImplementationEntry[] = [
  {
    name: 'native',
    available: () => hasZlib('brotliCompress'),
    load: () => import('./impl/brotli-native.ts')
  },
  {
    name: 'wasm',
    everywhere: true,
    available: hasWasm,
    load: () => import('./impl/brotli-wasm.ts'),
    worker: () => import('./generated/brotli-wasm-worker.ts'),
    wasm: () => import('./generated/brotli-module.ts')
  }
]

export const LZ4: readonly ImplementationEntry[] = [
  {
    name: 'native',
    available: () => hasAddon('lz4-napi'),
    load: () => import('./impl/lz4-native.ts')
  },
  {
    name: 'wasm',
    everywhere: true,
    available: hasWasm,
    load: () => import('./impl/lz4-wasm.ts'),
    worker: () => import('./generated/lz4-wasm-worker.ts'),
    wasm: () => import('./generated/lz4-module.ts')
  },
  {
    name: 'js',
    available: always,
    load: () => import('./impl/lz4-js.ts'),
    worker: () => import('./generated/lz4-js-worker.ts')
  }
]

export const LZO: readonly ImplementationEntry[] = [
  {
    name: 'js',
    everywhere: true,
    available: always,
    load: () => import('./impl/lzo-js.ts'),
    worker: () => import('./generated/lzo-js-worker.ts')
  }
]

export const SNAPPY: readonly ImplementationEntry[] = [
  {
    name: 'native',
    available: () => hasAddon('snappy'),
    load: () => import('./impl/snappy-native.ts')
  },
  {
    name: 'wasm',
    everywhere: true,
    available: hasWasm,
    load: () => import('./impl/snappy-wasm.ts'),
    worker: () => import('./generated/snappy-wasm-worker.ts')
  },
  {
    name: 'js',
    available: always,
    load: () => import('./impl/snappy-js.ts'),
    worker: () => import('./generated/snappy-js-worker.ts')
  }
]
