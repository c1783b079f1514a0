import { describe, expect, it, vi } from 'vitest'
import { codecs } from '../src/all.ts'
import { CODES } from '../src/constants.ts'
import { createCodec } from '../src/runtime/create-codec.ts'
import { NAMES, text } from './fixtures.ts'
import { outcome } from './stream-fixtures.ts'
import type { Codec, CodecInit } from '../src/codec.ts'
import type { Implementation } from '../src/implementation.ts'
import type { ImplementationEntry } from '../src/runtime/implementation-entry.ts'

/** An entry whose frames begin with a mark. */
function entry (mark: number, init: Partial<ImplementationEntry> = {}): ImplementationEntry {
  const implementation: Implementation = {
    compress: bytes => Uint8Array.of(mark, ...bytes),
    decompress: frame => frame.slice(1)
  }

  return { name: 'js', available: () => true, load: async () => ({ create: () => implementation }), ...init }
}

/** Its frames begin with the mark, and with the dictionary if there is one. */
function takesDictionaries (
  mark: number,
  able: boolean,
  init: Partial<ImplementationEntry> = {}
): ImplementationEntry {
  return entry(mark, {
    dictionaries: () => able,
    load: async () => ({
      create: () => ({
        compress: (bytes, _, { dictionary = [] } = {}) => Uint8Array.of(mark, ...dictionary, ...bytes),
        decompress: (frame, _, { dictionary = [] } = {}) => Uint8Array.of(mark, ...dictionary, ...frame)
      })
    }),
    ...init
  })
}

function create (implementations: ImplementationEntry[], init?: CodecInit): Codec {
  return createCodec({ name: 'zstd', code: CODES.zstd, levels: { min: 1, max: 1, default: 1 }, implementations }, init)
}

