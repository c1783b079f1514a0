/** @module-tag long */
import { gzip } from '@ipfsz/codecs/gzip'
import { zstd } from '@ipfsz/codecs/zstd'
import fc from 'fast-check'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { isMarked, unmark } from '../src/marker.ts'
import { createSmallFileEncoder } from '../src/small-files.ts'
import { ipfsz } from '../src/with-codecs.ts'
import { run } from '../../../test/support/tools.ts'
import { concat } from '@ipfsz/utils/bytes'
import { chunked, CountingBlockstore, noise, text } from './fixtures.ts'
import { CONTENTS, contents, metadatas, options } from './small-fixtures.ts'
import type { Metadata, SmallFileEncoderInit } from '../src/small-files.ts'
import type { AddOptions } from '../src/unixfs.ts'
import type { Codec } from '@ipfsz/codecs'

const KIB = 1024

/** Prints what the entry loads. */
const LIST_LOADED = `
import { registerHooks } from 'node:module'
registerHooks({ load (url, context, next) { console.info(url); return next(url, context) } })
await import('${new URL('../dist/small-files.js', import.meta.url).href}')
`

/** Without what the encoder needs: files are added in the way that all can be. */
function ordinary (): Codec {
  const { compressSync: _, ...codec } = zstd()

  return { ...codec, implementation: 'native', dictionaries: true }
}

/** What `addAll` stores of one file, and says of it. */
async function addOrdinarily (bytes: Uint8Array, metadata: Metadata, given: object): Promise<Record<string, unknown>> {
  const blockstore = new CountingBlockstore()
  const events: Array<Record<string, unknown>> = []
  const fs = ipfsz({ blockstore }, { codecs: [ordinary()] })
  const [{ cid, size, onlyIpfsz }] = await Array.fromAsync(fs.addAll([{ path: 'file', content: bytes, ...metadata }], {
    ...given as AddOptions,
    onProgress ({ type, detail }) {
      if (type.startsWith('ipfsz:add')) {
        events.push(detail as unknown as Record<string, unknown>)
      }
    }
  }))
  const [{ codec, reason }, frame] = events

  return {
    cid: unmark(cid).toString(),
    marker: isMarked(cid) ? cid.code : undefined,
    blocks: blockstore.puts.toSorted(),
    size: bytes.byteLength,
    dagSize: Number(size),
    codec,
    reason,
    frameLength: frame?.length,
    ...onlyIpfsz === true ? { onlyIpfsz } : {}
  }
}

