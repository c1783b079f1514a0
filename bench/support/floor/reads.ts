import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { DEFAULT_FRAME_SIZE, ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { collectGarbage } from '../garbage.ts'
import { measure, progress, rotate } from '../../benchmark.ts'
import { PLAIN } from '../file-systems.ts'
import { FLOOR, FLOOR_OF_STORE } from './names.ts'
import { toRows } from './rows.ts'
import type { Row, Time } from '../../benchmark.ts'
import type { Blockstore } from 'interface-blockstore'

/** Bytes of a leaf. */
const LEAF = 1024 * 1024

/** From this size on, garbage of one side is collected before the next one is measured. */
const LARGE = 10_000_000

/** How many frames the floor reads, hashes and decompresses at a time. */
const AT_ONCE = 4

/** Reads the file once. Returns how many bytes it has. */
type Read = () => Promise<number>

/** Reads a leaf into the beginning of a buffer. */
type ReadLeaf = (target: Uint8Array) => Promise<void>

/** What the floor reads. */
interface Frame {
  /** The lengths of its leaves. */
  lengths: number[]
  /** Compressed bytes. */
  length: number
  /** Original bytes. */
  size: number
  /** How to read each leaf, for each floor. */
  leaves: Record<string, ReadLeaf[]>
}

/** Read a file in several ways, beside what a read cannot do without. */
export async function compareReads (file: string, size: number, directory: string, rounds: number): Promise<Row[]> {
  const rows: Row[] = []

  for (const store of ['fs', 'memory']) {
    progress(`cat, ${size} bytes, ${store}`)
    await mkdir(directory)
    const sides = await prepare(file, store === 'fs' ? directory : undefined)
    rows.push(...toRows({ bytes: size, store }, size, await compare(sides, size, rounds)))
    await rm(directory, { recursive: true })
  }

  return rows
}

/** @param directory - for the blocks. Undefined: they are in memory */
async function prepare (file: string, directory?: string): Promise<Map<string, Read>> {
  const blockstore = directory == null ? new MemoryBlockstore() : new FsBlockstore(join(directory, 'blocks'))
  await (blockstore as Partial<FsBlockstore>).open?.()
  const [plain, files] = [unixfs({ blockstore }), ipfsz({ blockstore })]
  const plainCid = await plain.addByteStream(createReadStream(file))
  const cid = await files.addByteStream(createReadStream(file), { compression: { codec: 'zstd' } })
  const frames = await storeFrames(file, blockstore, directory)
  const floors = directory == null ? [FLOOR] : [FLOOR_OF_STORE, FLOOR]

  return new Map<string, Read>([
    [PLAIN, async () => readAll(plain.cat(plainCid))],
    ['ipfsz', async () => readAll(files.cat(cid))],
    ['ipfsz, transient', async () => readAll(files.cat(cid, { transient: true }))],
    ...floors.map(floor => [floor, async () => decompressAlone(frames, floor)] as const)
  ])
}

async function compare (
  sides: ReadonlyMap<string, Read>,
  size: number,
  rounds: number
): Promise<Map<string, Time[]>> {
  const times = new Map<string, Time[]>(Array.from(sides, ([side]) => [side, []]))

  // the first round includes compiling the code
  for (let round = 0; round <= rounds; round++) {
    for (const [side, read] of rotate([...sides], round)) {
      // what it leaves to other threads would take longer than a short read
      if (size >= LARGE) {
        collectGarbage()
      }

      const time = await measure(read)

      if (time.result !== size) {
        throw new Error(`${side} read ${time.result} bytes instead of ${size}`)
      }

      if (round > 0) {
        times.get(side)?.push(time)
      }
    }
  }

  return times
}

async function readAll (source: AsyncIterable<Uint8Array>): Promise<number> {
  let read = 0

  for await (const { byteLength } of source) {
    read += byteLength
  }

  return read
}

/** Compress a file as an add does, and store its leaves. */
async function storeFrames (
  file: string,
  blockstore: Pick<Blockstore, 'put' | 'get'>,
  directory: string | undefined
): Promise<Frame[]> {
  const frames: Frame[] = []

  for await (const piece of createReadStream(file, { highWaterMark: DEFAULT_FRAME_SIZE }) as AsyncIterable<Buffer>) {
    const bytes = zstdCompressSync(piece)
    const frame: Frame = { lengths: [], length: bytes.byteLength, size: piece.byteLength, leaves: { [FLOOR]: [] } }
    frame.leaves[FLOOR_OF_STORE] = []

    for (let start = 0; start < bytes.byteLength; start += LEAF) {
      const leaf = bytes.subarray(start, start + LEAF)
      const cid = CID.createV1(raw.code, await sha256.digest(leaf))
      const path = directory == null ? undefined : join(directory, cid.toString())

      await blockstore.put(cid, leaf)
      await (path == null ? undefined : writeFile(path, leaf))
      frame.lengths.push(leaf.byteLength)
      frame.leaves[FLOOR].push(path == null ? async target => { target.set(leaf) } : async target => fill(path, target))
      frame.leaves[FLOOR_OF_STORE].push(async target => fillFrom(blockstore.get(cid), target))
    }

    frames.push(frame)
  }

  return frames
}

async function fill (path: string, target: Uint8Array): Promise<void> {
  const file = await open(path)
  await file.read(target)
  await file.close()
}

async function fillFrom (source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, target: Uint8Array): Promise<void> {
  let at = 0

  for await (const chunk of source) {
    target.set(chunk, at)
    at += chunk.byteLength
  }
}

/** What a read cannot do without: read, hash and decompress each frame, several at a time. */
async function decompressAlone (frames: readonly Frame[], floor: string): Promise<number> {
  const longest = Math.max(...frames.map(({ length }) => length))
  let next = 0
  let read = 0

  await Promise.all(Array.from({ length: Math.min(AT_ONCE, frames.length) }, async () => {
    const buffer = Buffer.allocUnsafeSlow(longest)

    while (next < frames.length) {
      const { lengths, length, size, leaves } = frames[next++]
      let at = 0

      for (const [i, readLeaf] of leaves[floor].entries()) {
        const leaf = buffer.subarray(at, at += lengths[i])
        await readLeaf(leaf)
        createHash('sha256').update(leaf).digest()
      }

      const options = { chunkSize: size + 1, maxOutputLength: size }
      const frame = buffer.subarray(0, length)
      const bytes = frames.length === 1
        ? zstdDecompressSync(frame, options)
        : await promisify(zstdDecompress)(frame, options)
      read += bytes.byteLength
      // as garbage it would take part of the time
      bytes.buffer.transfer(0)
    }
  }))

  return read
}
