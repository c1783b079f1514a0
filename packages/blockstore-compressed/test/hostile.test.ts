import { CODES } from '@ipfsz/codecs'
import { codecs } from '@ipfsz/codecs/all'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { from } from 'multiformats/hashes/hasher'
import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { IDENTITY_CODE, MAX_ORDINARY_BLOCKS } from '../src/constants.ts'
import { encodeEnvelope } from '../src/value/envelope.ts'
import { CompressedBlockstore } from '../src/index.ts'
import { OrdinaryBlocks } from '../src/value/ordinary-blocks.ts'
import { cidOf, failure, readBlock } from './fixtures.ts'
import type { CompressedBlockstoreInit, Verify } from '../src/index.ts'
import type { CodecName } from '@ipfsz/codecs'

const VERIFY: Verify[] = ['hash', 'length', 'none']
const NAMES = Object.keys(codecs) as CodecName[]
const BYTES = text(3000)

/** A store whose inner store has a value under a CID. */
async function withValue (cid: CID, value: Uint8Array, init?: CompressedBlockstoreInit): Promise<CompressedBlockstore> {
  const inner = new MemoryBlockstore()
  await inner.put(cid, value)

  return new CompressedBlockstore(inner, init)
}

async function makeEnvelope (
  bytes: Uint8Array,
  codec: CodecName = 'zstd',
  size = bytes.byteLength
): Promise<Uint8Array> {
  return encodeEnvelope({ code: CODES[codec], size, payload: await codecs[codec]().compress(bytes) })
}

/** The number of bytes hashed by each of several reads of a block. */
async function hashedBytes (
  value: Uint8Array,
  init: CompressedBlockstoreInit,
  times = 1,
  block = BYTES
): Promise<number[]> {
  const hashed: number[] = []
  const counting = from({
    name: sha256.name,
    code: sha256.code,
    encode: async bytes => (hashed.push(bytes.byteLength), (await sha256.digest(bytes)).digest)
  })
  const cid = await cidOf(block)
  const store = await withValue(cid, value, { ...init, hashers: [counting] })

  for (let i = 0; i < times; i++) {
    expect(await readBlock(store, cid)).toEqual(block)
  }

  return hashed
}

describe.each(NAMES)('a value compressed with %s', codec => {
  it.each(VERIFY)('is refused if it is cut short, with verify %s', async verify => {
    const cid = await cidOf(BYTES)
    const value = await makeEnvelope(BYTES, codec)

    for (let length = 0; length < value.byteLength; length += length < 32 ? 1 : 37) {
      const store = await withValue(cid, value.subarray(0, length), { verify })

      await expect(readBlock(store, cid)).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
    }
  })

  it('is refused, or decodes to the block, if a bit is flipped', { tags: 'slow' }, async () => {
    const cid = await cidOf(BYTES)
    const value = await makeEnvelope(BYTES, codec)

    for (let bit = 0; bit < value.byteLength * 8; bit += bit < 400 ? 1 : 61) {
      const flipped = value.slice()
      flipped[bit >> 3] ^= 1 << (bit & 7)
      const store = await withValue(cid, flipped)

      try {
        // some bits of frames have no meaning
        expect(await readBlock(store, cid)).toEqual(BYTES)
      } catch (err) {
        expect(err)
          .toMatchObject({ name: expect.stringMatching(/^(CorruptBlock|UnsupportedCodec|BlockTooLarge)Error$/), cid })
      }
    }
  })

  it.each(VERIFY)('is refused if it decodes to more or less than its length says, with verify %s', async verify => {
    const cid = await cidOf(BYTES)

    for (const size of [0, 1, 2999, 3001, 16 * 1024 * 1024]) {
      const store = await withValue(cid, await makeEnvelope(BYTES, codec, size), { verify })

      await expect(readBlock(store, cid))
        .rejects.toMatchObject({ name: 'CorruptBlockError', cid, cause: { name: 'CorruptFrameError' } })
    }
  })

  it('is refused if it is a bomb of 16 MiB that claims 100 bytes', async () => {
    const cid = await cidOf(BYTES)
    const bomb = await makeEnvelope(new Uint8Array(16 * 1024 * 1024), codec, 100)

    await expect(readBlock(await withValue(cid, bomb), cid)).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })
})