describe('createSmallFileEncoder', () => {
  it('encodes the blocks that addAll stores', { tags: 'slow' }, async () => {
    let encoded = 0

    await fc.assert(fc.asyncProperty(contents, options, metadatas, async ({ kind, size, seed }, given, metadata) => {
      const bytes = CONTENTS[kind](size, seed)
      const encoder = await createSmallFileEncoder(given)
      const file = encoder?.encode(bytes, metadata) ?? await encoder?.encodeLater(bytes, metadata)

      if (file != null) {
        encoded++
        const { cid, blocks, marker, frameLength, ...told } = file
        expect({
          ...told,
          cid: CID.decode(cid).toString(),
          marker,
          frameLength,
          blocks: Array.from(blocks, ({ cid }) => CID.decode(cid).toString()).toSorted()
        }).toEqual(await addOrdinarily(bytes, metadata, given))
        expect(blocks.at(-1)?.cid).toBe(cid)
        await Promise.all(blocks.map(async ({ cid, bytes }) => {
          expect(CID.decode(cid).multihash.digest).toEqual(
            new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
          )
        }))
      }
    }), { numRuns: 400 })

    expect(encoded).toBeGreaterThan(250)
  })

  it('leaves a binary file to encodeLater', async () => {
    const encoder = await createSmallFileEncoder()
    const jpeg = CONTENTS.jpeg(1000, 1)
    const numbers = CONTENTS.numbers(20_000, 1)

    expect(encoder?.encode(jpeg)).toBeUndefined()
    expect(await encoder?.encodeLater(jpeg)).toMatchObject({ codec: 'none', reason: 'type' })
    expect(encoder?.encode(numbers)).toBeUndefined()
    expect(await encoder?.encodeLater(numbers)).toMatchObject({ codec: 'zstd', reason: 'trial' })
  })

  it('leaves a file that is too large to addAll', async () => {
    const encoder = await createSmallFileEncoder()
    const short = await createSmallFileEncoder({ compression: { frameSize: 64 * KIB } })
    const cut = await createSmallFileEncoder({ compression: { cut: 'content' } })

    expect(encoder?.maxSize).toBe(1024 * KIB - 1)
    expect(short?.maxSize).toBe(64 * KIB - 1)
    expect(cut?.maxSize).toBe(64 * KIB)
    expect(cut?.encode(text(64 * KIB))).toBeDefined()
    expect(encoder?.encode(text(1024 * KIB - 1))).toBeDefined()

    const tooLarge = [[encoder, 1024 * KIB], [short, 64 * KIB], [cut, 65_537]] as const

    for (const [encoderOf, size] of tooLarge) {
      expect(encoderOf?.encode(text(size))).toBeUndefined()
      expect(await encoderOf?.encodeLater(text(size))).toBeUndefined()
    }
  })

  it.each<[string, SmallFileEncoderInit, Metadata, () => Uint8Array]>([
    ['one frame', {}, {}, () => text(1_500_000)],
    ['whole frames', {}, {}, () => text(8 * 1024 * KIB)],
    ['several frames, and part of one', {}, {}, () => text(9_000_001)],
    ['metadata', {}, { mode: 0o755, mtime: { secs: 5n } }, () => text(5_000_000)],
    ['filters', {}, {}, () => CONTENTS.numbers(5_000_000, 1)],
    ['leaves of several blocks', {}, {}, () => concat([noise(2_500_000), text(6_000_000)])],
    ['small frames and leaves', { compression: { frameSize: 64 * KIB, leafSize: 4096 } }, {}, () => text(3_000_000)],
    ['cutting by content', { compression: { cut: 'content' } }, {}, () => text(3_000_000)],
    ['another level', { compression: { level: 5 } }, {}, () => text(5_000_000)],
    ['no detection', { compression: { detect: false } }, {}, () => noise(5_000_000)],
    ['random bytes', {}, {}, () => noise(2_000_000)],
    ['random bytes, and more than one piece', {}, {}, () => concat([noise(6_000_000), text(5_000_000)])],
    ['random bytes, and metadata', {}, { mode: 0o755 }, () => noise(2_000_000)],
    ['many equal blocks', { compression: { detect: false } }, {}, () => new Uint8Array(20_000_000)]
  ])('encodes the blocks of a large file that addAll stores: %s', { timeout: 60_000 }, async (_, given, meta, make) => {
    const bytes = make()
    const encoder = await createSmallFileEncoder(given)
    const blocks = new Set<string>()
    let at = 0

    const file = await encoder?.encodeLarge(target => {
      // as a file may give it
      const part = bytes.subarray(at, at += Math.min(target.byteLength, 1_000_000))
      target.set(part)

      return part.byteLength
    }, meta, async ({ cid, bytes }) => {
      const { multihash: { digest } } = CID.decode(cid)
      expect(digest).toEqual(new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))))
      blocks.add(CID.decode(cid).toString())
      // its memory is used again
      await new Promise(resolve => { setImmediate(resolve) })
    })
    const { cid, marker, blocks: stored, dagSize, onlyIpfsz = false } = await addOrdinarily(bytes, meta, given)

    expect({ ...file, cid: file && CID.decode(file.cid).toString() }).toEqual({ cid, marker, dagSize, onlyIpfsz })
    expect([...blocks].toSorted()).toEqual([...new Set(stored as string[])].toSorted())
  })

  it('leaves a large file that is not compressed to addAll if its leaves are to be others', async () => {
    const encoder = await createSmallFileEncoder({ rawLeaves: false })
    const bytes = noise(2_000_000)
    let at = 0

    expect(await encoder?.encodeLarge(target => {
      const part = bytes.subarray(at, at += target.byteLength)
      target.set(part)

      return part.byteLength
    }, {}, async () => { throw new Error('nothing is put') })).toBeUndefined()
  })

  it.each<[string, SmallFileEncoderInit]>([
    ['links', { link: true }],
    ['a base', { compression: { base: CID.parse('bafkqaaa') } }],
    ['a base for each path', { compression: { base: () => undefined } }],
    ['auto with dictionaries', { compression: { codec: 'auto', dictionaries: 'auto' } }],
    ['auto', { compression: { codec: 'auto' } }],
    ['another codec', { compression: { codec: 'gzip' }, codecs: [gzip()] }],
    ['zstd in WebAssembly', { codecs: [zstd({ deterministic: true })] }],
    ['codecs of others', { codecs: [ordinary()] }]
  ])('leaves all files to addAll: %s', async (_, init) => {
    expect(await createSmallFileEncoder(init)).toBeUndefined()
  })

  it.each<[string, SmallFileEncoderInit]>([
    ['rawLeaves', { rawLeaves: false }],
    ['reduceSingleLeafToSelf', { reduceSingleLeafToSelf: false }],
    ['chunker', { chunker: fixedSize({ chunkSize: 1000 }) }],
    ['chunkValidator', { chunkValidator: undefined }],
    ['layout', { layout: undefined }],
    ['bufferImporter', { bufferImporter: undefined }],
    ['dagBuilder', { dagBuilder: undefined }],
    ['cidVersion', { cidVersion: 0 }]
  ])('leaves files that are not compressed to addAll: %s', async (_, init) => {
    const encoder = await createSmallFileEncoder(init)

    expect(encoder?.encode(text(10))).toBeUndefined()
    expect(encoder?.encode(text(1000))).toBeDefined()
  })

  it.each<[string, SmallFileEncoderInit]>([
    ['InvalidLevelError', { compression: { level: 23 } }],
    ['UnknownCodecError', { compression: { codec: 'gzip' } }],
    ['InvalidFrameSizeError', { compression: { frameSize: 1 } }]
  ])('refuses options with %s, as addAll does', async (name, init) => {
    await expect(createSmallFileEncoder(init)).rejects.toMatchObject({ name })
  })

  it('loads nothing that a thread does not need', async () => {
    const stdout = await run(process.execPath, ['--input-type=module', '--eval', LIST_LOADED])
    const files = String(stdout).split('\n').filter(url => url.startsWith('file:'))
    const packages = new Set(files.map(url => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? '@ipfsz'))

    // Helia's: the classes of its errors. That of multiformats: how bytes are compared
    expect([...packages].toSorted()).toEqual(['@helia/unixfs', '@ipfsz', 'multiformats'])
    expect(files.length).toBeLessThan(79)
  })
})

