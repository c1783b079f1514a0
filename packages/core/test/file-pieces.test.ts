import fs, { createReadStream, ReadStream } from 'node:fs'
import { appendFile, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { MemoryBlockstore } from 'blockstore-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BufferPool } from '../src/frames/buffer-pool.ts'
import { filePieces } from '../src/write/file-pieces.ts'
import { ipfsz } from '../src/index.ts'
import { collect, text } from './fixtures.ts'

const KIB = 1024
const PIECE = 256 * KIB
const SIZE = 3 * PIECE + 1000

let directory: string
let file: string
const bytes = text(SIZE)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-pieces-'))
  file = join(directory, 'file')
  await writeFile(file, bytes)
})

afterAll(async () => rm(directory, { recursive: true }))

/** The pieces of a stream, copied, because their memory is used again. */
async function piecesOf (stream: ReadStream): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []

  for await (const piece of filePieces(stream, PIECE) ?? []) {
    pieces.push(piece.slice())
    BufferPool.release(piece)
  }

  return pieces
}

/** Waits without listening to errors, as `once` does. */
async function closed (stream: ReadStream): Promise<void> {
  if (!stream.closed) {
    await new Promise<void>(resolve => { stream.on('close', resolve) })
  }
}

describe('filePieces', () => {
  it('reads a file in pieces of the same size, whatever pieces the stream would read', async () => {
    const stream = createReadStream(file)
    const ended = once(stream, 'end')
    const closed = once(stream, 'close')
    const pieces = await piecesOf(stream)

    expect(pieces.map(({ byteLength }) => byteLength)).toEqual([PIECE, PIECE, PIECE, 1000])
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    await Promise.all([ended, closed])
    expect(stream.bytesRead).toBe(SIZE)
    expect(stream.errored).toBeNull()
  })

  it('reads the range of a stream that has one', async () => {
    for (const range of [{ start: 70_000 }, { end: 600_000 }, { start: 5, end: SIZE - 7 }, { start: 0, end: 9 }]) {
      const { start = 0, end = SIZE } = range

      expect(Buffer.concat(await piecesOf(createReadStream(file, range))).equals(bytes.subarray(start, end + 1)))
        .toBe(true)
    }
  })

  it('reads what is appended meanwhile, and no more than is left', async () => {
    const other = join(directory, 'other')

    for (const appended of [true, false]) {
      await writeFile(other, bytes)
      const pieces = filePieces(createReadStream(other), PIECE) as AsyncGenerator<Uint8Array>
      const first = (await pieces.next()).value as Uint8Array
      await (appended ? appendFile(other, 'more') : truncate(other, 2 * PIECE + 5))
      const rest = await collect(pieces)
      const expected = appended ? Buffer.concat([bytes, Buffer.from('more')]) : bytes.subarray(0, 2 * PIECE + 5)

      expect(Buffer.concat([first, rest]).equals(expected)).toBe(true)
    }
  })

  it('leaves streams alone that somebody else reads, or that read otherwise', async () => {
    const heard = createReadStream(file).on('data', () => {})
    const begun = createReadStream(file)
    await once(begun, 'readable')
    begun.read(1)
    const handle = await open(file)
    const streams = [
      heard,
      begun,
      createReadStream(file, { encoding: 'utf8' }),
      createReadStream(file, { fs: { ...fs, read: fs.read.bind(fs) } } as object),
      handle.createReadStream(),
      new (class extends (ReadStream as unknown as new (path: string) => ReadStream) {})(file)
    ]

    expect(streams.map(stream => filePieces(stream, PIECE))).toEqual(streams.map(() => undefined))
    streams.forEach(stream => stream.destroy())
    expect([bytes, [bytes], 'text', null].map(source => filePieces(source, PIECE))).toEqual(Array(4))
  })

  it('reads each byte once if somebody makes the stream read, before or meanwhile', async () => {
    const asked = createReadStream(file)
    asked.read(0)
    const early = collect(filePieces(asked, PIECE) as AsyncGenerator<Uint8Array>)

    const reading = createReadStream(file)
    await once(reading, 'open')
    reading.read()
    const begun = createReadStream(file)
    const later = filePieces(begun, PIECE) as AsyncGenerator<Uint8Array>
    await once(begun, 'open')
    begun.read()
    const interrupted = createReadStream(file)
    const pieces = filePieces(interrupted, PIECE) as AsyncGenerator<Uint8Array>
    const { value: first } = await pieces.next()
    interrupted.read()

    expect(filePieces(reading, PIECE)).toBeUndefined()
    const read = [await early, await collect(reading), await collect(later), [first, await collect(pieces)]]

    for (const all of read) {
      expect(Buffer.compare(Buffer.concat([all].flat() as Uint8Array[]), bytes)).toBe(0)
    }
  })

  it('leaves a file open whose owner closes it', async () => {
    const stream = createReadStream(file, { autoClose: false })
    await piecesOf(stream)
    expect(stream.destroyed).toBe(false)

    const closed = once(stream, 'close')
    stream.destroy()
    await closed
  })

  it('refuses a file that does not exist, and one that is closed meanwhile', async () => {
    await expect(piecesOf(createReadStream(join(directory, 'missing')))).rejects.toMatchObject({ code: 'ENOENT' })

    const stream = createReadStream(file)
    const pieces = filePieces(stream, PIECE) as AsyncGenerator<Uint8Array>
    await pieces.next()
    stream.destroy(new Error('closed'))
    await expect(collect(pieces)).rejects.toMatchObject({ message: 'closed' })

    const other = createReadStream(file)
    const first = filePieces(other, PIECE)?.next()
    other.destroy(new Error('closed at once'))
    await expect(first).rejects.toMatchObject({ message: 'closed at once' })
  })

  it('throws the error of a stream that failed before the first read', async () => {
    const stream = createReadStream(join(directory, 'missing'))
    const pieces = filePieces(stream, PIECE) as AsyncGenerator<Uint8Array>
    await closed(stream)

    await expect(collect(pieces)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('reads a stream with a signal, until that aborts', async () => {
    const { signal } = new AbortController()
    expect((await piecesOf(createReadStream(file, { signal }))).length).toBe(4)

    const controller = new AbortController()
    const pieces = filePieces(createReadStream(file, controller), PIECE) as AsyncGenerator<Uint8Array>
    await pieces.next()
    controller.abort()
    await expect(collect(pieces)).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('closes the file if its reader stops', async () => {
    const stream = createReadStream(file)
    const closed = once(stream, 'close')

    for await (const piece of filePieces(stream, PIECE) ?? []) {
      expect(piece.byteLength).toBe(PIECE)
      break
    }

    await closed
  })
})

describe('addByteStream of a file stream', () => {
  it('returns the CID of the bytes, and reports pieces of frames', async () => {
    const blockstore = new MemoryBlockstore()
    const files = ipfsz({ blockstore }, { inFlightBytes: PIECE })
    const read: number[] = []
    const compression = { frameSize: PIECE }

    const cid = await files.addByteStream(createReadStream(file), {
      compression,
      onProgress (event) {
        if (event.type === 'unixfs:importer:progress:file:read') {
          read.push(Number(event.detail.chunkSize))
        }
      }
    })

    expect(read).toEqual([PIECE, PIECE, PIECE, 1000])
    expect(cid).toEqual(await files.addBytes(bytes, { compression }))
    expect((await collect(files.cat(cid)) as Buffer).equals(bytes)).toBe(true)
  })

  it('that cannot be opened, when the add fails for another reason, reports that one alone', async () => {
    const files = ipfsz({ blockstore: new MemoryBlockstore() })
    const compression = { codec: 'unknown' as never }
    const alone = createReadStream(join(directory, 'missing'))
    const ofMany = createReadStream(join(directory, 'missing'))
    const adds = [
      files.addByteStream(alone, { compression }),
      Array.fromAsync(files.addAll([{ path: 'a', content: ofMany }], { compression }))
    ]

    for (const add of adds) {
      await expect(add).rejects.toMatchObject({ name: 'UnknownCodecError' })
    }

    // an error without a listener would fail the run
    await Promise.all([alone, ofMany].map(closed))
  })

  it('that comes after what is no candidate is closed, and the error of the import reported', async () => {
    const files = ipfsz({ blockstore: new MemoryBlockstore() })
    const stream = createReadStream(join(directory, 'missing'))
    const list = [
      { path: 'a', content: bytes },
      { path: 'a/b', content: bytes },
      ...['no candidate', null, undefined] as never[],
      { path: 'c', content: stream }
    ]

    await expect(Array.fromAsync(files.addAll(list))).rejects.toMatchObject({ name: 'AlreadyExistsError' })
    // an error without a listener would fail the run
    await closed(stream)
  })

  it('stores what does not shrink unchanged', async () => {
    const blockstore = new MemoryBlockstore()
    const files = ipfsz({ blockstore }, { inFlightBytes: PIECE })
    const cid = await files.addByteStream(createReadStream(file), { compression: { codec: 'none' } })

    expect((await collect(files.cat(cid)) as Buffer).equals(bytes)).toBe(true)
  })
})

describe('BufferPool', () => {
  it('lends a buffer again once it is released, and no part of one', () => {
    const pool = new BufferPool(10)
    const first = pool.take(10)
    BufferPool.release(first.subarray(0, 5))
    expect(BufferPool.isLent(first)).toBe(true)
    BufferPool.release(first)
    BufferPool.release(first)

    expect(pool.take(10)).toBe(first)
    expect(pool.take(10)).not.toBe(first)
  })

  it('frees the memory of its buffers when it is closed, and of those of another size when they are released', () => {
    const pool = new BufferPool(10)
    const [used, free, small] = [pool.take(10), pool.take(10), pool.take(5)]
    BufferPool.release(free)
    BufferPool.release(small)
    expect(small.byteLength).toBe(0)
    pool.close()
    expect([used.byteLength, free.byteLength]).toEqual([10, 0])
    BufferPool.release(used)
    expect(used.byteLength).toBe(0)
  })
})
