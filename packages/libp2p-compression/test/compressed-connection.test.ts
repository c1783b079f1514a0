import { setImmediate } from 'node:timers/promises'
import { multiaddrConnectionPair } from '@libp2p/utils'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { CODECS, compressed, compressedPair, gather, write } from './fixtures.ts'

const MIB = 1024 * 1024

describe.each(CODECS)('a connection compressed with %s', (_, codec) => {
  it('delivers what was written, in order, however it is split', { tags: 'slow' }, async () => {
    await fc.assert(fc.asyncProperty(
      fc.array(
        fc.record({
          length: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 200_000 })),
          random: fc.boolean(),
          yields: fc.boolean()
        }),
        { minLength: 1, maxLength: 12 }
      ),
      fc.integer({ min: 500, max: 70_000 }),
      async (writes, chunkSize) => {
        const [outbound, inbound] = multiaddrConnectionPair({ chunkSize })
        const [sender, receiver] = [compressed(outbound, codec), compressed(inbound, codec)]
        const gathered = gather(receiver.connection)
        const pieces = writes.map(({ length, random }, i) => random ? noise(length, i + 1) : text(length, i + 1))

        for (const [i, piece] of pieces.entries()) {
          await write(sender.connection, [piece])

          if (writes[i].yields) {
            await setImmediate()
          }
        }

        const expected = Buffer.concat(pieces)
        expect(Buffer.compare(await gathered.has(expected.byteLength), expected)).toBe(0)
        await sender.connection.close()
        expect(await gathered.closed).toBeUndefined()
      }
    ), { numRuns: 20 })
  })

  it('delivers bytes that arrive one by one', async () => {
    const [outbound, inbound] = multiaddrConnectionPair({ chunkSize: 1 })
    const [sender, receiver] = [compressed(outbound, codec), compressed(inbound, codec)]
    const gathered = gather(receiver.connection)
    const bytes = text(3000)

    sender.connection.send(bytes)

    expect(Buffer.compare(await gathered.has(bytes.byteLength), bytes)).toBe(0)
  })

  it('sends text in fewer bytes than were written', async () => {
    const [sender, receiver] = compressedPair(codec)
    const gathered = gather(receiver.connection)
    const bytes = text(MIB)

    await write(sender.connection, [bytes])
    await gathered.has(MIB)

    expect(sender.traffic.sent.raw).toBe(MIB)
    expect(sender.traffic.sent.compressed).toBeLessThan(0.65 * MIB)
    expect(receiver.traffic.received).toEqual(sender.traffic.sent)
  })

  it('sends incompressible bytes with hardly any overhead', async () => {
    const [sender, receiver] = compressedPair(codec)
    const gathered = gather(receiver.connection)

    await write(sender.connection, [noise(4 * MIB)])
    await gathered.has(4 * MIB)

    expect(sender.traffic.sent.compressed).toBeLessThan(1.001 * 4 * MIB)
  })

  it('compresses again when text follows incompressible bytes', async () => {
    const [sender, receiver] = compressedPair(codec)
    const gathered = gather(receiver.connection)

    await write(sender.connection, [noise(2 * MIB)])
    await gathered.has(2 * MIB)
    const before = sender.traffic.sent.compressed
    await write(sender.connection, [text(8 * MIB)])
    await gathered.has(10 * MIB)

    expect(sender.traffic.sent.compressed - before).toBeLessThan(0.75 * 8 * MIB)
  })

  it('sends zeros that its receiver does not take for a bomb', { tags: 'slow' }, async () => {
    const [sender, receiver] = compressedPair(codec)
    const gathered = gather(receiver.connection)

    await write(sender.connection, [new Uint8Array(16 * MIB)])

    expect((await gathered.has(16 * MIB)).every(byte => byte === 0)).toBe(true)
    expect(sender.traffic.sent.compressed).toBeLessThan(0.01 * 16 * MIB)
  })

  it('delivers everything that was written before it was closed', async () => {
    const [sender, receiver] = compressedPair(codec)
    const gathered = gather(receiver.connection)
    const bytes = text(300_000)

    sender.connection.send(bytes)
    await sender.connection.close()

    expect(await gathered.closed).toBeUndefined()
    expect(Buffer.compare(gathered.bytes(), bytes)).toBe(0)
    expect(sender.connection.status).toBe('closed')
  })

  it('resets the other side when it is aborted', async () => {
    const [sender, receiver] = compressedPair(codec)
    const gathered = gather(receiver.connection)
    const own = gather(sender.connection)
    const reason = new Error('enough')

    sender.connection.send(text(100_000))
    sender.connection.abort(reason)

    expect(await own.closed).toBe(reason)
    expect(await gathered.closed).toMatchObject({ name: 'StreamResetError' })
    expect(receiver.connection.status).toBe('reset')
  })

  it('delivers nothing while it is paused, and everything once it resumes', async () => {
    const [sender, receiver] = compressedPair(codec)
    const gathered = gather(receiver.connection)
    const bytes = text(200_000)

    receiver.connection.pause()
    sender.connection.send(bytes)
    await sender.connection.flush()
    await setImmediate()
    expect(gathered.bytes()).toHaveLength(0)

    receiver.connection.resume()
    expect(Buffer.compare(await gathered.has(bytes.byteLength), bytes)).toBe(0)
  })

  it('makes writers wait while the other side is paused, and limits its buffers', async () => {
    const [sender, receiver] = compressedPair(codec)
    receiver.connection.pause()
    let written = 0

    // write until the writer has to wait and no drain follows
    for (const drained = { value: true }; drained.value;) {
      drained.value = sender.connection.send(noise(MIB / 4, written + 1))
      written += MIB / 4
      sender.connection.addEventListener('drain', () => { drained.value = true }, { once: true })

      for (let turns = 0; !drained.value && turns < 200; turns++) {
        await setImmediate()
      }
    }

    expect(written).toBeLessThan(4 * MIB)
    expect(receiver.connection.readBufferLength + receiver.inner.readBufferLength).toBeLessThan(2 * MIB)

    const gathered = gather(receiver.connection)
    receiver.connection.resume()
    expect(await gathered.has(written)).toHaveLength(written)
  })
})

