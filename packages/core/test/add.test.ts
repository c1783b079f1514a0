import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, isMarked, MARKERS, TREE_CODE, unmark } from '../src/index.ts'
import { chunked, collect, CountingBlockstore, getBlock, noise, text } from './fixtures.ts'
import type { CompressionOptions } from '../src/index.ts'

const KIB = 1024
const MIB = 1024 * KIB
const CODECS = ['zstd', 'gzip', 'lz4', 'brotli', 'snappy'] as const

describe.each(CODECS)('a file added with %s', (codec) => {
  it.each([
    ['one byte', 1],
    ['a frame less one byte', 64 * KIB - 1],
    ['a frame', 64 * KIB],
    ['a frame and one byte', 64 * KIB + 1],
    ['many frames', 1_000_000]
  ])('reads back unchanged: %s', async (_, size) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const bytes = text(size)
    const cid = await fs.addBytes(bytes, { compression: { codec, frameSize: 64 * KIB, detect: false } })

    expect(cid.code).toBe(MARKERS[codec])
    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
  })

  it('has the same CID however its bytes are chunked', async () => {
    const bytes = text(1_000_000)
    const compression = { codec, frameSize: 64 * KIB }
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cids = [
      await fs.addBytes(bytes, { compression }),
      await fs.addByteStream([bytes], { compression }),
      await fs.addByteStream(chunked(bytes, 999), { compression }),
      await fs.addByteStream(chunked(bytes, 100_000), { compression })
    ]

    expect(new Set(cids.map(cid => cid.toString())).size).toBe(1)
  })
})

describe('a compressed file', () => {
  const compression: CompressionOptions = { frameSize: 64 * KIB }

  it('is stored as blocks with plain CIDs and plain links, the root last', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }).addBytes(text(1_000_000), { compression })

    expect(isMarked(cid)).toBe(true)
    expect(blockstore.puts.at(-1)).toBe(unmark(cid).toString())

    for (const put of blockstore.puts.map(text => CID.parse(text))) {
      expect([0x55, dagPb.code]).toContain(put.code)

      if (put.code === dagPb.code) {
        const { Links } = dagPb.decode(await getBlock(put, blockstore))
        expect(Links.some(link => isMarked(link.Hash))).toBe(false)
      }
    }
  })

  it('is stored as one block if its stream is small', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }).addBytes(text(60 * KIB))
    const { Links } = dagPb.decode(await getBlock(unmark(cid), blockstore))

    expect(blockstore.puts).toEqual([unmark(cid).toString()])
    expect(Links).toEqual([])
  })

  it('is stored as a dag-pb root and a raw leaf if its stream is larger', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }).addBytes(text(600 * KIB))

    expect(unmark(cid).code).toBe(dagPb.code)
    expect(blockstore.puts.map(put => CID.parse(put).code)).toEqual([0x55, dagPb.code])
  })

  it('is written without waiting for its leaf before its root, if it has one leaf', async () => {
    const blockstore = new CountingBlockstore()
    const { promise: rootBegun, resolve: begin } = Promise.withResolvers<void>()
    const slow = Object.assign(Object.create(blockstore) as CountingBlockstore, {
      put: async (cid: CID, block: Uint8Array): Promise<CID> => {
        if (cid.code === dagPb.code) {
          begin()
        }

        await rootBegun

        return blockstore.put(cid, block)
      }
    })
    const cid = await ipfsz({ blockstore: slow }).addBytes(text(600 * KIB))

    expect(blockstore.puts).toHaveLength(2)
    expect(Buffer.compare(await collect(ipfsz({ blockstore }).cat(cid)), text(600 * KIB))).toBe(0)
  })

  it('is written no more once the add of it has failed, the root beside its leaf neither', async () => {
    const events: string[] = []
    const begun = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const blockstore = Object.assign(new CountingBlockstore(), {
      put: async (cid: CID): Promise<CID> => {
        if (cid.code !== dagPb.code) {
          throw new Error('the disk is full')
        }

        begun.resolve()
        await written.promise
        events.push('the root is written')

        return cid
      }
    })
    const adding = ipfsz({ blockstore }).addBytes(text(600 * KIB)).catch((err: Error) => { events.push(err.message) })

    await begun.promise
    // what does not wait for the root ends before
    setTimeout(written.resolve)
    await adding
    expect(events).toEqual(['the root is written', 'the disk is full'])
  })

  it('shares one write among equal leaves that are in flight', async () => {
    const frame = noise(64 * KIB)
    const frames = Array.from({ length: 80 }, () => frame)
    const { promise: compressed, resolve } = Promise.withResolvers<void>()
    const puts: string[] = []
    const blockstore = new CountingBlockstore()
    const slow = Object.assign(Object.create(blockstore) as CountingBlockstore, {
      put: async (cid: CID, block: Uint8Array): Promise<CID> => {
        puts.push(cid.toString())
        await compressed

        return blockstore.put(cid, block)
      }
    })
    const cid = await ipfsz({ blockstore: slow }).addByteStream(frames, {
      compression: { codec: 'zstd', frameSize: 64 * KIB, detect: false },
      onProgress: event => {
        if (event.type === 'ipfsz:add:frame' && event.detail.frame === frames.length - 1) {
          resolve()
        }
      }
    })
    const { Links } = dagPb.decode(await getBlock(unmark(cid), blockstore))
    const leaves = Links.map(({ Hash }) => Hash.toString())

    expect(leaves).toHaveLength(6)
    expect(puts).toHaveLength(new Set(leaves).size + 1)
  })

  it('keeps mode and mtime', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = await fs.addBytes(text(1000), { mode: 0o755, mtime: { secs: 7n } })

    expect(await fs.stat(cid)).toMatchObject({ mode: 0o755, mtime: { secs: 7n } })
  })
})

