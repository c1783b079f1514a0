import zlib from 'node:zlib'
import { multiaddrConnectionPair } from '@libp2p/utils'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { MAX_FRAME_SIZE, MAX_RATIO, RATIO_ALLOWANCE } from '../src/constants.ts'
import { encodeCompressedHeader, encodePadding, encodeStoredHeader, FRAME } from '../src/frames/frame.ts'
import { CODECS, compressed, gather } from './fixtures.ts'
import type { Compressed } from './fixtures.ts'
import type { MessageStream } from '@libp2p/interface'

const [, ZSTD] = CODECS[0]
const { ZSTD_c_windowLog, ZSTD_e_flush, Z_SYNC_FLUSH } = zlib.constants

/** One end that sends raw bytes, and one compressed end. */
function attacked (): {
  attacker: MessageStream
  victim: Compressed
  gathered: ReturnType<typeof gather>
  reset: Promise<Error | undefined>
} {
  const [outbound, inbound] = multiaddrConnectionPair()
  const victim = compressed(inbound, ZSTD)

  return { attacker: outbound, victim, gathered: gather(victim.connection), reset: gather(outbound).closed }
}

function frame (type: number, bytes: Uint8Array, size: number): Uint8Array {
  return Buffer.concat([encodeCompressedHeader(type, bytes.byteLength, size), bytes])
}

function zstdPart (bytes: Uint8Array, options: zlib.ZstdOptions = {}): Uint8Array {
  return zlib.zstdCompressSync(bytes, { finishFlush: ZSTD_e_flush, params: { [ZSTD_c_windowLog]: 20 }, ...options })
}

