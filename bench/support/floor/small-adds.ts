import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { base32upper } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create } from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { PLAIN } from '../file-systems.ts'
import { FLOOR, FLOOR_OF_STORE } from './names.ts'
import type { SmallAddTask } from '../task.ts'

type Input = SmallAddTask['input']

/** Adds small files to a new store in a directory. */
type SmallAdd = (input: Input, directory: string) => Promise<void>

/** Stores a block by the digest of its bytes. */
type Write = (digest: Uint8Array, block: Uint8Array) => Promise<void>

/** How many files the source reads ahead, and the floor compresses, hashes and writes at a time. */
const AT_ONCE = 8

/** Below this size, the calling thread compresses sooner than it hands the bytes to another one. */
const MIN_POOL_SIZE = 16 * 1024

/** Up to this size, a frame is part of the block of its root. */
const MAX_INLINE_SIZE = 64 * 1024

/** Bytes of a root without frames, and of an entry in the block of a directory. */
const ROOT_SIZE = 120
const ENTRY_SIZE = 70

/** The compared sides. */
export const SMALL_ADDS: Readonly<Record<string, SmallAdd>> = {
  [PLAIN]: async (input, directory) => addWith(unixfs, input, directory),
  ipfsz: async (input, directory) => addWith(ipfsz, input, directory),
  [FLOOR_OF_STORE]: async (input, directory) => withStore(directory, async store => compressAlone(
    input,
    async (digest, block) => { await store.put(CID.createV1(raw.code, create(sha256.code, digest)), block) }
  )),
  [FLOOR]: async (input, directory) => {
    await mkdir(directory, { recursive: true })
    await compressAlone(input, writerInto(directory))
  }
}

async function withStore (directory: string, use: (store: FsBlockstore) => Promise<void>): Promise<void> {
  const store = new FsBlockstore(directory)

  await store.open()
  await use(store)
  await store.close()
}

async function addWith (create: typeof unixfs | typeof ipfsz, input: Input, directory: string): Promise<void> {
  await withStore(directory, async blockstore => {
    const files = create({ blockstore })

    if (typeof input === 'string') {
      await files.addByteStream(createReadStream(input))
      return
    }

    for await (const _ of files.addAll(candidates(input), { wrapWithDirectory: true })) {
      // each is stored
    }
  })
}

/**
 * The files of a tree, read a few ahead. All sides take them from here, the floor too: if one read more at a time than
 * another, their times would say how files are read, and not what an add does with them.
 */
async function * candidates (
  { directory, paths }: Exclude<Input, string>
): AsyncGenerator<{ path: string, content: Uint8Array }> {
  const reading: Array<Promise<{ path: string, content: Uint8Array }>> = []

  for (const path of paths) {
    reading.push(readFile(join(directory, path)).then(content => ({ path, content })))

    if (reading.length >= AT_ONCE) {
      yield await reading.shift() as { path: string, content: Uint8Array }
    }
  }

  for (const candidate of reading) {
    yield await candidate
  }
}

/** What adding small files cannot do without: read, compress, hash and write each, several at a time. */
async function compressAlone (input: Input, write: Write): Promise<void> {
  if (typeof input === 'string') {
    await addFile(await readFile(input), write)
    return
  }

  const files = candidates(input)

  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for await (const { content } of files) {
      await addFile(content, write)
    }
  }))

  await writeHashed(Buffer.alloc(ENTRY_SIZE * input.paths.length), write)
}

async function addFile (bytes: Uint8Array, write: Write): Promise<void> {
  const options = { pledgedSrcSize: bytes.byteLength, chunkSize: Math.max(64, bytes.byteLength >> 1) }
  const frame = bytes.byteLength < MIN_POOL_SIZE
    ? zstdCompressSync(bytes, options)
    : await promisify(zstdCompress)(bytes, options)

  await writeHashed(frame, write)

  if (frame.byteLength > MAX_INLINE_SIZE) {
    await writeHashed(frame.subarray(0, ROOT_SIZE), write)
  }
}

async function writeHashed (block: Uint8Array, write: Write): Promise<void> {
  await write(createHash('sha256').update(block).digest(), block)
}

/** Writes blocks as blockstore-fs does, but makes each directory once. */
function writerInto (directory: string): Write {
  const made = new Map<string, Promise<unknown>>()

  return async (digest, block) => {
    const name = base32upper.encoder.encode(create(sha256.code, digest).bytes)
    const shard = join(directory, name.slice(-2))
    const making = made.get(shard) ?? mkdir(shard)
    made.set(shard, making)
    await making

    const path = join(shard, `${name}.data`)
    const file = await open(`${path}.tmp`, 'w')
    await file.writeFile(block)
    await file.close()
    await rename(`${path}.tmp`, path)
  }
}
