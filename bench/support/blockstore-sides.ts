import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import type { CompressedBlockstoreInit } from '@ipfsz/blockstore-compressed'
import type { Blockstore } from 'interface-blockstore'

export interface Block {
  cid: CID
  bytes: Uint8Array
}

/** The store that writes the files. It is also measured bare. */
export type Child = 'FsBlockstore' | 'SharedFsBlockstore'

export interface Side {
  name: string
  child: Child
  /** Options of the CompressedBlockstore. Without them, blocks go into the child unchanged. */
  init?: CompressedBlockstoreInit
  /** Reads a block from the child directly, without the CompressedBlockstore. */
  read?: (child: Blockstore, block: Block) => Promise<void>
}

/** The baseline: the file store that Helia users have. */
export const BARE: Child = 'FsBlockstore'

export const BLOCKSTORE_SIDES: readonly Side[] = [
  { name: 'FsBlockstore', child: 'FsBlockstore' },
  { name: 'FsBlockstore, zstd 3, hash', child: 'FsBlockstore', init: { level: 3 } },
  { name: 'FsBlockstore, zstd 3, length', child: 'FsBlockstore', init: { level: 3, verify: 'length' } },
  { name: 'SharedFsBlockstore', child: 'SharedFsBlockstore' },
  onShared('zstd 3, hash', { level: 3 }),
  onShared('zstd 3, length', { level: 3, verify: 'length' }),
  onShared('zstd 3, zlib alone', { level: 3 }, getWithZlib),
  onShared('zstd 1, length', { level: 1, verify: 'length' }),
  onShared('lz4, length', { codec: 'lz4', verify: 'length' }),
  onShared('gzip 6, length', { codec: 'gzip', verify: 'length' }),
  onShared('brotli, length', { codec: 'brotli', verify: 'length' }),
  onShared('snappy, length', { codec: 'snappy', verify: 'length' }),
  onShared('none, hash', { codec: 'none' }),
  onShared('none, length', { codec: 'none', verify: 'length' })
]

function onShared (name: string, init: CompressedBlockstoreInit, read?: Side['read']): Side {
  return { name: `SharedFsBlockstore, ${name}`, child: 'SharedFsBlockstore', init, ...read == null ? {} : { read } }
}

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
  work: (block: Block) => Promise<void>
): Promise<void> {
  const rest = blocks.values()

  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const block of rest) {
      await work(block)
    }
  }))
}

/** Get a block in one piece. */
export async function get (store: Blockstore, { cid, bytes }: Block): Promise<void> {
  check(await getValue(store, cid), bytes)
}

/** Read the stored value, and decompress it with Node's own decoder and nothing else. */
async function getWithZlib (child: Blockstore, { cid, bytes }: Block): Promise<void> {
  const value = await getValue(child, cid)
  const start = Buffer.from(value.subarray(0, HEADER)).indexOf(ZSTD_MAGIC)

  // one byte more than the block, otherwise zlib needs another call to see that it is done
  check(
    start < 0 ? value : await promisify(zstdDecompress)(value.subarray(start), { chunkSize: bytes.byteLength + 1 }),
    bytes
  )
}

async function getValue (store: Blockstore, cid: CID): Promise<Uint8Array> {
  const chunks = await Array.fromAsync<Uint8Array>(store.get(cid))

  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
}

function check (read: Uint8Array, bytes: Uint8Array): void {
  if (read.byteLength !== bytes.byteLength) {
    throw new Error(`${read.byteLength} bytes were read instead of ${bytes.byteLength}`)
  }
}