describe('a compressed connection', () => {
  it.each([
    ['an unknown frame type', Uint8Array.of(9, 0, 0, 1, 0, 0, 1, 0), 'MalformedFrameError'],
    ['a stored frame without bytes', encodeStoredHeader(0), 'MalformedFrameError'],
    ['a compressed frame without bytes', encodeCompressedHeader(FRAME.zstd, 0, 1), 'MalformedFrameError'],
    ['a frame that decodes to nothing', encodeCompressedHeader(FRAME.zstd, 1, 0), 'MalformedFrameError'],
    [
      'a frame that decodes to more than 64 KiB',
      encodeCompressedHeader(FRAME.zstd, 1000, MAX_FRAME_SIZE + 1),
      'MalformedFrameError'
    ],
    [
      'a frame that is far longer than what it decodes to',
      encodeCompressedHeader(FRAME.zstd, 1026, 1),
      'MalformedFrameError'
    ],
    ['padding that is too long', Uint8Array.of(FRAME.padding, 1, 0, 1), 'MalformedFrameError'],
    ['garbage as a zstd frame', frame(FRAME.zstd, noise(100), 100), 'CorruptFrameError'],
    ['garbage as a deflate frame', frame(FRAME.deflate, Uint8Array.of(7, 7, 7, 7), 100), 'CorruptFrameError'],
    ['garbage as an lz4 frame', frame(FRAME.lz4, noise(100), 100), 'CorruptFrameError'],
    ['a zstd frame that decodes to less than it says', frame(FRAME.zstd, zstdPart(text(99)), 100), 'CorruptFrameError'],
    [
      'a deflate frame that decodes to less than it says',
      frame(FRAME.deflate, zlib.deflateRawSync(text(99), { finishFlush: Z_SYNC_FLUSH }), 100),
      'CorruptFrameError'
    ],
    [
      'a zstd window that is too large',
      frame(FRAME.zstd, zstdPart(text(100), { params: { [ZSTD_c_windowLog]: 24 } }), 100),
      'CorruptFrameError'
    ]
  ])('refuses %s, and resets the other side', async (_, bytes, name) => {
    const { attacker, gathered, reset } = attacked()

    attacker.send(bytes)

    expect(await gathered.closed).toMatchObject({ name })
    expect(await reset).toMatchObject({ name: 'StreamResetError' })
    expect(gathered.bytes()).toHaveLength(0)
  })

  it.each([
    ['zstd', FRAME.zstd, zstdPart(new Uint8Array(64 * 1024 * 1024))],
    ['deflate', FRAME.deflate, zlib.deflateRawSync(new Uint8Array(1024 * 1024), { finishFlush: Z_SYNC_FLUSH })]
  ])('refuses a %s bomb that claims to be small', async (_, type, bomb) => {
    const { attacker, gathered } = attacked()
    // the largest allowed expansion
    attacker.send(frame(type, bomb.subarray(0, 2000), 1000))

    expect(await gathered.closed).toMatchObject({ name: 'CorruptFrameError' })
    expect(gathered.bytes()).toHaveLength(0)
  })

  it('refuses a bomb with honest headers once it exceeds the ratio limit', async () => {
    const { attacker, gathered } = attacked()
    const encoder = ZSTD.createEncoder(1)
    const parts: Uint8Array[] = []

    for (let i = 0; i < 10; i++) {
      parts.push(frame(FRAME.zstd, Buffer.concat(await encoder.encode(new Uint8Array(MAX_FRAME_SIZE))), MAX_FRAME_SIZE))
    }

    encoder.close()
    attacker.send(Buffer.concat(parts))

    expect(await gathered.closed).toMatchObject({ name: 'DecompressionBombError', maxRatio: MAX_RATIO })
    expect(gathered.bytes().byteLength).toBeLessThanOrEqual(RATIO_ALLOWANCE + MAX_RATIO * 100)
  })

  it('refuses a bomb before the rest of its frame has arrived', async () => {
    const { attacker, gathered } = attacked()

    attacker.send(frame(FRAME.zstd, zstdPart(new Uint8Array(MAX_FRAME_SIZE)), MAX_FRAME_SIZE))
    await gathered.has(MAX_FRAME_SIZE)
    attacker.send(encodeCompressedHeader(FRAME.zstd, 10, MAX_FRAME_SIZE))

    expect(await gathered.closed).toMatchObject({ name: 'DecompressionBombError' })
  })

  it('refuses bytes after the end of a zstd frame', async () => {
    const { attacker, gathered } = attacked()

    attacker.send(frame(FRAME.zstd, zlib.zstdCompressSync(text(500)), 500))
    await gathered.has(500)
    attacker.send(frame(FRAME.zstd, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), 500))

    expect(await gathered.closed).toMatchObject({ name: 'CorruptFrameError' })
  })

  it('delivers stored bytes before their frame is complete', async () => {
    const { attacker, gathered } = attacked()

    attacker.send(Buffer.concat([encodeStoredHeader(16_000_000), text(1000)]))

    expect(await gathered.has(1000)).toEqual(text(1000))
  })

  it('ignores padding', async () => {
    const { attacker, gathered } = attacked()

    attacker.send(encodePadding(1000))
    attacker.send(encodePadding(4))
    attacker.send(Buffer.concat([encodeStoredHeader(3), Uint8Array.of(1, 2, 3)]))

    expect(await gathered.has(3)).toEqual(Uint8Array.of(1, 2, 3))
  })

  it('refuses an end within a frame or a header', async () => {
    const good = frame(FRAME.zstd, zstdPart(text(500)), 500)

    for (const [bytes, missing] of [
      [encodeStoredHeader(5), 5],
      [Buffer.concat([encodeStoredHeader(5), Uint8Array.of(1, 2)]), 3],
      [good.subarray(0, 50), good.byteLength - 50],
      [good.subarray(0, 7), good.byteLength - 7],
      [good.subarray(0, 6), undefined],
      [Uint8Array.of(0), undefined]
    ] as const) {
      const { attacker, gathered } = attacked()

      attacker.send(bytes)
      await (attacker as MessageStream & { close (): Promise<void> }).close()

      expect(await gathered.closed).toMatchObject({ name: 'TruncatedFrameError', missing })
    }
  })

  it('delivers the bytes before a refused frame', async () => {
    const { attacker, gathered } = attacked()

    attacker.send(Buffer.concat([frame(FRAME.zstd, zstdPart(text(500)), 500), Uint8Array.of(9, 9, 9, 9, 9, 9, 9)]))

    expect(await gathered.closed).toMatchObject({ name: 'MalformedFrameError', type: 9 })
    expect(gathered.bytes()).toEqual(text(500))
  })

  it('refuses random bytes only with its own errors', async () => {
    const NAMES = ['MalformedFrameError', 'CorruptFrameError', 'DecompressionBombError', 'TruncatedFrameError']

    await fc.assert(fc.asyncProperty(fc.constantFrom(0, 1, 2, 3, 255, 77), fc.uint8Array({
      minLength: 1,
      maxLength: 3000
    }), async (type, bytes) => {
      const { attacker, gathered } = attacked()

      attacker.send(Buffer.concat([Uint8Array.of(type, 0, 0, 200, 0, 1, 44), bytes]))
      await (attacker as MessageStream & { close (): Promise<void> }).close()

      const error = await gathered.closed
      expect(error == null || NAMES.includes(error.name)).toBe(true)
    }), { numRuns: 200 })
  })

  it('refuses a frame with a flipped bit with its own errors, or delivers its full length', {
    tags: 'slow'
  }, async () => {
    const plain = text(20_000)
    const good = frame(FRAME.zstd, zstdPart(plain), plain.byteLength)

    await fc.assert(fc.asyncProperty(fc.nat(good.byteLength - 1), fc.nat(7), async (position, bit) => {
      const { attacker, gathered } = attacked()
      const bad = good.slice()
      bad[position] ^= 1 << bit

      attacker.send(bad)
      await (attacker as MessageStream & { close (): Promise<void> }).close()
      const error = await gathered.closed

      // frames have no checksum, since the encryption has one
      expect(error?.name ?? gathered.bytes().byteLength).toBeOneOf([
        plain.byteLength,
        'MalformedFrameError',
        'CorruptFrameError',
        'TruncatedFrameError',
        'DecompressionBombError'
      ])
    }), { numRuns: 200 })
  })
})