type ToContent = (bytes: Uint8Array) => Uint8Array | AsyncIterable<Uint8Array>

/** What `addAll` returns, reports and stores of a tree that has each file twice. */
async function addTree (codec: Codec, toContent: ToContent, given: AddOptions): Promise<object> {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore }, { codecs: [codec] })
  const kinds = Object.values(CONTENTS)
  const events: string[] = []
  const files = Array.from({ length: 120 }, (_, i) => ({
    path: `${i % 3}/${i}`,
    content: toContent(kinds[i % kinds.length]((i % 60) ** 2 * 10, i % 60 + 1)),
    ...i % 5 === 0 ? { mode: 0o600 } : {}
  }))
  const results = await Array.fromAsync(fs.addAll(files, {
    ...given,
    wrapWithDirectory: true,
    onProgress ({ type, detail }) {
      events.push(JSON.stringify([type, detail], (_, value) => typeof value === 'bigint' ? Number(value) : value))
    }
  }))

  return {
    results: results.map(({ cid, path, size, unixfs }) => [cid.toString(), path, size, unixfs?.marshal()]),
    events: events.toSorted(),
    puts: blockstore.puts.toSorted()
  }
}

describe('addAll, with many small files', () => {
  it.each<[string, ToContent]>([
    ['arrays', bytes => bytes],
    ['streams', bytes => chunked(bytes, 5000)],
    ['streams of short chunks', bytes => chunked(bytes, 700)]
  ])('returns, reports and stores what it does with each file by itself: %s', async (_, toContent) => {
    const codec = zstd()
    await codec.compress(new Uint8Array(1))

    const all: AddOptions[] = [
      {}, { compression: { codec: 'none' } }, { rawLeaves: false }, { compression: { level: 9 } }
    ]

    for (const given of all) {
      expect(await addTree(codec, toContent, given)).toEqual(await addTree(ordinary(), toContent, given))
    }
  })

  it('stores nothing more once the signal aborts', async () => {
    const codec = zstd()
    await codec.compress(new Uint8Array(1))
    const blockstore = new CountingBlockstore()
    const abort = new AbortController()
    const files = Array.from({ length: 200 }, (_, i) => ({ path: `${i}`, content: text(1000, i + 1) }))
    const added = ipfsz({ blockstore }, { codecs: [codec] }).addAll(files, {
      signal: abort.signal,
      onProgress ({ type }) {
        if (type === 'ipfsz:add:decided' && blockstore.puts.length === 100) {
          abort.abort(new Error('enough'))
        }
      }
    })

    await expect(Array.fromAsync(added)).rejects.toThrow('enough')
    expect(blockstore.puts.length).toBeLessThan(110)
  })
})