describe('a connection whose sides compress with different codecs', () => {
  it.each(
    CODECS.flatMap(([name, codec]) => CODECS.map(([other, otherCodec]) => [name, other, codec, otherCodec] as const))
  )('carries %s one way and %s the other', async (_, __, codec, other) => {
    const [one, two] = compressedPair(codec, other)
    const [back, there] = [gather(one.connection), gather(two.connection)]
    const bytes = text(100_000)

    one.connection.send(bytes)
    two.connection.send(bytes)

    expect(Buffer.compare(await there.has(bytes.byteLength), bytes)).toBe(0)
    expect(Buffer.compare(await back.has(bytes.byteLength), bytes)).toBe(0)
  })
})

describe('a compressed connection', () => {
  it('sends messages immediately if they are too small to compress', () => {
    const [sender] = compressedPair(CODECS[0][1])

    sender.connection.send(text(20))

    expect(sender.traffic.sent).toEqual({ raw: 20, compressed: 24 })
  })

  it('compresses repetitions of earlier messages', async () => {
    const [sender, receiver] = compressedPair(CODECS[0][1])
    const gathered = gather(receiver.connection)
    const bytes = noise(10_000)

    sender.connection.send(bytes)
    await gathered.has(10_000)
    sender.connection.send(bytes)
    await gathered.has(20_000)

    expect(sender.traffic.sent.compressed).toBeLessThan(10_200)
  })

  it('rejects an aborted flush, and still sends what was written', async () => {
    const [sender, receiver] = compressedPair(CODECS[0][1])
    const gathered = gather(receiver.connection)
    const controller = new AbortController()

    sender.connection.send(text(100_000))
    const flushing = sender.connection.flush({ signal: controller.signal })
    controller.abort()

    await expect(flushing).rejects.toMatchObject({ name: 'AbortError' })
    expect(await gathered.has(100_000)).toHaveLength(100_000)
  })

  it('resolves a pending flush when it is aborted', async () => {
    const [sender] = compressedPair(CODECS[0][1])

    sender.connection.send(text(100_000))
    const flushing = sender.connection.flush()
    sender.connection.abort(new Error('enough'))

    await expect(flushing).resolves.toBeUndefined()
  })
})