describe.each(['length', 'none'] as const)('a store with verify %s', verify => {
  it.each(NAMES)('hashes a value compressed with %s only on the first read of its block', async codec => {
    const value = await makeEnvelope(BYTES, codec)

    expect(await hashedBytes(value, { verify })).toEqual([value.byteLength])
    expect(await hashedBytes(value, { verify }, 3)).toEqual([value.byteLength])
    expect(await hashedBytes(value, { verify: 'hash' }, 2)).toEqual([BYTES.byteLength, BYTES.byteLength])
  })

  it('hashes the stored value on every read if the block begins like an envelope', async () => {
    const envelope = await makeEnvelope(BYTES)
    const wrapped = encodeEnvelope({ code: IDENTITY_CODE, size: envelope.byteLength, payload: envelope })

    expect(await hashedBytes(envelope, { verify }, 3, envelope))
      .toEqual(Array.from({ length: 3 }, () => envelope.byteLength))
    expect(await hashedBytes(wrapped, { verify }, 3, envelope))
      .toEqual(Array.from({ length: 3 }, () => wrapped.byteLength))
  })

  it('reads plain blocks that begin like an envelope, or are a whole one', async () => {
    const envelope = await makeEnvelope(BYTES)

    for (
      const block of [
        envelope,
        envelope.subarray(0, 4),
        envelope.subarray(0, 100),
        Buffer.concat([envelope, noise(1)]),
        encodeEnvelope({ code: IDENTITY_CODE, size: 3000, payload: BYTES })
      ]
    ) {
      const cid = await cidOf(block)
      const store = await withValue(cid, block, { verify })

      expect(await readBlock(store, cid)).toEqual(new Uint8Array(block))
      expect(await readBlock(store, cid)).toEqual(new Uint8Array(block))
    }
  })

  it('reads a remembered block, however it has been re-encoded since', async () => {
    const cid = await cidOf(BYTES)
    const store = await withValue(cid, await makeEnvelope(BYTES), { verify })

    for (
      const value of [
        BYTES,
        await makeEnvelope(BYTES, 'gzip'),
        encodeEnvelope({ code: IDENTITY_CODE, size: 3000, payload: BYTES })
      ]
    ) {
      expect(await readBlock(store, cid)).toEqual(BYTES)
      await store.unwrap().put(cid, value)
    }

    expect(await readBlock(store, cid)).toEqual(BYTES)
  })

  it('refuses a damaged envelope of a remembered block, and passes on an AbortError', async () => {
    const cid = await cidOf(BYTES)
    const value = await makeEnvelope(BYTES)
    const store = await withValue(cid, value, { verify })
    const signal = AbortSignal.abort()

    expect(await readBlock(store, cid)).toEqual(BYTES)
    await store.unwrap().put(cid, value.subarray(0, -1))
    expect(await failure(async () => readBlock(store, cid)))
      .toMatchObject({ name: 'CorruptBlockError', cid, cause: { name: 'CorruptFrameError' } })
    expect(await failure(async () => Array.fromAsync(store.get(cid, { signal })))).toBe(signal.reason)
  })
})

describe('the blocks that a store remembers', () => {
  it('are limited in number, and the oldest is forgotten first', async () => {
    const blocks = new OrdinaryBlocks()
    const cids = await Promise.all(
      Array.from({ length: MAX_ORDINARY_BLOCKS + 1 }, async (_, i) => cidOf(new TextEncoder().encode(String(i))))
    )
    const known = (): boolean[] =>
      [cids[0], cids[1], cids[MAX_ORDINARY_BLOCKS - 1], cids[MAX_ORDINARY_BLOCKS]].map(cid => blocks.has(cid))

    cids.slice(0, -1).forEach(cid => { blocks.add(cid) })
    expect(known()).toEqual([true, true, true, false])
    blocks.add(cids[MAX_ORDINARY_BLOCKS])
    expect(known()).toEqual([false, true, true, true])
  })

  it('are known under every CID with their multihash, unless the digest is too long to remember', async () => {
    const blocks = new OrdinaryBlocks()
    const cid = await cidOf(BYTES)
    const long = CID.createV1(cid.code, identity.digest(BYTES))

    blocks.add(cid)
    blocks.add(long)
    expect(blocks.has(CID.createV1(0x70, cid.multihash))).toBe(true)
    expect(blocks.has(long)).toBe(false)
  })
})

