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

export interface Side {
  name: string
  /** Of the CompressedBlockstore. Without it blocks go into the FsBlockstore as they are. */
  init?: CompressedBlockstoreInit
  /** Reads what the FsBlockstore has by itself. */
  read?: (child: Blockstore, block: Block) => Promise<void>
}

/** What all others are compared with. */
export const BARE = 'FsBlockstore'

export const BLOCKSTORE_SIDES: readonly Side[] = [
  { name: BARE },
  { name: 'zstd 3, hash', init: { level: 3 } },
  { name: 'zstd 3, length', init: { level: 3, verify: 'length' } },
  { name: 'zstd 3, length, trusted', init: { level: 3, verify: 'length', trustEnvelopes: true } },
  { name: 'zstd 3, zlib alone', init: { level: 3 }, read: getWithZlib },
  { name: 'zstd 1, length, trusted', init: { level: 1, verify: 'length', trustEnvelopes: true } },
  { name: 'lz4, length', init: { codec: 'lz4', verify: 'length' } },
  { name: 'gzip 6, length', init: { codec: 'gzip', verify: 'length' } },
  { name: 'brotli, length', init: { codec: 'brotli', verify: 'length' } },
  { name: 'snappy, length', init: { codec: 'snappy', verify: 'length' } },
  { name: 'none, hash', init: { codec: 'none' } },
  { name: 'none, length', init: { codec: 'none', verify: 'length' } }
]

/** An envelope's header and the magic number behind it take no more bytes. */
const HEADER = 16

/** How a frame of Zstandard begins (RFC 8878, section 3.1.1). */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

export async function makeBlocks (pieces: readonly Uint8Array[]): Promise<Block[]> {
  return Promise.all(pieces.map(async bytes => ({ cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes })))
}

/** Do something with each block, with a few of them at one time. */
export async function eachOf (blocks: readonly Block[], concurrency: number, work: (block: Block) => Promise<void>): Promise<void> {
  const rest = blocks.values()

  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const block of rest) {
      await work(block)
    }
  }))
}

/** As whoever needs the block in one piece does it. */
export async function get (store: Blockstore, { cid, bytes }: Block): Promise<void> {
  check(await getValue(store, cid), bytes)
}

/** Of the value that is stored, with nothing around Node's own decoder. */
async function getWithZlib (child: Blockstore, { cid, bytes }: Block): Promise<void> {
  const value = await getValue(child, cid)
  const start = Buffer.from(value.subarray(0, HEADER)).indexOf(ZSTD_MAGIC)

  // one byte more than there are, or zlib is asked again whether it is done
  check(start < 0 ? value : await promisify(zstdDecompress)(value.subarray(start), { chunkSize: bytes.byteLength + 1 }), bytes)
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
