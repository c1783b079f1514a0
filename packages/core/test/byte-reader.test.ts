import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader } from '../src/util/byte-reader.ts'
import { chunked, collect, text } from './fixtures.ts'

function allocate (size: number): Uint8Array {
  return new Uint8Array(size)
}

describe('ByteReader', () => {
  it('returns the stream unchanged, in pieces of any size', async () => {
    const bytes = text(1000)

    const chunks = fc.integer({ min: 1, max: 400 })
    const reads = fc.array(fc.integer({ min: 0, max: 400 }))

    await fc.assert(fc.asyncProperty(chunks, reads, fc.boolean(), async (chunk, lengths, allocates) => {
      const reader = new ByteReader(chunked(bytes, chunk))
      const parts: Uint8Array[] = []
      let left = bytes.byteLength

      for (const length of lengths) {
        const part = await reader.read(length, allocates ? allocate : undefined)
        expect(part.byteLength).toBe(Math.min(length, left))
        left -= part.byteLength
        parts.push(part)
      }

      parts.push(await collect(reader.rest()))
      expect(Buffer.concat(parts).equals(Buffer.from(bytes))).toBe(true)
      expect((await reader.read(1)).byteLength).toBe(0)
    }))
  })

  it('reads the stream into arrays, chunk by chunk', async () => {
    const bytes = text(1000)

    const chunks = fc.integer({ min: 1, max: 400 })
    const reads = fc.array(fc.integer({ min: 0, max: 400 }))

    await fc.assert(fc.asyncProperty(chunks, reads, async (chunk, lengths) => {
      let last = new Uint8Array(0)
      const transient = async function * (): AsyncGenerator<Uint8Array> {
        for await (const bytes of chunked(text(1000), chunk)) {
          last.fill(0)
          last = new Uint8Array(bytes)
          yield last
        }
      }
      const reader = new ByteReader(transient())
      let position = 0

      for (const length of lengths) {
        const target = new Uint8Array(length)
        const filled = await reader.readInto(target)
        expect(filled).toBe(Math.min(length, bytes.byteLength - position))
        expect(target.subarray(0, filled)).toEqual(bytes.subarray(position, position += filled))
      }
    }))
  })

  it('looks ahead without reading', async () => {
    const bytes = text(100)
    const reader = new ByteReader(chunked(bytes, 7))
    await reader.read(3)

    expect(await reader.lookAhead(16)).toEqual(bytes.subarray(3, 19))
    expect(await reader.lookAhead(200)).toEqual(bytes.subarray(3))
    expect(await reader.read(97)).toEqual(bytes.subarray(3))
    expect((await reader.lookAhead(1)).byteLength).toBe(0)
  })

  it('does not copy bytes that lie in one chunk', async () => {
    const bytes = text(100)
    const reader = new ByteReader(chunked(bytes, 100))
    const part = await reader.read(60)

    expect(part.buffer).toBe(bytes.buffer)
    expect((await reader.read(40)).byteOffset).toBe(60)
  })

  it('joins chunks in the memory that it is given', async () => {
    const memory = new Uint8Array(60)
    const reader = new ByteReader(chunked(text(100), 10))

    expect(await reader.read(60, () => memory)).toBe(memory)
    expect(memory).toEqual(text(100).subarray(0, 60))
  })

  it("aborts with the signal's reason while the source stalls", async () => {
    const controller = new AbortController()
    const reader = new ByteReader(
      (async function * () { yield await new Promise<Uint8Array>(() => {}) })(),
      controller.signal
    )
    const reading = reader.read(1)

    controller.abort()
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('copies chunks into the memory that it is given while they arrive, after the first two', async () => {
    const memory = new Uint8Array(50)
    const copied: number[] = []
    const reader = new ByteReader((async function * () {
      for (let i = 1; i <= 5; i++) {
        copied.push(memory.filter(byte => byte > 0).length)
        yield new Uint8Array(10).fill(i)
      }
    })())

    const bytes = await reader.read(50, () => memory)

    expect([...bytes]).toEqual(Array.from({ length: 50 }, (_, i) => 1 + Math.floor(i / 10)))
    expect(copied).toEqual([0, 0, 20, 30, 40])
  })

  it('copies no chunk that is the last', async () => {
    const bytes = text(100)
    const reader = new ByteReader(chunked(bytes, 60))

    expect((await reader.read(60, allocate)).buffer).toBe(bytes.buffer)
    expect((await reader.read(60, allocate)).buffer).toBe(bytes.buffer)
  })

  it('closes the source when it is closed', async () => {
    let closed = false
    const reader = new ByteReader((async function * () {
      try {
        yield text(10)
      } finally {
        closed = true
      }
    })())

    await reader.read(1)
    reader.close()
    await new Promise(resolve => { setImmediate(resolve) })
    expect(closed).toBe(true)
  })
})
