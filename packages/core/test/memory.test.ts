import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { decodeNode } from '../src/dag/node.ts'
import { readRange } from '../src/dag/read.ts'
import { ipfsz } from '../src/index.ts'
import { collect, CountingBlockstore, getBlock, leavesOf, noise, putNode, same } from './fixtures.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** A blockstore that counts gets and their bytes. */
class ReadRecorder {
  bytes = 0
  gets = 0
  readonly readAheadBytes: number | undefined
  readonly #blockstore: CountingBlockstore
  readonly #fetches: boolean

  constructor (
    blockstore: CountingBlockstore,
    { readAheadBytes, fetches = false }: { readAheadBytes?: number, fetches?: boolean } = {}
  ) {
    this.#blockstore = blockstore
    this.readAheadBytes = readAheadBytes
    this.#fetches = fetches
  }

  async * get (cid: CID): AsyncGenerator<Uint8Array> {
    const block = await getBlock(cid, this.#blockstore)
    this.gets++
    this.bytes += block.byteLength
    yield block
  }

  fetches (): boolean {
    return this.#fetches
  }
}

/** Wait until no more blocks are read ahead. */
async function settle (recorder: ReadRecorder): Promise<void> {
  for (let gets = -1; gets !== recorder.gets;) {
    gets = recorder.gets
    await new Promise(resolve => { setTimeout(resolve, 50) })
  }
}

async function imported (
  size: number,
  chunkSize: number,
  links: number,
  rawLeaves: boolean
): Promise<{ blockstore: CountingBlockstore, cid: CID, bytes: Uint8Array }> {
  const blockstore = new CountingBlockstore()
  const bytes = noise(size)
  const { cid } = await importFile({ content: bytes }, blockstore, {
    rawLeaves,
    cidVersion: 1,
    chunker: fixedSize({ chunkSize }),
    layout: balanced({ maxChildrenPerNode: links })
  })

  return { blockstore, cid, bytes }
}

async function put (block: Uint8Array, blockstore: CountingBlockstore): Promise<CID> {
  const cid = CID.createV1(raw.code, await sha256.digest(block))
  await blockstore.put(cid, block)

  return cid
}

/** A DAG of nodes that each link to one node below, and to `width` leaves of one byte. */
async function putWide (
  levels: number,
  width: number
): Promise<{ blockstore: CountingBlockstore, cid: CID, size: number }> {
  const blockstore = new CountingBlockstore()
  const leaf = await put(Uint8Array.of(65), blockstore)
  let cid = leaf
  let size = 1

  for (let level = 0; level < levels; level++) {
    cid = await putNode(dagPb.prepare({
      Data: new UnixFS(
        { type: 'file', blockSizes: [BigInt(size), ...Array.from({ length: width }, () => 1n)] }
      ).marshal(),
      Links: [
        { Name: '', Hash: cid, Tsize: 1 },
        ...Array.from({ length: width }, () => ({ Name: '', Hash: leaf, Tsize: 1 }))
      ]
    }), blockstore)
    size += width
  }

  return { blockstore, cid, size }
}

describe('readRange', () => {
  describe.each([['dag-pb', false], ['raw', true]])('of %s leaves, while its caller stalls,', (_, rawLeaves) => {
    it('holds no more blocks than blockReadConcurrency besides the one taken', async () => {
      const { blockstore, cid } = await imported(16 * MIB, 256 * KIB, 5, rawLeaves)
      const recorder = new ReadRecorder(blockstore)
      const node = decodeNode(cid, await getBlock(cid, blockstore))
      const read = readRange(node, { start: 0, end: 16 * MIB }, recorder, { blockReadConcurrency: 8 })

      await read.next()
      await settle(recorder)
      // eight blocks besides the one that was taken, and the nodes above them
      expect(recorder.bytes).toBeLessThan(9.2 * 256 * KIB)
      await read.return(undefined)
    })

    it('holds more small blocks the more were taken, up to 8 MiB', { tags: 'slow' }, async () => {
      const { blockstore, cid } = await imported(32 * MIB, 256 * KIB, 5, rawLeaves)
      const recorder = new ReadRecorder(blockstore)
      const node = decodeNode(cid, await getBlock(cid, blockstore))
      const read = readRange(node, { start: 0, end: 32 * MIB }, recorder, {})
      let taken = 0

      while (taken < 24 * MIB) {
        taken += (await read.next()).value?.byteLength ?? 0
      }

      await settle(recorder)
      expect(recorder.bytes - taken).toBeLessThan(8.5 * MIB)
      expect(recorder.bytes - taken).toBeGreaterThan(4 * MIB)
      await read.return(undefined)
    })

    it('holds no more bytes than readAheadBytes if blocks come from peers', async () => {
      const { blockstore, cid, bytes } = await imported(16 * MIB, 256 * KIB, 5, rawLeaves)
      const recorder = new ReadRecorder(blockstore, { readAheadBytes: 4 * MIB, fetches: true })
      const node = decodeNode(cid, await getBlock(cid, blockstore))
      const read = readRange(node, { start: 0, end: 16 * MIB }, recorder, {})

      await read.next()
      await settle(recorder)
      expect(recorder.bytes).toBeLessThan(4.5 * MIB)
      expect(recorder.bytes).toBeGreaterThan(3 * MIB)
      await read.return(undefined)

      // the same bound is enough to read everything
      expect(Buffer.compare(await collect(readRange(node, { start: 0, end: 16 * MIB }, recorder, {})), bytes)).toBe(0)
    })
  })

  it('reads everything even if readAheadBytes is less than a block', async () => {
    const { blockstore, cid, bytes } = await imported(2 * MIB, 256 * KIB, 3, false)
    const recorder = new ReadRecorder(blockstore, { readAheadBytes: 1, fetches: true })
    const node = decodeNode(cid, await getBlock(cid, blockstore))

    const read = readRange(node, { start: 0, end: bytes.byteLength }, recorder, {})
    expect(Buffer.compare(await collect(read), bytes)).toBe(0)
  })

  it('drops blocks that are larger than their parent states, and fetches them again in their turn', {
    tags: 'slow'
  }, async () => {
    const blockstore = new CountingBlockstore()
    const leaf = await put(noise(10), blockstore)
    const links = await Promise.all(Array.from({ length: 64 }, async (_, i) => {
      // nodes of 10 bytes of the file and 300 KiB of links to nothing
      const empty = CID.createV1(raw.code, identity.digest(Uint8Array.of(i, i)))
      const width = 16 * KIB
      const Hash = await putNode(dagPb.prepare({
        Data: new UnixFS({ type: 'file', blockSizes: [10n, ...Array.from({ length: width }, () => 0n)] }).marshal(),
        Links: [
          { Name: '', Hash: leaf, Tsize: 10 },
          ...Array.from({ length: width }, () => ({ Name: '', Hash: empty, Tsize: 0 }))
        ]
      }), blockstore)

      return { Name: '', Hash, Tsize: 10 }
    }))
    const cid = await putNode(
      dagPb.prepare({ Data: new UnixFS({ type: 'file', blockSizes: links.map(() => 10n) }).marshal(), Links: links }),
      blockstore
    )
    const recorder = new ReadRecorder(blockstore, { readAheadBytes: MIB, fetches: true })
    const node = decodeNode(cid, await getBlock(cid, blockstore))

    expect(await collect(readRange(node, { start: 0, end: 640 }, recorder, {}))).toHaveLength(640)
  })
})

describe('a file whose nodes have very many links', () => {
  it('is read if the links of the nodes above one block fit into the limit', async () => {
    const { blockstore, cid, size } = await putWide(3, 2000)

    const node = decodeNode(cid, await getBlock(cid, blockstore))

    expect(await collect(readRange(node, { start: 0, end: size }, blockstore, {}))).toHaveLength(size)
  })
})

describe('the leaves of a file', () => {
  const BYTES = noise(4 * MIB)

  it('are hashed on other threads while several are read', async () => {
    const hash = vi.spyOn(crypto.subtle, 'digest')
    const blockstore = new CountingBlockstore()
    const files = ipfsz({ blockstore })
    const [large, small] = [await files.addBytes(BYTES), await files.addBytes(BYTES.subarray(0, MIB))]

    expect(same(await collect(files.cat(small)), BYTES.subarray(0, MIB))).toBe(true)
    expect(hash).not.toHaveBeenCalled()
    expect(same(await collect(files.cat(large)), BYTES)).toBe(true)
    expect(hash).toHaveBeenCalled()
    hash.mockRestore()
  })

  it('are refused there too if they do not match', async () => {
    const blockstore = new CountingBlockstore()
    const files = ipfsz({ blockstore })
    const cid = await files.addBytes(BYTES)
    const damaged = (await leavesOf(cid, blockstore))[2]
    await blockstore.put(damaged, (await getBlock(damaged, blockstore)).with(1000, 1))

    await expect(collect(files.cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError', cid: damaged })
  })
})
