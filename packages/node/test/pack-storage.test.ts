import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PackedBlockstore } from '@ipfsz/blockstore-packed'
import { interfaceBlockstoreTests } from 'interface-blockstore-tests'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterEach, beforeEach, describe, expect, it as test } from 'vitest'
import { text } from '../../../test/support/data.ts'
import { PackStorage } from '../src/blocks/pack-storage.ts'

// the suite expects the globals of mocha
Object.assign(globalThis, { afterEach, beforeEach, describe, it: test })

const it = test.extend<{ path: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  path: async ({}, use) => {
    const path = await mkdtemp(join(tmpdir(), 'ipfsz-packs-'))
    await use(path)
    await rm(path, { recursive: true })
  }
})

describe('PackStorage in the compliance suite of blockstores', () => {
  interfaceBlockstoreTests({
    async setup () {
      const storage = new PackStorage(await mkdtemp(join(tmpdir(), 'ipfsz-packs-')), { sync: true })
      await storage.open()

      return storage
    },
    async teardown (storage) {
      await storage.close()
      await rm(storage.path, { recursive: true })
    }
  })
})

describe('PackStorage', () => {
  it('lists blocks with their sizes, and removes what it listed', async ({ path }) => {
    const storage = await filled(path, [text(100), text(2000)])
    const listed = (await Array.fromAsync(storage.blocks())).flat()

    expect(listed.map(({ size }) => size).toSorted()).toEqual([100, 2000])
    expect(await storage.sizeOf({ multihash: listed[0].multihash })).toBe(listed[0].size)

    await storage.remove(listed)
    expect((await Array.fromAsync(storage.blocks())).flat()).toEqual([])
    await storage.close()
  })

  it('lets others find what was put once it is flushed', async ({ path }) => {
    const storage = new PackStorage(path, { sync: true })
    await storage.open()
    const other = new PackedBlockstore(path)
    await other.open()
    const bytes = text(100)
    const cid = await cidOf(bytes)
    await storage.put(cid, bytes)
    await storage.flush()

    expect(await other.has(cid)).toBe(true)

    await other.close()
    await storage.close()
  })

  it('writes a damaged block again when it is put', async ({ path }) => {
    const bytes = crypto.getRandomValues(new Uint8Array(10_000))
    const cid = await cidOf(bytes)
    const storage = await filled(path, [bytes])
    await storage.close()
    const [pack] = await readdir(join(path, 'packs'))
    const file = await open(join(path, 'packs', pack), 'r+')
    const { size } = await stat(join(path, 'packs', pack))
    // in the middle of the block, which is most of the pack
    await file.write(Uint8Array.of(bytes[0] ^ 255, 1, 2, 3), 0, 4, Math.floor(size / 2))
    await file.close()

    await storage.open()
    await storage.put(cid, bytes)
    await storage.close()

    const [stored] = await Array.fromAsync<Uint8Array>(new PackStorage(path, { sync: true }).get(cid))
    expect(Buffer.compare(stored, bytes)).toBe(0)
  })

  it('shares one pack among all that have it open, which is sealed by the last', async ({ path }) => {
    const [first, second] = [new PackStorage(path, { sync: true }), new PackStorage(path, { sync: true })]
    await Promise.all([first.open(), second.open()])
    const [a, b] = [text(100), text(200)]
    await first.put(await cidOf(a), a)
    await first.close()
    // not synced, and found nevertheless
    expect(await second.has(await cidOf(a))).toBe(true)
    await second.put(await cidOf(b), b)
    await second.close()

    expect(await readdir(join(path, 'packs'))).toHaveLength(1)
    expect(await readdir(join(path, 'index'))).toHaveLength(1)
  })

  it('keeps what was put through a storage that nobody has opened, once it is closed', async ({ path }) => {
    const bytes = text(100)
    const cid = await cidOf(bytes)
    const storage = new PackStorage(path, { sync: false })
    await storage.put(cid, bytes)
    await storage.close()

    expect(await new PackStorage(path, { sync: false }).has(cid)).toBe(true)
  })

  it('loses nothing, and fails at nothing, while another of this process closes the packs', async ({ path }) => {
    for (let ticks = 0; ticks < 40; ticks++) {
      const [first, second] = [new PackStorage(path, { sync: false }), new PackStorage(path, { sync: false })]
      const bytes = text(100, ticks)
      const cid = await cidOf(bytes)
      const absent = await cidOf(text(50, ticks))
      // both have the packs
      await Promise.all([first.has(absent), second.has(absent)])
      const putting = first.put(cid, bytes)

      for (let tick = 0; tick < ticks; tick++) {
        await Promise.resolve()
      }

      await Promise.all([second.close(), putting])
      await first.sync()

      expect({ ticks, has: await new PackStorage(path, { sync: false }).has(cid) }).toEqual({ ticks, has: true })
      await first.close()
      expect({ ticks, has: await new PackStorage(path, { sync: false }).has(cid) }).toEqual({ ticks, has: true })
    }
  })
})

async function filled (path: string, blocks: Uint8Array[]): Promise<PackStorage> {
  const storage = new PackStorage(path, { sync: true })
  await storage.open()

  for (const bytes of blocks) {
    await storage.put(await cidOf(bytes), bytes)
  }

  await storage.sync()

  return storage
}

async function cidOf (bytes: Uint8Array): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(bytes))
}
