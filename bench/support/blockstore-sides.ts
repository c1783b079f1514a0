import { CompressedBlockstore, stats } from '@ipfsz/blockstore-compressed'
import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { compressAlone, consumeAlone, decompress, FrameFiles, free } from './blockstore-floor.ts'
import { FLOOR, FLOOR_OF_STORE, ZLIB_ALONE } from './floor/names.ts'
import type { CompressedBlockstoreInit } from '@ipfsz/blockstore-compressed'
import type { Blockstore } from 'interface-blockstore'

export interface Block {
  cid: CID
  bytes: Uint8Array
}

/** How many blocks are requested at a time, if not one by one: as many as Helia's exporter requests. */
export const CONCURRENCY = 8

/** Reads a block. Returns it in one piece. */
export type Read = (block: Block) => Promise<Uint8Array>

/** What is measured, on a directory. */
export interface OpenSide {
  put (block: Block): Promise<unknown>
  /**
   * Reads as a store that has not read anything yet.
   *
   * @param isAlone - whether blocks will be read one by one
   */
  reader (isAlone: boolean): Read
  /** Stored bytes / bytes of the blocks. */
  ratio (): Promise<number>
}

export interface Side {
  name: string
  /** The side that it is compared with besides the baseline: the bare store that writes its files, or itself. */
  child: string
  /** Whether its puts are those of another side, and are not measured. */
  readsOnly?: boolean
  /** Whether it is measured in some rounds only: those that no target is about would take half of the time. */
  isRare?: boolean
  open: (directory: string) => Promise<OpenSide>
}

/** The stores that write files. They are also measured bare. */
const CHILDREN = { FsBlockstore, SharedFsBlockstore }

type Child = keyof typeof CHILDREN

/** The baseline: the file store that Helia users have. */
export const BARE: Child = 'FsBlockstore'

export const BLOCKSTORE_SIDES: readonly Side[] = [
  bare('FsBlockstore'),
  compressed('FsBlockstore', 'zstd 3, hash', { level: 3 }),
  compressed('FsBlockstore', 'zstd 3, length', { level: 3, verify: 'length' }),
  bare('SharedFsBlockstore'),
  compressed('SharedFsBlockstore', 'zstd 3, hash', { level: 3 }),
  compressed('SharedFsBlockstore', 'zstd 3, length', { level: 3, verify: 'length' }),
  zlibAlone('FsBlockstore'),
  zlibAlone('SharedFsBlockstore'),
  rare(compressed('SharedFsBlockstore', 'zstd 1, length', { level: 1, verify: 'length' })),
  rare(compressed('SharedFsBlockstore', 'lz4, length', { codec: 'lz4', verify: 'length' })),
  rare(compressed('SharedFsBlockstore', 'gzip 6, length', { codec: 'gzip', verify: 'length' })),
  rare(compressed('SharedFsBlockstore', 'brotli, length', { codec: 'brotli', verify: 'length' })),
  rare(compressed('SharedFsBlockstore', 'snappy, length', { codec: 'snappy', verify: 'length' })),
  rare(compressed('SharedFsBlockstore', 'none, hash', { codec: 'none' })),
  rare(compressed('SharedFsBlockstore', 'none, length', { codec: 'none', verify: 'length' })),
  floorOverStore(),
  floor()
]

/** The most bytes of an envelope's header and the magic number after it. */
const HEADER = 16

/** The first bytes of a Zstandard frame (RFC 8878, section 3.1.1). */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

export async function makeBlocks (pieces: readonly Uint8Array[]): Promise<Block[]> {
  return Promise.all(pieces.map(async bytes => ({ cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes })))
}

/** Call `work` for each block, `concurrency` of them at a time. */
export async function eachOf (
  blocks: readonly Block[],
  concurrency: number,
  work: (block: Block) => Promise<unknown>
): Promise<void> {
  const rest = blocks.values()

  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const block of rest) {
      await work(block)
    }
  }))
}