describe('a stored value', () => {
  it.each(VERIFY)('is refused if it claims more than maxBlockSize, with verify %s', async verify => {
    const cid = await cidOf(BYTES)

    for (const [code, size] of [[CODES.zstd, 16 * 1024 * 1024 + 1], [CODES.zstd, 2 ** 40], [IDENTITY_CODE, 2 ** 40]]) {
      const store = await withValue(cid, encodeEnvelope({ code, size, payload: noise(10) }), { verify })

      expect(await failure(async () => readBlock(store, cid)))
        .toMatchObject({ name: 'BlockTooLargeError', cid, size, max: 16 * 1024 * 1024 })
    }
  })

  it.each(VERIFY)('is refused if it claims more than a frame has, below maxBlockSize, verify %s', async verify => {
    const cid = await cidOf(BYTES)
    const size = 16 * 1024 * 1024 + 1
    const value = encodeEnvelope({ code: CODES.zstd, size, payload: noise(10) })
    const store = await withValue(cid, value, { verify, maxBlockSize: 2 * size })

    expect(await failure(async () => readBlock(store, cid)))
      .toMatchObject({ name: 'BlockTooLargeError', cid, size, max: size - 1 })
  })

  it('is refused as soon as more than maxBlockSize bytes have been read', async () => {
    const inner = new MemoryBlockstore()
    const cid = await cidOf(BYTES)
    let taken = 0
    // never ends
    inner.get = function * () {
      for (;;) {
        taken++
        yield new Uint8Array(1024)
      }
    }

    await expect(readBlock(new CompressedBlockstore(inner, { maxBlockSize: 10_240 }), cid))
      .rejects.toMatchObject({ name: 'BlockTooLargeError', cid, max: 10_240 })
    expect(taken).toBe(11)
  })

  it.each(VERIFY)('is refused if its codec is unknown, with verify %s', async verify => {
    const cid = await cidOf(BYTES)

    for (const code of [0x3f5a00, 0x3f5a07, 0x3f5a0e]) {
      const store = await withValue(cid, encodeEnvelope({ code, size: 3000, payload: BYTES }), { verify })

      await expect(readBlock(store, cid)).rejects.toMatchObject({ name: 'UnsupportedCodecError', cid, code })
    }
  })

  it('is refused if it holds another block, compressed or not', async () => {
    const cid = await cidOf(BYTES)

    for (
      const value of [
        text(3000, 2),
        await makeEnvelope(text(3000, 2)),
        encodeEnvelope({ code: IDENTITY_CODE, size: 3000, payload: text(3000, 2) })
      ]
    ) {
      await expect(readBlock(await withValue(cid, value), cid))
        .rejects.toMatchObject({ name: 'CorruptBlockError', cid })
    }
  })

  it.each(
    ['hash', 'length'] as const
  )('is refused if it is wrapped uncompressed with a wrong length, with verify %s', async verify => {
    const cid = await cidOf(BYTES)
    const store = await withValue(cid, encodeEnvelope({ code: IDENTITY_CODE, size: 2999, payload: BYTES }), { verify })

    await expect(readBlock(store, cid)).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })
})

