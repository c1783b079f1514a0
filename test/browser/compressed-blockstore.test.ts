/** A CompressedBlockstore on IndexedDB, in a real browser. */
import { CompressedBlockstore, convert, stats } from '@ipfsz/blockstore-compressed'
import { codecs } from '@ipfsz/codecs/all'
import { IDBBlockstore } from 'blockstore-idb'
import { interfaceBlockstoreTests } from 'interface-blockstore-tests'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noise, text } from '../support/data.ts'
import type { Verify } from '@ipfsz/blockstore-compressed'
import type { CodecName } from '@ipfsz/codecs'

// the suite expects mocha's globals
Object.assign(globalThis, { afterEach, beforeEach, describe, it })

const NAMES = Object.keys(codecs) as CodecName[]
const CODECS: Array<CodecName | 'none'> = [...NAMES, 'none']
const VERIFY: Verify[] = ['hash', 'length', 'none']

let databases = 0

async function makeChild (): Promise<IDBBlockstore> {
  const child = new IDBBlockstore(`ipfsz-${databases++}`)
  await child.open()

  return child
}

async function remove (child: IDBBlockstore): Promise<void> {
  await child.close()
  await child.destroy()
}

// what each codec stores is read back below, and passes the suite in memory, in Node
for (const [codec, verify] of [...VERIFY.map(verify => ['zstd', verify] as const), ['none', 'hash'] as const]) {
  describe(`CompressedBlockstore on IDBBlockstore with ${codec}, verify ${verify}, compliance suite`, () => {
    interfaceBlockstoreTests({
      setup: async () => new CompressedBlockstore(await makeChild(), { codec, verify, minSize: 0 }),
      teardown: async store => remove(store.unwrap() as IDBBlockstore)
    })
  })
}

async function cidOf (bytes: Uint8Array): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(bytes as Uint8Array<ArrayBuffer>))
}

describe('a CompressedBlockstore on IDBBlockstore', () => {
  it.each(
    NAMES.flatMap(codec => VERIFY.map(verify => ({ codec, verify })))
  )('reads back blocks that it stored with $codec and verify $verify', async ({ codec, verify }) => {
    const child = await makeChild()
    const store = new CompressedBlockstore(child, { codec, verify })
    const blocks = [text(300_000), text(5000, 2), noise(5000), new Uint8Array(0)]
    const pairs = await Promise.all(blocks.map(async bytes => ({ cid: await cidOf(bytes), bytes })))

    await Array.fromAsync(store.putMany(pairs))

    for (const { cid, bytes } of pairs) {
      expect(await Array.fromAsync(store.get(cid))).toEqual([bytes])
    }

    expect((await stats(child)).codecs)
      .toMatchObject({ [codec]: { blocks: 2, size: 305_000 }, none: { blocks: 2, size: 5000, storedSize: 5000 } })
    await remove(child)
  })

  it('is converted in place to every codec, and back to plain blocks', async () => {
    const child = await makeChild()
    const bytes = text(300_000)
    const cid = await cidOf(bytes)
    await child.put(cid, bytes)

    for (const codec of CODECS) {
      expect(await convert(child, { codec })).toMatchObject({ blocks: 1, converted: 1, unreadable: 0 })
      expect(await Array.fromAsync(new CompressedBlockstore(child).get(cid))).toEqual([bytes])
    }

    expect(await Array.fromAsync<Uint8Array>(child.get(cid))).toEqual([bytes])
    await remove(child)
  })
})