describe('content that does not shrink', () => {
  const png = Buffer.concat(
    [Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'), text(100_000)]
  )
  const cases: Array<[string, Uint8Array, CompressionOptions | undefined]> = [
    ['no bytes', new Uint8Array(0), undefined],
    ['no bytes, also without detection', new Uint8Array(0), { detect: false }],
    ['a few bytes', text(50), undefined],
    ['noise', noise(3 * MIB), undefined],
    ['noise of several frames', noise(300_000), { frameSize: 64 * KIB }],
    ['a compressed format, detected by its first bytes', png, undefined],
    ['text, with the codec none', text(100_000), { codec: 'none' }]
  ]

  it.each(cases)('is stored as @helia/unixfs stores it: %s', async (_, bytes, compression) => {
    const blockstore = new CountingBlockstore()
    const helia = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }).addByteStream(chunked(bytes, 70_000), { compression })
    const expected = await unixfs({ blockstore: helia }).addByteStream(chunked(bytes, 70_000))

    expect(cid.toString()).toBe(expected.toString())
    expect(blockstore.puts.toSorted()).toEqual(helia.puts.toSorted())
    expect(Buffer.compare(await collect(ipfsz({ blockstore }).cat(cid)), bytes)).toBe(0)
  })

  it('is compressed anyway without detection', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })

    for (const bytes of [png, noise(100_000), text(1)]) {
      const cid = await fs.addBytes(bytes, { compression: { detect: false } })
      expect(isMarked(cid)).toBe(true)
      expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    }
  })

  it("is stored according to the importer's options", async () => {
    const options = { rawLeaves: false, cidVersion: 0 as const, reduceSingleLeafToSelf: false }
    const bytes = noise(100_000)

    expect((await ipfsz({ blockstore: new CountingBlockstore() }).addBytes(bytes, options)).toString())
      .toBe((await unixfs({ blockstore: new CountingBlockstore() }).addBytes(bytes, options)).toString())
  })
})