describe.each(VERIFY)('with verify %s, a block that begins like an envelope', verify => {
  it.each([
    ['is nothing but a marker code', async () => Uint8Array.of(0x85, 0xb4, 0xfd, 0x01)],
    ['is half a marker code', async () => Uint8Array.of(0x85, 0xb4)],
    ['is empty', async () => new Uint8Array(0)],
    ['continues with noise', async () => Buffer.concat([Uint8Array.of(0x85, 0xb4, 0xfd, 0x01), noise(1000)])],
    ['has an unknown code', async () => encodeEnvelope({ code: 0x3f5a09, size: 5, payload: noise(5) })],
    ['claims 32 TiB', async () => encodeEnvelope({ code: CODES.zstd, size: 2 ** 45, payload: noise(5) })],
    ['is a whole zstd envelope of other bytes', async () => makeEnvelope(BYTES)],
    [
      'is a whole identity envelope of other bytes',
      async () => encodeEnvelope({ code: IDENTITY_CODE, size: 3000, payload: BYTES })
    ]
  ])('is read unchanged if it %s, put by this store or stored plain before', async (_, make) => {
    const bytes = new Uint8Array(await make())
    const cid = await cidOf(bytes)
    const before = await withValue(cid, bytes, { verify })
    const store = new CompressedBlockstore(new MemoryBlockstore(), { verify, minSize: 0 })
    await store.put(cid, bytes)

    expect(await readBlock(before, cid)).toEqual(bytes)
    expect(await readBlock(store, cid)).toEqual(bytes)
  })

  it('is wrapped with ipfsz-identity when it is put', async () => {
    const bytes = encodeEnvelope({ code: 0x3f5a00, size: 9, payload: noise(9) })
    const cid = await cidOf(bytes)
    const inner = new MemoryBlockstore()

    await new CompressedBlockstore(inner, { verify }).put(cid, bytes)

    expect(Buffer.from(await readBlock(inner, cid)).toString('hex')).toBe(
      `8fb4fd010e${Buffer.from(bytes).toString('hex')}`
    )
  })
})

describe('a CID', () => {
  const reversed = from({
    name: 'reversed',
    code: 0x300001,
    encode: async bytes => new Uint8Array((await sha256.digest(bytes)).digest.toReversed())
  })

  it.each([['sha2-512', sha512], ['identity', identity]])('with a %s hash is verified like one with sha2-256', async (
    _,
    hasher
  ) => {
    const cid = CID.createV1(0x55, await hasher.digest(BYTES))
    const store = new CompressedBlockstore(new MemoryBlockstore())
    await store.put(cid, BYTES)

    expect(await readBlock(store, cid)).toEqual(BYTES)
    await expect(readBlock(await withValue(cid, text(3000, 2)), cid))
      .rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })

  it('with a digest truncated to 20 bytes is verified by those', async () => {
    const cid = CID.createV1(0x55, await sha256.digest(BYTES, { truncate: 20 }))
    const store = await withValue(cid, await makeEnvelope(BYTES))

    expect(await readBlock(store, cid)).toEqual(BYTES)
    await expect(readBlock(await withValue(cid, text(3000, 2)), cid))
      .rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })

  it('with a hash function from `hashers` is verified', async () => {
    const cid = CID.createV1(0x55, await reversed.digest(BYTES))
    const store = new CompressedBlockstore(new MemoryBlockstore(), { hashers: [reversed] })
    await store.put(cid, BYTES)

    expect(await readBlock(store, cid)).toEqual(BYTES)
    expect((await readBlock(store.unwrap(), cid)).byteLength).toBeLessThan(3000)
    await expect(readBlock(await withValue(cid, text(3000, 2), { hashers: [reversed] }), cid))
      .rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })

  it.each([
    ['with an unknown hash function', 'UnknownHashError', async () => reversed.digest(BYTES)],
    [
      'with a digest of 8 bytes',
      'DigestLengthError',
      async () => Digest.create(0x12, (await sha256.digest(BYTES)).digest.subarray(0, 8))
    ],
    [
      'with a digest longer than that of its hash function',
      'CorruptBlockError',
      async () => Digest.create(0x12, noise(40))
    ]
  ])('%s is refused with %s', async (_, error, makeDigest) => {
    const cid = CID.createV1(0x55, await makeDigest())
    const expected = { name: error, cid }

    await expect(readBlock(await withValue(cid, BYTES), cid)).rejects.toMatchObject(expected)
    await expect(readBlock(await withValue(cid, await makeEnvelope(BYTES)), cid)).rejects.toMatchObject(expected)
  })

  it('with an unknown hash function is refused by put, since get could not verify the block', async () => {
    const cid = CID.createV1(0x55, await reversed.digest(BYTES))
    const store = new CompressedBlockstore(new MemoryBlockstore())

    await expect(store.put(cid, BYTES)).rejects.toMatchObject({ name: 'UnknownHashError', cid, code: 0x300001 })
    expect(await store.has(cid)).toBe(false)
  })

  it.each(
    ['length', 'none'] as const
  )('with an unknown hash function is stored plain with verify %s, unless it begins like an envelope', async verify => {
    const cid = CID.createV1(0x55, await reversed.digest(BYTES))
    const store = new CompressedBlockstore(new MemoryBlockstore(), { verify })

    for (const bytes of [BYTES, new Uint8Array(0), Uint8Array.of(0x85, 0xb4)]) {
      await store.put(cid, bytes)
      expect(await readBlock(store, cid)).toEqual(bytes)
      expect(await readBlock(store.unwrap(), cid)).toEqual(bytes)
    }

    // only a hash could tell later whether this is an envelope or a plain block
    await expect(store.put(cid, await makeEnvelope(BYTES))).rejects.toMatchObject({ name: 'UnknownHashError', cid })
    await expect(readBlock(await withValue(cid, await makeEnvelope(BYTES), { verify }), cid))
      .rejects.toMatchObject({ name: 'UnknownHashError', cid })
  })
})

