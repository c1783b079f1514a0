import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { unixfs } from '@helia/unixfs'
import { CompressedBlockstore, convert, stats } from '@ipfsz/blockstore-compressed'
import { S3Blockstore } from '@ipfsz/blockstore-s3'
import { codecs } from '@ipfsz/codecs/all'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noise, text } from '../support/data.ts'
import { startS3, stopS3, storeAt } from './s3/server.ts'
import type { S3Server } from './s3/server.ts'
import type { CodecName } from '@ipfsz/codecs'

let server: S3Server

beforeAll(async () => { server = await startS3() })
afterAll(async () => stopS3(server))

async function makeBucket (): Promise<{ bucket: string, child: S3Blockstore }> {
  const bucket = `ipfsz-${randomUUID()}`
  const child = new S3Blockstore(storeAt(server.endpoint, bucket), { createIfMissing: true })
  await child.open()

  return { bucket, child }
}

async function cidOf (bytes: Uint8Array): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(bytes))
}

async function read (chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync<Uint8Array>(chunks))
}

describe('a CompressedBlockstore in an S3 bucket', () => {
  it.each(Object.keys(codecs) as CodecName[])('puts, gets, lists and deletes blocks with %s', async codec => {
    const { child } = await makeBucket()
    const store = new CompressedBlockstore(child, { codec })
    const blocks = [text(300_000), text(5000, 2), noise(5000), new Uint8Array(0)]
    const pairs = await Promise.all(blocks.map(async bytes => ({ cid: await cidOf(bytes), bytes })))

    await store.put(pairs[0].cid, pairs[0].bytes)
    await Array.fromAsync(store.putMany(pairs.slice(1)))

    for (const { cid, bytes } of pairs) {
      expect(await Array.fromAsync(store.get(cid), chunk => Buffer.from(chunk))).toEqual([Buffer.from(bytes)])
    }

    const all = await Array.fromAsync(
      store.getAll(),
      async ({ cid, bytes }) =>
        [Buffer.from(cid.multihash.bytes).toString('hex'), (await read(bytes)).byteLength] as const
    )
    expect(new Map(all)).toEqual(
      new Map(pairs.map(({ cid, bytes }) => [Buffer.from(cid.multihash.bytes).toString('hex'), bytes.byteLength]))
    )
    expect((await stats(child)).codecs)
      .toMatchObject({ [codec]: { blocks: 2, size: 305_000 }, none: { blocks: 2, size: 5000, storedSize: 5000 } })

    await Array.fromAsync(store.deleteMany(pairs.map(({ cid }) => cid)))
    expect(await store.has(pairs[0].cid)).toBe(false)
  })

  it('stores fewer bytes in the bucket than the block has', async () => {
    const { child } = await makeBucket()
    const cid = await cidOf(text(300_000))

    await new CompressedBlockstore(child).put(cid, text(300_000))
    const [[{ size }]] = await Array.fromAsync(child.list())

    expect(size).toBe((await read(child.get(cid))).byteLength)
    expect(size).toBeLessThan(150_000)
  })

  it('is converted in place while another node reads it, with more blocks than one listing has', {
    tags: 'nightly'
  }, async () => {
    const { child, bucket } = await makeBucket()
    const blocks = Array.from({ length: 1100 }, (_, i) => text(1000, i + 1))
    const cids = await Promise.all(blocks.map(cidOf))
    await Promise.all(cids.map(async (cid, i) => child.put(cid, blocks[i])))
    const reading: Array<Promise<boolean>> = []
    const reader = new CompressedBlockstore(new S3Blockstore(storeAt(server.endpoint, bucket)), { verify: 'length' })
    let reads = 0

    const report = await convert(child, {
      codec: 'brotli',
      concurrency: 8,
      onProgress: () => {
        const i = (reads + 37) % cids.length
        reading.push(read(reader.get(cids[i])).then(bytes => bytes.equals(blocks[i])))
        reads++
      }
    })

    expect(report).toMatchObject({ blocks: 1100, converted: 1100, unreadable: 0 })
    expect(new Set(await Promise.all(reading))).toEqual(new Set([true]))
    expect(reads).toBe(1100)
    expect((await stats(child)).codecs).toMatchObject({ brotli: { blocks: 1100, size: 1_100_000 } })
    expect(await convert(child, { codec: 'brotli' })).toMatchObject({ converted: 0, unchanged: 1100 })
  })

  it('is shared by two nodes with different codecs, each of which reads what the other adds', async () => {
    const { child, bucket } = await makeBucket()
    const program = join(import.meta.dirname, 's3', 'node.ts')
    const nodes = [['zstd', '2'], ['brotli', '3']].map(([codec, seed]) => {
      const node = spawn(process.execPath, [program, server.endpoint, bucket, codec, seed], {
        stdio: ['pipe', 'pipe', 'inherit']
      })
      const lines = createInterface(node.stdout)[Symbol.asyncIterator]()

      return {
        seed: Number(seed),
        say: (text: string) => node.stdin.write(`${text}\n`),
        hear: async () => JSON.parse((await lines.next()).value as string) as string[]
      }
    })

    nodes.forEach(({ say }) => say('go'))
    const added = await Promise.all(nodes.map(async ({ hear }) => hear()))
    nodes.forEach(({ say }, i) => say(JSON.stringify(added[1 - i])))
    const hashes = await Promise.all(nodes.map(async ({ hear }) => hear()))

    for (const [i, { seed }] of nodes.entries()) {
      expect(hashes[1 - i]).toEqual(
        Array.from(
          { length: 12 },
          (_, n) => createHash('sha256').update(text(300_000 + n, n % 2 === 0 ? 1 : seed)).digest('hex')
        )
      )
    }

    // the half that both nodes add is stored once
    expect(new Set(added.flat()).size).toBe(18)
    const { blocks, codecs, unreadable } = await stats(child)
    expect({ blocks, unreadable }).toEqual({ blocks: 18, unreadable: 0 })
    expect(codecs.zstd?.blocks).toBeGreaterThanOrEqual(6)
    expect(codecs.brotli?.blocks).toBeGreaterThanOrEqual(6)
  })

  it('keeps what a Helia node pins, and loses what its gc deletes', async () => {
    const { child } = await makeBucket()
    const helia = await createHeliaLight({ blockstore: new CompressedBlockstore(child) }).start()
    const fs = unixfs(helia)
    const kept = await fs.addBytes(text(3_000_000))
    const other = await fs.addBytes(text(3_000_000, 2))
    await Array.fromAsync(helia.pins.add(kept))

    await helia.gc()

    expect(await read(fs.cat(kept))).toEqual(Buffer.from(text(3_000_000)))
    expect(await helia.blockstore.has(other)).toBe(false)
    await helia.stop()
  })

  it('passes on the errors of the S3Blockstore when the server is gone', async () => {
    const other = await startS3()
    const child = new S3Blockstore(storeAt(other.endpoint, 'gone'), { createIfMissing: true })
    await child.open()
    const store = new CompressedBlockstore(child)
    const cid = await cidOf(text(3000))
    await store.put(cid, text(3000))
    await stopS3(other)

    await expect(store.put(cid, text(3000))).rejects.toMatchObject({ name: 'PutFailedError' })
    await expect(read(store.get(cid))).rejects.toMatchObject({ name: 'GetFailedError' })
    await expect(convert(child)).rejects.toMatchObject({ name: 'GetFailedError' })
  })
})
