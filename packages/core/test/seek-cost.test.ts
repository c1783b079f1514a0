import { CODES } from '@ipfsz/codecs'
import { codecs } from '@ipfsz/codecs/all'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { marshal } from '../src/dag/marshal.ts'
import { encodeSeekTable } from '../src/format/seek-table.ts'
import { ipfsz, mark } from '../src/index.ts'
import { collect, CountingBlockstore, text } from './fixtures.ts'
import type { SeekTableEntry } from '../src/format/seek-table.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

const BYTES = text(1000)

/** Bytes below a link. */
interface Part {
  cid: CID
  size: number
}

/** Files of any size, made of few blocks. */
class Parts {
  readonly blockstore = new CountingBlockstore()

  async leaf (bytes: Uint8Array): Promise<Part> {
    return { cid: await this.#put(raw.code, bytes), size: bytes.byteLength }
  }

  async node (parts: readonly Part[]): Promise<Part> {
    const data = marshal(new UnixFS({ type: 'file', blockSizes: parts.map(({ size }) => BigInt(size)) }))
    const links = parts.map(({ cid, size }) => ({ Name: '', Hash: cid, Tsize: size }))
    const bytes = dagPb.encode(dagPb.prepare({ Data: data, Links: links }))

    return { cid: await this.#put(dagPb.code, bytes), size: parts.reduce((total, { size }) => total + size, 0) }
  }

  /** Zeros, a whole number of MiB. */
  async zeros (size: number): Promise<Part> {
    const leaf = await this.leaf(new Uint8Array(MIB))
    const node = await this.node(repeated(leaf, Math.min(size / MIB, 1024)))

    return size <= GIB ? node : this.node(repeated(node, size / GIB))
  }

  async #put (code: number, bytes: Uint8Array): Promise<CID> {
    const cid = CID.createV1(code, await sha256.digest(bytes))
    await this.blockstore.put(cid, bytes)

    return cid
  }
}

describe.each(['zstd', 'lz4'] as const)('a range of a %s stream with a hostile seek table', codec => {
  /** A stream of parts, each with an entry in the table, marked. */
  async function open (
    make: (parts: Parts) => Promise<Array<readonly [Part, size: number]>>
  ): Promise<{ fs: ReturnType<typeof ipfsz>, cid: CID, blockstore: CountingBlockstore }> {
    const parts = new Parts()
    const listed = await make(parts)
    const entries = listed.map(([{ size: length }, size]): SeekTableEntry => ({ length, size }))
    const table = await parts.leaf(encodeSeekTable(entries, entries.length))
    const { cid } = await parts.node([...listed.map(([part]) => part), table])

    return { fs: ipfsz({ blockstore: parts.blockstore }), cid: mark(cid, CODES[codec]), blockstore: parts.blockstore }
  }

  async function frame (parts: Parts, bytes = BYTES): Promise<readonly [Part, number]> {
    return [await parts.leaf(await codecs[codec]().compress(bytes)), bytes.byteLength]
  }

  it.each([2 * GIB, 3 * MIB])('does not fetch entries without original bytes, of %s bytes each', async size => {
    const { fs, cid, blockstore } = await open(async parts => [
      await frame(parts), ...repeated([await parts.zeros(size), 0] as const, 512), await frame(parts)
    ])
    blockstore.gets.length = 0

    expect(await collect(fs.cat(cid, { offset: 999, length: 2 }))).toEqual(Buffer.from([BYTES[999], BYTES[0]]))
    // the root, the table and two frames
    expect(blockstore.gets.length).toBeLessThan(10)
  })

  it('reads what lies between frames if it is short', async () => {
    const gap = new Uint8Array(100)
    // a skippable frame
    new DataView(gap.buffer).setUint32(0, 0x184d2a50, true)
    new DataView(gap.buffer).setUint32(4, 92, true)
    const { fs, cid } = await open(async parts => {
      const [first] = await frame(parts)
      const skipped = [await parts.leaf(gap), 0] as const

      return [[first, 1000], skipped, skipped, [first, 1000], skipped, [first, 1000]]
    })

    expect(Buffer.compare(await collect(fs.cat(cid, { offset: 1 })), Buffer.concat([BYTES, BYTES, BYTES]).subarray(1)))
      .toBe(0)
    await expect(fs.verify(cid)).resolves.toMatchObject({ size: 3000n })
  })

  it('is refused if it would cost far more stored bytes than it has original ones', async () => {
    for (const size of [1, 1000, 64 * MIB]) {
      const { fs, cid, blockstore } = await open(async parts => [
        await frame(parts), ...repeated([await parts.zeros(2 * GIB), size] as const, 512), await frame(parts)
      ])
      blockstore.gets.length = 0

      await expect(collect(fs.cat(cid, { offset: 999, length: 513 * size }))).rejects
        .toMatchObject({ name: 'InvalidTrailerError' })
      expect(blockstore.gets.length).toBeLessThan(10)
      // ranges elsewhere are fine
      expect(await collect(fs.cat(cid, { offset: 1, length: 10 }))).toEqual(Buffer.from(BYTES.subarray(1, 11)))
    }
  })

  it('is refused if it would cost a block for each byte', async () => {
    const { fs, cid, blockstore } = await open(async parts => {
      const one = await frame(parts, BYTES.subarray(0, 1))
      const gap = [await parts.zeros(2 * MIB), 0] as const

      return repeated([one, gap], 1000).flat()
    })
    blockstore.gets.length = 0

    await expect(collect(fs.cat(cid, { offset: 1, length: 900 }))).rejects.toThrow('seek table')
    expect(blockstore.gets.length).toBeLessThan(10)
    expect(await collect(fs.cat(cid, { offset: 1, length: 3 }))).toEqual(Buffer.alloc(3, BYTES[0]))
  })

  it('is refused if original bytes have no stored ones', async () => {
    const { fs, cid } = await open(async parts => {
      const [first] = await frame(parts)
      const none = { cid: (await parts.leaf(new Uint8Array(0))).cid, size: 0 }

      return [[first, 1000], [none, 1000], [none, 20 * MIB], [first, 1000]]
    })

    for (const [offset, length] of [[999, 2], [1, 5000], [1500, 10], [2000, 21 * MIB]]) {
      await expect(collect(fs.cat(cid, { offset, length }))).rejects.toMatchObject({ name: 'CorruptFrameError' })
    }
  })
})

function repeated<T> (value: T, times: number): T[] {
  return Array.from({ length: times }, () => value)
}
