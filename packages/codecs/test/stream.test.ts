import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { encodeSkipped } from '../src/skipped.ts'
import { fromBase64, concat, noise, same, text } from './fixtures.ts'
import { decompress, outcome, read, STREAMS, WatchedSource } from './stream-fixtures.ts'
import { skippable } from './stream-frames.ts'
import { TEXT, VECTORS } from './vectors.ts'

const MIB = 1024 * 1024

/** The frames of all parts, one after another. Not every format allows more than one. */
async function stream (name: keyof typeof codecs, ...parts: Uint8Array[]): Promise<Uint8Array> {
  return concat(...await Promise.all(parts.map(async part => codecs[name]().compress(part))))
}

describe.each(STREAMS)('a stream of %s', (_, codec) => {
  const { name } = codec
  const single = name === 'brotli'

  it('is read in pieces of any size', { tags: 'slow' }, async () => {
    const long = concat(text(3 * MIB), noise(MIB), new Uint8Array(2 * MIB))
    const frame = await stream(name, long)

    for (const size of [8 * MIB, 65536, 1000]) {
      expect(same(await read(codec, frame, size), long), `${size}`).toBe(true)
    }

    expect(same(await read(codec, await stream(name, TEXT_BYTES), 1), TEXT_BYTES)).toBe(true)
  })

  it('is read if another tool made it', async () => {
    for (const size of [1, 7, 1000]) {
      expect(new TextDecoder().decode(await read(codec, fromBase64(VECTORS[name]), size))).toBe(TEXT)
    }
  })

  it('is read with chunk boundaries anywhere', async () => {
    const parts = single ? [text(200_000)] : [text(200_000), new Uint8Array(0), noise(70_000), text(1)]
    const whole = concat(...parts)
    const frames = await stream(name, ...parts)

    await fc.assert(fc.asyncProperty(fc.array(fc.nat(frames.byteLength), { maxLength: 30 }), async cuts => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), frames.byteLength]
      const source = new WatchedSource(
        number => number + 1 < places.length ? frames.subarray(places[number], places[number + 1]) : undefined
      )

      expect(same(concat(...await Array.fromAsync(decompress(codec, source))), whole)).toBe(true)
    }), { numRuns: 40 })
  })

  it('yields plain Uint8Arrays, even from chunks of a subclass', async () => {
    class Bytes extends Uint8Array {}
    const source = new WatchedSource(number => number === 0 ? new Bytes(fromBase64(VECTORS[name])) : undefined)

    for await (const piece of decompress(codec, source)) {
      expect(Object.getPrototypeOf(piece)).toBe(Uint8Array.prototype)
      expect(piece.byteLength).toBeGreaterThan(0)
    }
  })

  it('is refused if it is cut short or empty', async () => {
    const frame = fromBase64(VECTORS[name])
    // a Snappy stream has no end marker: it may end after any chunk
    const ends = name === 'snappy' ? [10] : []

    for (let length = 0; length < frame.byteLength; length++) {
      const expected = ends.includes(length) ? 0 : 'CorruptFrameError'
      expect(await outcome(codec, frame.subarray(0, length)), `${length} bytes`).toBe(expected)
    }
  })

  it('is empty if its frames are, or all of it is to be skipped', async () => {
    const frame = await stream(name, new Uint8Array(0))
    const skipped: Partial<Record<typeof name, Uint8Array>> = {
      zstd: concat(skippable(0), skippable(1000)),
      lz4: concat(skippable(0), skippable(1000)),
      snappy: concat(frame, encodeSkipped('snappy', noise(1000))),
      gzip: encodeSkipped('gzip', noise(1000)),
      lzo: encodeSkipped('lzo', noise(1000))
    }

    for (const bytes of [frame, skipped[name] ?? frame]) {
      expect(await outcome(codec, bytes)).toBe(0)
      expect(await outcome(codec, concat(bytes, Uint8Array.of(0x50, 0x2a)))).toBe('CorruptFrameError')
    }

    expect(await outcome(codec, (skipped[name] ?? frame).subarray(0, -1))).toBe('CorruptFrameError')
  })

  it('is refused if other bytes follow or replace it', async () => {
    const frame = fromBase64(VECTORS[name])

    for (const other of [text(1), text(100), noise(100)]) {
      expect(await outcome(codec, concat(frame, other))).toBe('CorruptFrameError')
    }

    for (const other of [text(1), text(100), noise(100_000), new Uint8Array(100)]) {
      expect(await outcome(codec, other)).toBe('CorruptFrameError')
    }
  })

  it('yields the bytes before it is cut short, then rejects', async () => {
    const frame = await stream(name, noise(6 * MIB))
    const source = new WatchedSource(
      number => number < 80 ? frame.subarray(number * 65536, (number + 1) * 65536) : undefined
    )
    let size = 0

    await expect(async () => {
      for await (const piece of decompress(codec, source)) {
        size += piece.byteLength
      }
    }).rejects.toMatchObject({ name: 'CorruptFrameError', codec: name })
    expect(size).toBeGreaterThan(MIB)
    expect(source.closed).toBe(true)
  })

  it('pulls its source on demand, and closes it when the reader stops', async () => {
    const frame = await stream(name, noise(8 * MIB))
    const source = new WatchedSource(number => frame.subarray(number * 65536, (number + 1) * 65536))
    const reading = decompress(codec, source)
    expect(source.pulled).toBe(0)

    await reading.next()
    // blocks of LZ4 hold 4 MiB
    expect(source.pulled).toBeLessThan(name === 'lz4' ? 70 : 16)

    await reading.return(undefined)
    expect(source.closed).toBe(true)
  })

  it('rejects with the error of its source', async () => {
    const failure = new Error('no such block')
    const frame = fromBase64(VECTORS[name])
    const source = new WatchedSource(number => {
      if (number > 0) {
        throw failure
      }

      return frame.subarray(0, frame.byteLength - 1)
    })

    await expect(Array.fromAsync(decompress(codec, source))).rejects.toBe(failure)
  })

  it('rejects with the reason of its signal, even if the source stalls', async () => {
    const frame = fromBase64(VECTORS[name])
    const controller = new AbortController()
    const source = new WatchedSource(async number => {
      if (number > 0) {
        queueMicrotask(() => { controller.abort(new Error('enough')) })
        await new Promise(() => {})
      }

      return frame.subarray(0, 20)
    })

    await expect(Array.fromAsync(decompress(codec, source, { signal: controller.signal }))).rejects.toThrow('enough')
    expect(source.closed).toBe(true)
    await expect(Array.fromAsync(decompress(codec, source, { signal: controller.signal }))).rejects.toThrow('enough')
  })
})

const TEXT_BYTES = text(3000)

describe.each(STREAMS.filter(([, { name }]) => name !== 'brotli'))('many frames of %s', (_, codec) => {
  it('are read as one stream', { tags: 'slow' }, async () => {
    const frame = fromBase64(VECTORS[codec.name])
    const frames = concat(...Array.from({ length: 500 }, () => frame))

    for (const size of [1, 1000, 65536, frames.byteLength]) {
      expect(new TextDecoder().decode(await read(codec, frames, size))).toBe(TEXT.repeat(500))
    }
  })

  it('are read on demand from an endless source, in pieces of at most 4 MiB', { tags: 'slow' }, async () => {
    const frame = await codecs[codec.name]().compress(new Uint8Array(16 * MIB))
    const source = new WatchedSource(() => frame)
    let size = 0

    for await (const piece of decompress(codec, source)) {
      expect(piece.byteLength).toBeLessThanOrEqual(4 * MIB)
      size += piece.byteLength

      if (size > 256 * MIB) {
        break
      }
    }

    expect(source.pulled).toBeLessThan(20)
    expect(source.closed).toBe(true)
  })
})
