import { unixfs } from '@helia/unixfs'
import { codecs } from '@ipfsz/codecs/all'
import { MemoryDatastore } from 'datastore-core'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, MARKERS, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, FRAME, leavesOf, stored, text } from './fixtures.ts'
import { writeLink } from './link-fixtures.ts'
import type { StoredFile } from '../src/index.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

const SIZE = 200_000
const NAMES = Object.keys(codecs) as CodecName[]

function refuse (): never {
  throw new Error('a codec was called')
}

/** Codecs that must not be called. */
function lockedCodecs (): readonly Codec[] {
  return NAMES.map(name => ({ ...codecs[name](), compress: refuse, decompress: refuse }))
}

async function open (cid: CID, blockstore: CountingBlockstore, codecs?: readonly Codec[]): Promise<StoredFile> {
  const { stored: file } = await ipfsz({ blockstore }, { codecs }).open(cid)

  if (file == null) {
    throw new Error(`${cid} is not a compressed file`)
  }

  return file
}

describe('stored frames', () => {
  it.each(NAMES)('returns the frames of %s as they are, without calling a codec', async name => {
    const { blockstore, cid, bytes } = await stored(SIZE, name)
    const file = await open(cid, blockstore, lockedCodecs())

    expect(file).toMatchObject({ codec: name, size: SIZE, frameSize: FRAME })
    expect(file.frameLengths).toHaveLength(4)

    const frames = await collect(file.frames())
    const original: Uint8Array[] = []
    let start = 0

    for (const [i, length] of file.frameLengths.entries()) {
      const size = Math.min(FRAME, SIZE - i * FRAME)
      original.push(await codecs[name]().decompress(frames.subarray(start, start + length), { size }))
      start += length
    }

    expect(frames.byteLength).toBe(file.length)
    expect(start).toBe(file.length)
    expect(Buffer.compare(Buffer.concat(original), bytes)).toBe(0)
  })

  it.each(NAMES)('lists the sizes of the frames of %s that are cut by content', async name => {
    const blockstore = new CountingBlockstore()
    const bytes = text(600_000)
    const cid = await ipfsz({ blockstore }).addBytes(bytes, { compression: { codec: name, cut: 'content' } })
    const file = await open(cid, blockstore, lockedCodecs())
    const frames = await collect(file.frames())
    const original: Uint8Array[] = []
    let start = 0

    for (const [i, length] of file.frameLengths.entries()) {
      const size = file.frameSizes?.[i] ?? 0
      original.push(await codecs[name]().decompress(frames.subarray(start, start + length), { size }))
      start += length
    }

    expect(file.frameSizes?.length).toBe(file.frameLengths.length)
    expect(Buffer.compare(Buffer.concat(original), bytes)).toBe(0)
  })

  it('is undefined for a file with filters, and for one with a base', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const numbers = Uint32Array.from({ length: 50_000 }, (_, i) => i * 1000 + i % 7)
    const filtered = await fs.addBytes(new Uint8Array(numbers.buffer), { compression: { codec: 'zstd' } })
    const base = await fs.addBytes(text(SIZE))
    const based = await fs.addBytes(text(SIZE).subarray(7), { compression: { codec: 'zstd', base } })

    expect([(await fs.stat(filtered)).filters != null, (await fs.stat(based)).base != null]).toEqual([true, true])
    expect([(await fs.open(filtered)).stored, (await fs.open(based)).stored]).toEqual([undefined, undefined])
  })

  it('reads only the root until the frames are read, and can read them twice', async () => {
    const { blockstore, cid } = await stored(SIZE)
    blockstore.gets.length = 0
    const file = await open(cid, blockstore)

    expect(blockstore.gets).toEqual([unmark(cid).toString()])
    expect(await collect(file.frames())).toEqual(await collect(file.frames()))
  })

  it('reads the frames from any byte on', async () => {
    const { blockstore, cid } = await stored(SIZE)
    const file = await open(cid, blockstore)
    const frames = await collect(file.frames())

    for (const offset of [0, 1, 100_000, file.length]) {
      expect(await collect(file.frames({ offset, readAhead: false }))).toEqual(frames.subarray(offset))
    }
  })

  it('follows a path in a tree', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const tree = await fs.addFile({ path: 'a/b', content: text(SIZE) })

    expect((await fs.open(tree, { path: 'a/b' })).stored).toMatchObject({ codec: 'zstd', size: SIZE })
    await expect(fs.open(tree, { path: 'a/c' })).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('is undefined for what is not compressed, and for streams of other tools', async () => {
    const { blockstore, cid } = await stored(SIZE)
    const fs = ipfsz({ blockstore })
    const file = await unixfs({ blockstore }).addBytes(text(SIZE), { rawLeaves: false })
    const tree = await fs.addFile({ path: 'a', content: text(SIZE) })

    for (const other of [
      unmark(cid), file, mark(file, MARKERS.zstd), tree, await unixfs({ blockstore }).addBytes(text(100))
    ]) {
      expect((await fs.open(other)).stored, other.toString()).toBeUndefined()
    }
  })

  it('refuses a block that does not match its CID', async () => {
    const { blockstore, cid } = await stored(1_000_000)
    const [leaf] = await leavesOf(cid, blockstore)
    await blockstore.put(leaf, text(100))
    const file = await open(cid, blockstore)

    await expect(collect(file.frames())).rejects.toMatchObject({ name: 'CorruptBlockError', cid: leaf })
  })

  it('stops reading frames if their own signal aborts', async () => {
    const { blockstore, cid } = await stored(1_000_000)
    const file = await open(cid, blockstore)

    await expect(collect(file.frames({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ name: 'AbortError' })
    expect(await collect(file.frames())).toHaveLength(file.length)
  })

  it('refuses a missing root, and a signal that is aborted', async () => {
    const { blockstore, cid } = await stored(SIZE)

    await expect(
      ipfsz({ blockstore: new CountingBlockstore() }).open(cid)
    ).rejects.toMatchObject({ name: 'NotFoundError' })
    await expect(
      ipfsz({ blockstore }).open(cid, { signal: AbortSignal.abort() })
    ).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('of a linked original is undefined until its link is checked', async () => {
    const blockstore = new CountingBlockstore()
    const datastore = new MemoryDatastore()
    const fs = ipfsz({ blockstore, datastore })
    const original = await unixfs({ blockstore: new CountingBlockstore() }).addBytes(text(SIZE))
    await writeLink(datastore, { original, compressed: await fs.addBytes(text(SIZE)), check: 'unchecked' })

    expect((await fs.open(original)).stored).toBeUndefined()
    await fs.verify(original)
    expect((await fs.open(original)).stored).toMatchObject({ codec: 'zstd', size: SIZE })
  })
})
