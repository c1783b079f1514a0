import { allCodecs } from '@ipfsz/codecs/all'
import { zstd } from '@ipfsz/codecs/zstd'
import { collectBytes } from '@ipfsz/utils/bytes'
import { MemoryBlockstore } from 'blockstore-core'
import { MemoryDatastore } from 'datastore-core'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { ipfsz } from '../src/index.ts'
import { isMarked, mark, unmark } from '../src/marker.ts'
import { createSmallFileDecoder } from '../src/small-files.ts'
import { ipfsz as withCodecs } from '../src/with-codecs.ts'
import { collect, getBlock, noise, text } from './fixtures.ts'
import { CONTENTS, contents, metadatas, options } from './small-fixtures.ts'
import type { DecodedFile, FileMarker, SmallFileDecoder } from '../src/small-files.ts'
import type { AddOptions, CatOptions } from '../src/unixfs.ts'
import type { Codec } from '@ipfsz/codecs'

const KIB = 1024

async function create (): Promise<SmallFileDecoder> {
  return await createSmallFileDecoder() as SmallFileDecoder
}

interface Stored {
  blockstore: MemoryBlockstore
  /** As `addAll` returns it. */
  cid: CID
  root: Uint8Array
}

async function add (content: Uint8Array, given: object = {}): Promise<Stored> {
  const blockstore = new MemoryBlockstore()
  const [{ cid }] = await Array.fromAsync(ipfsz({ blockstore }).addAll([{ path: 'file', content, ...given }], given))

  return { blockstore, cid, root: await getBlock(unmark(cid), blockstore) }
}

/** The blocks of a store, at once. */
async function readAll (blockstore: MemoryBlockstore): Promise<(cid: Uint8Array) => Uint8Array | undefined> {
  const blocks = new Map<string, Uint8Array>()

  for await (const { cid, bytes } of blockstore.getAll()) {
    blocks.set(Buffer.from(cid.multihash.bytes).toString('hex'), await collectBytes(bytes))
  }

  return cid => blocks.get(Buffer.from(CID.decode(cid).multihash.bytes).toString('hex'))
}

async function decode (
  decoder: SmallFileDecoder,
  { blockstore, cid, root }: Stored,
  marker: FileMarker = isMarked(cid) ? cid.code : 'plain'
): Promise<DecodedFile | undefined> {
  return decoder.decode(unmark(cid).bytes, root, marker, await readAll(blockstore))
}

/** The same file with another root. */
async function withRoot (stored: Stored, root: Uint8Array): Promise<Stored> {
  const { cid } = stored
  const plain = CID.createV1(unmark(cid).code, await sha256.digest(root))
  const blockstore = new MemoryBlockstore()

  for await (const { cid, bytes } of stored.blockstore.getAll()) {
    await blockstore.put(cid, await collectBytes(bytes))
  }

  await blockstore.put(plain, root)

  return { blockstore, cid: isMarked(cid) ? mark(plain, cid.code) : plain, root }
}