describe('a codec', () => {
  it('loads its implementation once, when it is first used', async () => {
    const load = vi.fn(entry(1).load)
    const codec = create([entry(1, { load })])
    expect(load).not.toHaveBeenCalled()

    await codec.compress(text(3))
    await codec.compress(text(3))
    expect(load).toHaveBeenCalledOnce()
  })

  it('loads its WebAssembly and the program of its workers at the same time', async () => {
    const asked = Promise.withResolvers<void>()
    const codec = create([entry(1, {
      async wasm () {
        await asked.promise
        return { modules: [] }
      },
      async worker () {
        asked.resolve()
        return () => ({ compress: () => Uint8Array.of(7), decompress: bytes => bytes, prepare () {} })
      }
    })])

    expect(await codec.compress(text(3))).toEqual(Uint8Array.of(7))
  })

  it('announces calls to what runs them', async () => {
    const prepare = vi.fn()
    const worker = async () => () => ({ compress: () => Uint8Array.of(7), decompress: () => Uint8Array.of(7), prepare })
    const codec = create([entry(1, { worker })])
    codec.prepare?.({ to: 'decompress' })
    codec.prepare?.({ to: 'compress', calls: 3 })
    await codec.compress(text(3))

    expect(prepare.mock.calls).toEqual([[1], [3]])
  })

  it('leaves it to the calls if nothing can be loaded for those that were announced', async () => {
    const codec = create([entry(1, { load: async () => { throw new Error('no network') } })])
    codec.prepare?.({ to: 'compress' })
    // there is nothing that compresses
    create([entry(1, { only: 'decompress' })]).prepare?.({ to: 'compress' })

    await expect(codec.compress(text(3))).rejects.toThrow('no network')
  })

  it('uses the first available implementation', async () => {
    const codec = create([entry(1, { name: 'native', available: () => false }), entry(2, { name: 'wasm' }), entry(3)])

    expect(codec.implementation).toBe('wasm')
    expect((await codec.compress(text(3)))[0]).toBe(2)
  })

  it('checks whether an implementation is available when it is first used, except the last one', async () => {
    const available = vi.fn(() => true)
    const codec = create([entry(1, { name: 'native', available }), entry(2)])
    expect(available).not.toHaveBeenCalled()

    expect((await codec.compress(text(3)))[0]).toBe(1)
    expect(available).toHaveBeenCalledOnce()
  })

  it('refuses to be created if no implementation is available', () => {
    expect(() => create([entry(1, { available: () => false })]))
      .toThrow(expect.objectContaining({ name: 'MissingImplementationError', implementation: 'default' }))
    expect(() => create([entry(1, { name: 'native', available: () => false }), entry(2)], { implementation: 'native' }))
      .toThrow(expect.objectContaining({ name: 'MissingImplementationError', implementation: 'native' }))
  })

  it('uses the next implementation if one cannot be loaded', async () => {
    const load = vi.fn(entry(1).load).mockRejectedValue(new Error('forbidden by a policy'))
    const codec = create([entry(1, { name: 'wasm', load }), entry(2)])

    expect((await codec.compress(text(3)))[0]).toBe(2)
    expect(codec.implementation).toBe('js')
  })

  it('rejects with the reason if no implementation can be loaded, and tries again on the next call', async () => {
    const load = vi.fn(entry(1).load).mockRejectedValueOnce(new Error('no network'))
    const codec = create([entry(1, { load })])

    await expect(codec.compress(text(3))).rejects.toThrow('no network')
    expect((await codec.compress(text(3)))[0]).toBe(1)
  })

  it('compresses with one implementation and decompresses with another', async () => {
    const reads = entry(1, {
      name: 'wasm',
      only: 'decompress',
      load: async () => ({ create: () => ({ decompress: () => Uint8Array.of(1) }) })
    })
    const writes = entry(
      2,
      { name: 'wasm', only: 'compress', load: async () => ({ create: () => ({ compress: () => Uint8Array.of(2) }) }) }
    )
    const codec = create([reads, writes])

    expect(await codec.compress(text(3))).toEqual(Uint8Array.of(2))
    expect(await codec.decompress(text(3), { size: 1 })).toEqual(Uint8Array.of(1))
  })

  it('refuses to compress if no implementation does', async () => {
    const codec = create([entry(1, { name: 'native', available: () => false }), entry(2, { only: 'decompress' })])

    expect(codec.implementation).toBe('js')
    await expect(codec.compress(text(3))).rejects.toMatchObject({
      name: 'MissingImplementationError',
      codec: 'zstd',
      implementation: 'js',
      message: expect.stringContaining('use native instead')
    })
  })

  it('refuses to decompress if no implementation does', async () => {
    const codec = create([
      entry(1, { name: 'native', only: 'compress' }),
      entry(2, { name: 'wasm', available: () => false })
    ])

    await expect(codec.decompress(text(3), { size: 3 })).rejects.toMatchObject({
      name: 'MissingImplementationError',
      codec: 'zstd',
      implementation: 'native',
      message: expect.stringContaining('use wasm instead')
    })
  })

  it('rejects with the reason of its signal if aborted before or during a call', async () => {
    const reason = new Error('no longer wanted')
    const load = vi.fn(
      async () => ({
        create: (): Implementation => ({
          compress: async () => new Promise(() => {}),
          decompress: async () => new Promise(() => {})
        })
      })
    )
    const codec = create([entry(1, { load })])

    await expect(codec.compress(text(3), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(load).not.toHaveBeenCalled()

    const controller = new AbortController()
    const calls = [
      codec.compress(text(3), { signal: controller.signal }),
      codec.decompress(text(3), { size: 3, signal: controller.signal })
    ]
    await vi.waitFor(() => { expect(load).toHaveBeenCalledOnce() }, { timeout: 120_000 })
    controller.abort(reason)

    for (const call of calls) {
      await expect(call).rejects.toBe(reason)
    }
  })
})

describe('a codec given a dictionary', () => {
  const dictionary = text(100)

  it('uses another implementation if the chosen one cannot take it, and the chosen one otherwise', async () => {
    for (const init of [{}, { implementation: 'native' as const }]) {
      const codec = create([
        takesDictionaries(1, false, { name: 'native' }),
        entry(2, { name: 'wasm' }),
        takesDictionaries(3, true, { name: 'wasm', available: () => false }),
        takesDictionaries(4, true)
      ], init)

      expect(codec).toMatchObject({ dictionaries: true, implementation: 'native' })
      expect(await codec.compress(text(3), { dictionary })).toEqual(Uint8Array.of(4, ...dictionary, ...text(3)))
      expect(await codec.decompress(text(3), { size: 104, dictionary }))
        .toEqual(Uint8Array.of(4, ...dictionary, ...text(3)))
      expect((await codec.compress(text(3)))[0]).toBe(1)
      expect((await codec.decompress(text(3), { size: 4 }))[0]).toBe(1)
    }
  })

  it('refuses it before it loads anything if no implementation can take it', async () => {
    const load = vi.fn(entry(1).load)
    const codec = create([takesDictionaries(1, false, { name: 'wasm', load }), entry(2, { load })])
    const error = { name: 'DictionaryNotSupportedError', codec: 'zstd', implementation: 'wasm' }

    expect(codec.dictionaries).toBe(false)
    await expect(codec.compress(text(3), { dictionary })).rejects.toMatchObject(error)
    await expect(codec.decompress(text(3), { size: 3, dictionary })).rejects.toMatchObject(error)
    expect(load).not.toHaveBeenCalled()
  })

  it('refuses it if only implementations of the other direction can take it', async () => {
    const codec = create([entry(1, { name: 'native' }), takesDictionaries(2, true, { only: 'decompress' })])
    const error = { name: 'DictionaryNotSupportedError', implementation: 'native' }

    await expect(codec.compress(text(3), { dictionary })).rejects.toMatchObject(error)
    expect((await codec.decompress(text(3), { size: 104, dictionary }))[0]).toBe(2)
  })

  it('loads an implementation once for calls with and without one', async () => {
    const able = takesDictionaries(1, true)
    const load = vi.fn(able.load)
    const codec = create([{ ...able, load }])

    await Promise.all([codec.compress(text(3)), codec.compress(text(3), { dictionary })])
    await codec.decompress(text(3), { size: 104, dictionary })
    expect(load).toHaveBeenCalledOnce()
  })

  it('checks it before it loads anything', async () => {
    const able = takesDictionaries(1, true)
    const load = vi.fn(able.load)
    const codec = create([{ ...able, load }])
    const error = { name: 'InvalidDictionaryError', size: 7 }

    await expect(codec.compress(text(3), { dictionary: text(7) })).rejects.toMatchObject(error)
    await expect(codec.decompress(text(3), { size: 3, dictionary: text(7) })).rejects.toMatchObject(error)
    expect(load).not.toHaveBeenCalled()
  })
})

describe('the option deterministic', () => {
  it('selects the implementation that is the same build everywhere', async () => {
    const codec = create(
      [entry(1, { name: 'native' }), entry(2, { name: 'wasm', everywhere: true }), entry(3)],
      { deterministic: true }
    )

    expect((await codec.compress(text(3)))[0]).toBe(2)
  })

  it('selects an implementation for every codec, none of them native', () => {
    for (const name of NAMES) {
      expect(codecs[name]({ deterministic: true }).implementation, name).not.toBe('native')
    }
  })

  it('refuses a native implementation', () => {
    expect(() => codecs.zstd({ deterministic: true, implementation: 'native' }))
      .toThrow(expect.objectContaining({ name: 'MissingImplementationError', codec: 'zstd', implementation: 'native' }))
  })
})

describe('a codec with a given implementation', () => {
  it('reads streams with that one if it can, else with another', async () => {
    const frame = await codecs.zstd().compress(text(1000))

    for (const implementation of ['native', 'wasm', 'js'] as const) {
      expect(await outcome(codecs.zstd({ implementation }), frame)).toBe(1000)
    }
  })
})
