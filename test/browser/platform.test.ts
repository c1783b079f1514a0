import { allCodecs, codecs } from '@ipfsz/codecs/all'
import { describe, expect, it } from 'vitest'

describe('a browser', () => {
  it('runs each codec as WebAssembly or JavaScript', () => {
    expect(Object.fromEntries(allCodecs().map(({ name, implementation }) => [name, implementation]))).toEqual({
      zstd: 'wasm',
      gzip: 'js',
      lz4: 'wasm',
      brotli: 'wasm',
      snappy: 'wasm',
      lzo: 'js'
    })
  })

  it.each(['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo'] as const)('refuses a native %s', name => {
    expect(() => codecs[name]({ implementation: 'native' }))
      .toThrow(expect.objectContaining({ name: 'MissingImplementationError', codec: name, implementation: 'native' }))
  })
})
