/** Lists, reads, damages and deletes single blocks of a repo, whether they are files or in packs. */
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PackedBlockstore } from '@ipfsz/blockstore-packed'
import { FsBlockstore } from 'blockstore-fs'
import { base32upper } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import type { Blockstore } from 'interface-blockstore'

/** The CIDs of the blocks of a repo, with the codec raw, sorted by hash. */
export async function listBlocks (repo: string): Promise<string[]> {
  const cids = await withBlocks(repo, async blockstore => {
    const cids: CID[] = []

    for await (const { cid } of blockstore instanceof PackedBlockstore ? blockstore.getAll() : inFiles(repo)) {
      cids.push(cid)
    }

    return cids
  })

  return cids.toSorted((a, b) => Buffer.compare(a.multihash.bytes, b.multihash.bytes)).map(String)
}

/** The largest block of a repo. */
export async function largestBlock (repo: string): Promise<string> {
  return (await largestBlocks(repo))[0]
}

/** The blocks of a repo, the largest ones first. */
export async function largestBlocks (repo: string): Promise<string[]> {
  const blocks = await listBlocks(repo)
  const sizes = await withBlocks(repo, async blockstore => Promise.all(blocks.map(async cid =>
    ({ cid, size: (await bytesOf(blockstore, cid)).byteLength }))))

  return sizes.toSorted((a, b) => b.size - a.size).map(({ cid }) => cid)
}

export async function readBlock (repo: string, cid: string): Promise<Buffer> {
  return withBlocks(repo, async blockstore => bytesOf(blockstore, cid))
}

/** Store bytes in the place of a block, whatever its hash. */
export async function writeBlock (repo: string, cid: string, bytes: Uint8Array): Promise<void> {
  await withBlocks(repo, async blockstore => {
    // packs write no block that is there
    await blockstore.delete(CID.parse(cid))
    await blockstore.put(CID.parse(cid), bytes)
  })
}

export async function removeBlock (repo: string, cid: string): Promise<void> {
  await withBlocks(repo, async blockstore => blockstore.delete(CID.parse(cid)))
}

/** Flip a bit in the middle of a block. */
export async function flipBit (repo: string, cid: string): Promise<void> {
  const bytes = await readBlock(repo, cid)
  bytes[Math.floor(bytes.byteLength / 2)] ^= 0x10
  await writeBlock(repo, cid, bytes)
}

/** Do something with the blocks of a repo, as they are stored. */
export async function withBlocks<T> (repo: string, work: (blockstore: Blockstore) => Promise<T>): Promise<T> {
  const blockstore = await openBlocks(repo)

  return work(blockstore).finally(async () => {
    await (blockstore instanceof PackedBlockstore ? blockstore.close() : undefined)
  })
}

/** The blocks of a repo, as they are stored, for Helia. What is put is durable. */
export async function openBlocks (repo: string): Promise<Blockstore> {
  const directory = join(repo, 'blocks')
  const setting = await readFile(join(repo, 'blockstore.json'), 'utf8').catch(() => '')

  if (!setting.includes('"layout":"packs"')) {
    return new FsBlockstore(directory)
  }

  const packs = new PackedBlockstore(directory)
  await packs.open()

  return packs
}

async function bytesOf (blockstore: Blockstore, cid: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync<Uint8Array>(blockstore.get(CID.parse(cid))))
}

/** The paths of the block files of a repo: for tests of that layout. */
export async function blockFiles (repo: string): Promise<string[]> {
  const blocks = join(repo, 'blocks')
  const names = await readdir(blocks, { recursive: true }).catch(() => [])

  return names.filter(name => name.endsWith('.data')).map(name => join(blocks, name)).toSorted()
}

/** FsBlockstore lists blocks of sha2-256 alone. */
async function * inFiles (repo: string): AsyncGenerator<{ cid: CID }> {
  for (const path of await blockFiles(repo)) {
    yield { cid: CID.createV1(raw.code, Digest.decode(base32upper.decode(basename(path, '.data')))) }
  }
}