describe('createSmallFileDecoder', () => {
  it('decodes what addAll stores', { tags: 'slow' }, async () => {
    const decoder = await create()
    let decoded = 0

    await fc.assert(fc.asyncProperty(contents, options, metadatas, async ({ kind, size, seed }, given, metadata) => {
      const bytes = CONTENTS[kind](size, seed)
      const stored = await add(bytes, { ...given, ...metadata })

      for (const marker of [isMarked(stored.cid) ? stored.cid.code : 'plain', 'in-tree'] as const) {
        const file = await decode(decoder, stored, marker)

        if (file != null) {
          decoded++
          expect(Buffer.compare(file.bytes, bytes)).toBe(0)
          expect(file.frameLength == null).toBe(!isMarked(stored.cid))
          expect((file.mode ?? 0o644) & 0xfff).toBe((metadata.mode ?? 0o644) & 0xfff)
          expect(file.mtime).toEqual(metadata.mtime)
        }
      }
    }), { numRuns: 300 })

    // not those of several frames or leaves, and of before 1970
    expect(decoded).toBeGreaterThan(350)
  })

  it('decodes files with filters, in leaves, and with nothing in them', async () => {
    const decoder = await create()

    for (const bytes of [CONTENTS.numbers(50_000, 1), text(260_000), new Uint8Array(0), noise(KIB * KIB)]) {
      expect((await decode(decoder, await add(bytes)))?.bytes).toEqual(bytes)
    }
  })

  it('reads of any root what cat reads, or leaves it to cat', { tags: 'slow' }, async () => {
    const decoder = await create()
    const files = [
      await add(text(500)),
      await add(text(500), { mode: 0o600, mtime: { secs: 5n, nsecs: 6 } }),
      await add(text(30), { mode: 0o700 }),
      await add(CONTENTS.numbers(20_000, 1)), await add(noise(1000), { compression: { detect: false } }),
      await add(noise(80_000), { compression: { detect: false } })
    ]
    const edits = fc.array(fc.record({
      at: fc.oneof(fc.nat({ max: 80 }), fc.integer({ min: -60, max: -1 })),
      remove: fc.nat({ max: 3 }),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        // fields: a mode, an mtime, sizes, a header, data
        fc.constantFrom('3801', '420208', '1801', '2001', 'aa5a00', '0a00', '1200', '0802')
          .map(hex => Buffer.from(hex, 'hex'))
      )
    }), { minLength: 1, maxLength: 3 })
    let decoded = 0

    await fc.assert(fc.asyncProperty(fc.constantFrom(...files), edits, async (file, edits) => {
      let root = file.root

      for (const { at, remove, insert } of edits) {
        const position = Math.min(at < 0 ? Math.max(0, root.byteLength + at) : at, root.byteLength)
        root = Buffer.concat([root.subarray(0, position), insert, root.subarray(position + remove)])
      }

      const edited = await withRoot(file, root)

      for (const cid of [edited.cid, unmark(edited.cid)]) {
        const read = await decode(decoder, { ...edited, cid })

        if (read != null) {
          decoded++
          const fs = ipfsz({ blockstore: edited.blockstore })
          expect(Buffer.compare(await collect(fs.cat(cid)), read.bytes)).toBe(0)
          await fs.verify(cid)
          const { unixfs, mtime } = await fs.stat(cid)
          expect(read.mode ?? 0o644).toBe(unixfs?.mode)
          expect(read.mtime).toEqual(mtime)
        }
      }
    }), { numRuns: 1000 })

    expect(decoded).toBeGreaterThan(10)
  })

  it('leaves damaged and missing blocks to cat', async () => {
    const decoder = await create()
    const stored = await add(text(260_000))
    const { cid, root } = stored
    const getLeaf = await readAll(stored.blockstore)
    const plain = unmark(cid).bytes
    const damaged = (cid: Uint8Array): Uint8Array | undefined => getLeaf(cid)?.with(1000, 0)

    expect(decoder.decode(plain, root, cid.code, getLeaf)).toBeDefined()
    expect(decoder.decode(plain, root.with(5, 0), cid.code, getLeaf)).toBeUndefined()
    expect(decoder.decode(plain, root, cid.code, damaged)).toBeUndefined()
    expect(decoder.decode(plain, root, cid.code, () => undefined)).toBeUndefined()
    expect(decoder.decode(plain.with(3, 31), root, cid.code, getLeaf)).toBeUndefined()
    expect(decoder.decode(plain.subarray(0, 35), root, cid.code, getLeaf)).toBeUndefined()
  })

  it('leaves a frame to cat that does not decode, and decodes the next file', async () => {
    const decoder = await create()
    const stored = await add(text(5000))

    for (let at = 30; at < stored.root.byteLength; at += 97) {
      const file = await withRoot(stored, stored.root.with(at, stored.root[at] ^ 0xff))
      const read = await decode(decoder, file)

      if (read != null) {
        expect(read.bytes).toEqual(new Uint8Array(await collect(ipfsz({ blockstore: file.blockstore }).cat(file.cid))))
      }

      expect((await decode(decoder, stored))?.bytes).toEqual(text(5000))
    }
  })

  it.each<[string, AddOptions, Uint8Array]>([
    ['several frames', {}, text(5 * KIB * KIB)],
    ['several leaves', { compression: { codec: 'none' } }, text(1025 * KIB)],
    ['another codec', { compression: { codec: 'gzip' } }, text(1000)],
    ['cuts by content', { compression: { cut: 'content' } }, text(300_000)],
    ['a link', { link: true }, text(1000)]
  ])('leaves a file with %s to cat', async (_, given, bytes) => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
    const [{ cid }] = await Array.fromAsync(fs.addAll([{ path: 'file', content: bytes }], given))
    const root = await getBlock(unmark(cid), blockstore)

    expect(await decode(await create(), { blockstore, cid, root })).toBeUndefined()
  })

  it('leaves a compressed file to cat that is read as it is stored, and a stream of another tool', async () => {
    const decoder = await create()
    const stored = await add(text(1000))
    const stream = await add(text(1000), { compression: { codec: 'none' }, mode: 0o600 })

    expect(await decode(decoder, stored, 'plain')).toBeUndefined()
    expect(await decode(decoder, stored, mark(unmark(stored.cid), 'gzip').code)).toBeUndefined()
    expect(await decode(decoder, stream, mark(unmark(stored.cid), 'zstd').code)).toBeUndefined()
    expect(await decode(decoder, stream, 'in-tree')).toBeDefined()
  })

  it('needs native zstd', async () => {
    expect(await createSmallFileDecoder({ codecs: [zstd({ deterministic: true })] })).toBeUndefined()
    expect(await createSmallFileDecoder({ codecs: allCodecs() })).toBeDefined()
  })
})

/** What cat returns and reports, or throws. */
async function readWith (codec: Codec, { blockstore, cid }: Stored, range: CatOptions): Promise<unknown[]> {
  const events: unknown[] = []
  const onProgress: CatOptions['onProgress'] = ({ type, detail }) => { events.push([type, detail]) }

  try {
    const fs = withCodecs({ blockstore }, { codecs: [codec] })

    return [Buffer.from(await collect(fs.cat(cid, { ...range, onProgress }))).toString('base64'), events]
  } catch (err) {
    return [(err as Error).name, events]
  }
}

describe('cat, of a small file', () => {
  it('returns and reports at once what it does with a codec that takes its time', async () => {
    const codec = zstd()
    await codec.decompress(await codec.compress(text(10)), { size: 10 })
    const { decompressSync: _, ...rest } = codec
    const slow: Codec = { ...rest, implementation: 'native' }
    const small = await add(text(5000))
    const files = [
      small, await add(text(64 * KIB - 1)), await add(text(64 * KIB)), await add(text(100 * KIB)),
      await add(noise(500)),
      await add(CONTENTS.numbers(20_000, 1)), await withRoot(small, small.root.with(40, small.root[40] ^ 0xff))
    ]

    for (const file of files) {
      for (const range of [{}, { offset: 100, length: 50 }, { offset: 300 }, { length: 0 }]) {
        expect(await readWith(codec, file, range), JSON.stringify(range)).toEqual(await readWith(slow, file, range))
      }
    }
  })
})