describe('addFile', () => {
  it('puts a compressed file into a directory that is marked as a tree', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const bytes = text(200_000)
    const cid = await fs.addFile({ path: 'a/b.txt', content: bytes, mode: 0o600 })

    expect(cid.code).toBe(TREE_CODE)
    expect(Buffer.compare(await collect(fs.cat(cid, { path: 'a/b.txt' })), bytes)).toBe(0)
    expect(await fs.stat(cid, { path: 'a/b.txt' })).toMatchObject({ size: 200_000n, codec: 'zstd', mode: 0o600 })
    expect(await fs.stat(cid)).toMatchObject({ type: 'directory' })
    // the plain CID returns the stored bytes
    expect((await collect(fs.cat(unmark(cid), { path: 'a/b.txt' }))).byteLength).toBeLessThan(200_000)
  })

  it('returns the same CID as @helia/unixfs if the file is stored uncompressed', async () => {
    const file = { path: 'a.bin', content: noise(1000), mtime: { secs: 1n } }

    expect((await ipfsz({ blockstore: new CountingBlockstore() }).addFile({ ...file })).toString())
      .toBe((await unixfs({ blockstore: new CountingBlockstore() }).addFile({ ...file })).toString())
  })

  it('refuses a file without a path or content, as @helia/unixfs does', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })

    for (const file of [{ content: text(1) }, { path: 'a' }]) {
      await expect(
        fs.addFile(file as unknown as Parameters<typeof fs.addFile>[0])
      ).rejects.toMatchObject({ name: 'InvalidParametersError' })
    }
  })
})

describe('invalid compression options', () => {
  const fs = ipfsz({ blockstore: new CountingBlockstore() })

  it.each([
    ['UnknownCodecError', { codec: 'zip' }],
    ['InvalidLevelError', { level: 20 }],
    ['InvalidLevelError', { codec: 'lz4', level: 2 }],
    ['InvalidFrameSizeError', { frameSize: 64 * KIB - 1 }],
    ['InvalidFrameSizeError', { frameSize: 16 * MIB + 1 }],
    ['InvalidFrameSizeError', { frameSize: 100_000.5 }],
    ['InvalidFrameSizeError', { basedFrameSize: 16 * MIB + 1 }],
    ['InvalidParametersError', { leafSize: 0 }],
    ['InvalidParametersError', { leafSize: MIB + 1 }],
    ['InvalidParametersError', { leafSize: 1.5 }]
  ])('are refused with %s: %o', async (name, compression) => {
    await expect(
      fs.addBytes(text(10), { compression: compression as CompressionOptions })
    ).rejects.toMatchObject({ name })
  })
})

describe('a codec that the caller provides', () => {
  it('may return its input buffer as the frame', async () => {
    const [first, ...others] = ipfsz({ blockstore: new CountingBlockstore() }).codecs
    const echo = { ...first, compress: (piece: Uint8Array) => piece, decompress: (frame: Uint8Array) => frame }
    const fs = ipfsz({ blockstore: new CountingBlockstore() }, { codecs: [echo, ...others] })
    const bytes = text(1_000_000)
    // small chunks, so that pieces are joined in buffers that are reused
    const cid = await fs.addByteStream(
      chunked(bytes, 9999),
      { compression: { codec: echo.name, frameSize: 64 * KIB, detect: false } }
    )

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
  })
})