/** Read a block, and look whether all of it is there. */
export async function readWith (read: Read, block: Block): Promise<void> {
  checkLength(await read(block), block)
}

export function checkLength ({ byteLength }: Uint8Array, { bytes }: Block): void {
  if (byteLength !== bytes.byteLength) {
    throw new Error(`${byteLength} bytes were read instead of ${bytes.byteLength}`)
  }
}

function bare (child: Child): Side {
  return {
    name: child,
    child,
    async open (directory) {
      const store = await openChild(child, directory)

      return { put: putInto(store), reader: () => readFrom(store), ratio: async () => 1 }
    }
  }
}

function compressed (child: Child, name: string, init: CompressedBlockstoreInit): Side {
  return {
    name: `${child}, ${name}`,
    child,
    async open (directory) {
      const files = await openChild(child, directory)

      return {
        put: putInto(new CompressedBlockstore(files, init)),
        reader: () => readFrom(new CompressedBlockstore(files, init)),
        ratio: async () => (await stats(files)).ratio
      }
    }
  }
}

function rare (side: Side): Side {
  return { ...side, isRare: true }
}

/** What zlib takes to decode the stored values, without the CompressedBlockstore. */
function zlibAlone (child: Child): Side {
  const { open } = compressed(child, 'zstd 3', { level: 3 })

  return {
    name: `${child}, ${ZLIB_ALONE}`,
    child,
    readsOnly: true,
    async open (directory) {
      const files = new CHILDREN[child](directory)

      return {
        ...await open(directory),
        reader: isAlone => async block => decodeValue(await getValue(files, block), block, isAlone)
      }
    }
  }
}

/** What a store with the default options cannot do without. */
function floor (): Side {
  return {
    name: FLOOR,
    child: FLOOR,
    async open (directory) {
      const files = new FrameFiles(directory)

      return {
        put: async block => files.put(block),
        reader: isAlone => async block => files.get(block, isAlone),
        ratio: async () => files.ratio
      }
    }
  }
}

/** The same with the files of blockstore-fs, which reads pieces of 64 KiB. */
function floorOverStore (): Side {
  return {
    name: FLOOR_OF_STORE,
    child: BARE,
    async open (directory) {
      const files = await openChild(BARE, directory)
      const compressedBlocks = new Set<Block>()
      let [stored, size] = [0, 0]

      return {
        async put (block) {
          const { bytes, isCompressed } = await compressAlone(block)
          stored += bytes.byteLength
          size += block.bytes.byteLength

          if (isCompressed) {
            compressedBlocks.add(block)
          }

          await files.put(block.cid, bytes)
        },
        reader: isAlone => async block => consumeAlone(
          { bytes: await getValue(files, block), isCompressed: compressedBlocks.has(block) },
          block.bytes.byteLength,
          isAlone
        ),
        ratio: async () => stored / size
      }
    }
  }
}

async function openChild (child: Child, directory: string): Promise<FsBlockstore> {
  const files = new CHILDREN[child](directory)
  await files.open()

  return files
}

export function putInto (store: Blockstore): OpenSide['put'] {
  return async ({ cid, bytes }) => store.put(cid, bytes)
}

export function readFrom (store: Blockstore): Read {
  return async block => getValue(store, block)
}

async function getValue (store: Blockstore, { cid }: Block): Promise<Uint8Array> {
  return join(store.get(cid))
}

/** The chunks of a block, in one piece. */
export async function join (source: ReturnType<Blockstore['get']>): Promise<Uint8Array> {
  const chunks = await Array.fromAsync<Uint8Array>(source)

  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
}

/** Decode a stored value with Node's own decoder and nothing else. */
async function decodeValue (value: Uint8Array, { bytes }: Block, isAlone: boolean): Promise<Uint8Array> {
  const start = Buffer.from(value.subarray(0, HEADER)).indexOf(ZSTD_MAGIC)

  if (start < 0) {
    return value
  }

  const block = await decompress(value.subarray(start), bytes.byteLength, isAlone)
  free(value)

  return block
}
