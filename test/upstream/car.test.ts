import { car } from '@helia/car'
import { CarReader, CarWriter } from '@ipld/car'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mended } from './installed.ts'

const MIB = 1024 * 1024

async function concat (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []

  for await (const chunk of chunks) {
    all.push(chunk)
  }

  return Buffer.concat(all)
}

/** A CAR without blocks. */
async function emptyCar (roots: CID[]): Promise<Uint8Array> {
  const { writer, out } = CarWriter.create(roots)
  const bytes = concat(out)
  await writer.close()

  return bytes
}

describe('@ipld/car', () => {
  it('buffers as many bytes as the length of a section says', async () => {
    const cid = CID.createV1(raw.code, await sha256.digest(new Uint8Array(0)))
    const header = await emptyCar([cid])
    // 1 TiB as a varint
    const length = Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x20)
    let taken = 0

    async function * source (): AsyncGenerator<Uint8Array> {
      yield Buffer.concat([header, length, cid.bytes])

      for (; taken < 16; taken++) {
        yield new Uint8Array(MIB)
      }
    }

    // it buffers the whole source, 16 MiB here, and fails only when the source ends
    await expect(CarReader.fromIterable(source())).rejects.toThrow()
    expect(taken, mended('@ipld/car', 'packages/node/src/car/car-input.ts')).toBe(16)
  })

  it('makes a CID for each of 20,000 equal roots', async () => {
    const cid = CID.createV1(raw.code, await sha256.digest(new Uint8Array(0)))
    const reader = await CarReader.fromBytes(await emptyCar(Array.from({ length: 20_000 }, () => cid)))

    expect(new Set(await reader.getRoots()).size, mended('@ipld/car', 'packages/node/src/car/car-header.ts'))
      .toBe(20_000)
  })
})

describe('@helia/car', () => {
  it('leaves out the blocks below a root that is an identity CID', async () => {
    const helia = createHeliaLight({ blockstore: new MemoryBlockstore() })
    onTestFinished(async () => { await helia.stop() })
    await helia.start()
    const bytes = new Uint8Array([1])
    const leaf = CID.createV1(raw.code, await sha256.digest(bytes))
    await helia.blockstore.put(leaf, bytes)
    const node = dagPb.encode(dagPb.prepare({ Links: [{ Name: 'leaf', Hash: leaf, Tsize: 1 }] }))
    const root = CID.createV1(dagPb.code, identity.digest(node))

    const reader = await CarReader.fromIterable(car(helia).export(root))

    expect(await reader.has(leaf), mended('@helia/car', 'packages/node/src/car/write-car.ts')).toBe(false)
  })
})