describe('put', () => {
  it('refuses more than maxBlockSize bytes, and closes its source', async () => {
    const cid = await cidOf(BYTES)
    const store = new CompressedBlockstore(new MemoryBlockstore(), { maxBlockSize: 1000 })
    let closed = false

    await expect(store.put(cid, BYTES))
      .rejects.toMatchObject({ name: 'BlockTooLargeError', cid, size: 3000, max: 1000 })
    await expect(store.put(cid, (async function * () {
      try {
        for (;;) {
          yield new Uint8Array(100)
        }
      } finally {
        closed = true
      }
    })())).rejects.toMatchObject({ name: 'BlockTooLargeError', cid, size: 1100, max: 1000 })
    expect(closed).toBe(true)
    expect(await store.has(cid)).toBe(false)
  })
})

describe('a put of an endless stream of empty chunks', () => {
  it('rejects when its signal is aborted', async () => {
    const controller = new AbortController()
    const store = new CompressedBlockstore(new MemoryBlockstore())
    const cid = await cidOf(BYTES)

    setTimeout(() => { controller.abort() }, 0)

    const endless = (function * () {
      while (true) {
        yield new Uint8Array(0)
      }
    })()

    await expect(store.put(cid, endless, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('large blocks', () => {
  const BLOCKS = [text(300_000), noise(300_000)]

  it('are hashed on other threads while several are read', async () => {
    const hash = vi.spyOn(crypto.subtle, 'digest')
    const store = new CompressedBlockstore(new MemoryBlockstore())
    const cids = await Promise.all(BLOCKS.map(async block => store.put(await cidOf(block), block)))

    for (const [i, cid] of cids.entries()) {
      expect(await readBlock(store, cid)).toEqual(BLOCKS[i])
    }

    expect(hash).not.toHaveBeenCalled()
    expect(await Promise.all(cids.map(async cid => readBlock(store, cid)))).toEqual(BLOCKS)
    expect(hash).toHaveBeenCalled()
    hash.mockRestore()
  })

  it('are refused there too if they do not match', async () => {
    const inner = new MemoryBlockstore()
    const store = new CompressedBlockstore(inner)
    const cids = await Promise.all(['a', 'b'].map(async other => cidOf(new TextEncoder().encode(other))))
    await inner.put(cids[0], await makeEnvelope(BLOCKS[0]))
    await inner.put(cids[1], BLOCKS[1])

    await Promise.all(cids.map(async cid => expect(readBlock(store, cid))
      .rejects.toMatchObject({ name: 'CorruptBlockError', cid })))
  })

  it('are hashed by the hasher of the caller, if there is one', async () => {
    let hashed = 0
    const counting = from({
      name: sha256.name,
      code: sha256.code,
      encode: async bytes => (hashed++, (await sha256.digest(bytes)).digest)
    })
    const store = new CompressedBlockstore(new MemoryBlockstore(), { hashers: [counting] })
    const cids = await Promise.all(BLOCKS.map(async block => store.put(await cidOf(block), block)))

    await Promise.all(cids.map(async cid => readBlock(store, cid)))
    expect(hashed).toBe(2)
  })
})