describe('a failing add', () => {
  it('ends on an abort while the source stalls', async () => {
    const controller = new AbortController()
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const adding = fs.addByteStream((async function * () {
      yield text(300_000)
      controller.abort()
      yield await new Promise<Uint8Array>(() => {})
    })(), { signal: controller.signal, compression: { frameSize: 64 * KIB } })

    await expect(adding).rejects.toMatchObject({ name: 'AbortError' })
  })

  it.each([{}, { codec: 'none' as const }])('ends on an abort while the blockstore stalls: %o', async (compression) => {
    const controller = new AbortController()
    const blockstore = new CountingBlockstore()
    blockstore.put = async () => new Promise(() => {})
    const adding = ipfsz({ blockstore }).addBytes(text(3_000_000), { signal: controller.signal, compression })

    setTimeout(() => { controller.abort() }, 20)
    await expect(adding).rejects.toMatchObject({ name: 'AbortError' })
  })

  it.each([
    ['an aborted signal', { signal: AbortSignal.abort() }],
    ['an invalid option', { compression: { level: 99 } }]
  ])('closes a source that it never read because of %s', async (_, options) => {
    const stream = {
      destroyed: false,
      destroy () { this.destroyed = true },
      async * [Symbol.asyncIterator] () { yield text(10) }
    }
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    let cancelled = false
    const web = new ReadableStream<Uint8Array>({ cancel () { cancelled = true } })

    await expect(fs.addByteStream(stream, options)).rejects.toThrow()
    await expect(fs.addByteStream(web, options)).rejects.toThrow()
    expect(stream.destroyed).toBe(true)
    expect(cancelled).toBe(true)
  })

  it('ends on a timeout while all blocks are in memory', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const piece = text(1_000_000)
    const endless = (function * () {
      for (;;) {
        yield piece
      }
    })()

    await expect(fs.addByteStream(
      endless,
      { compression: { codec: 'lz4', frameSize: 64 * KIB }, signal: AbortSignal.timeout(100) }
    ))
      .rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('does not read its source if the signal is already aborted', async () => {
    const source = { [Symbol.asyncIterator]: (): never => { throw new Error('touched') } }
    await expect(ipfsz({ blockstore: new CountingBlockstore() }).addByteStream(source, { signal: AbortSignal.abort() }))
      .rejects.toMatchObject({ name: 'AbortError' })
  })

  it.each([64 * KIB, 4 * MIB])('rejects with the error of its source (frames of %d bytes)', async (frameSize) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const error = new Error('gone')

    await expect(fs.addByteStream((async function * () {
      yield text(300_000)
      throw error
    })(), { compression: { frameSize } })).rejects.toBe(error)
  })

  it('rejects with the error of the blockstore, and closes the source', async () => {
    let closed = false
    const blockstore = new CountingBlockstore()
    const error = new Error('full')
    blockstore.put = () => { throw error }

    await expect(ipfsz({ blockstore }).addByteStream((async function * () {
      try {
        for (;;) {
          yield text(300_000)
        }
      } finally {
        closed = true
      }
    })(), { compression: { frameSize: 64 * KIB } })).rejects.toBe(error)

    await new Promise(resolve => { setImmediate(resolve) })
    expect(closed).toBe(true)
  })
})

describe('the progress of an add', () => {
  it('reports the decision, the bytes read, and every frame', async () => {
    const events: Array<[string, unknown]> = []
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    await fs.addBytes(text(200_000), {
      compression: { frameSize: 64 * KIB },
      onProgress: event => { events.push([event.type, event.detail]) }
    })
    const details = (type: string): unknown[] => events.filter(event => event[0] === type).map(event => event[1])

    expect(details('ipfsz:add:decided')).toEqual([{ codec: 'zstd', reason: 'trial' }])
    expect(details('unixfs:importer:progress:file:read')).toEqual([{ bytesRead: 200_000n, chunkSize: 200_000n }])
    expect(details('ipfsz:add:frame')).toMatchObject([
      { frame: 0, size: 65536 }, { frame: 1, size: 65536 }, { frame: 2, size: 65536 }, { frame: 3, size: 3392 }
    ])
  })

  it('reports the bytes of an uncompressed file once', async () => {
    const read: unknown[] = []
    await ipfsz({ blockstore: new CountingBlockstore() }).addByteStream(chunked(noise(200_000), 100_000), {
      onProgress: event => {
        if (event.type === 'unixfs:importer:progress:file:read') {
          read.push(event.detail)
        }
      }
    })

    expect(read).toEqual([{ bytesRead: 100_000n, chunkSize: 100_000n }, { bytesRead: 200_000n, chunkSize: 100_000n }])
  })
})
