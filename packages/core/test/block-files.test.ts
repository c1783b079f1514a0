import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it as base } from 'vitest'
import { CorruptBlockError, ipfsz } from '../src/index.ts'
import { collect, FRAME, text } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

const BYTES = text(4 * FRAME)

function nameOf ({ multihash }: CID): string {
  return Buffer.from(multihash.bytes).toString('hex')
}

/** Blocks in memory, and in files as those of the class of blockstore-fs with the same name. */
class FsBlockstore extends MemoryBlockstore {
  readonly path: string
  readonly shardingStrategy = { encode: (cid: CID) => ({ dir: '.', file: nameOf(cid) }) }
  asked = 0

  constructor (path: string) {
    super()
    this.path = path
  }

  override * get (...args: Parameters<MemoryBlockstore['get']>): Generator<Uint8Array> {
    this.asked++
    yield * super.get(...args) as Iterable<Uint8Array>
  }

  async writeFiles (change = (bytes: Uint8Array): Uint8Array => bytes): Promise<void> {
    for (const { cid, bytes } of this.getAll() as Iterable<{ cid: CID, bytes: AsyncIterable<Uint8Array> }>) {
      await writeFile(join(this.path, nameOf(cid)), change(await collect(bytes)))
    }
  }
}

const it = base.extend<{ store: FsBlockstore, cid: CID }>({
  // oxlint-disable-next-line no-empty-pattern
  store: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'block-files-'))
    await use(new FsBlockstore(directory))
    await rm(directory, { recursive: true })
  },
  cid: async ({ store }, use) => {
    const options = { compression: { codec: 'zstd', frameSize: FRAME, detect: false } } as const
    await use(await ipfsz({ blockstore: store }).addBytes(BYTES, options))
  }
})

async function read (blockstore: FsBlockstore, cid: CID): Promise<{ asked: number }> {
  const before = blockstore.asked
  expect(Buffer.compare(await collect(ipfsz({ blockstore }).cat(cid)), BYTES)).toBe(0)

  return { asked: blockstore.asked - before }
}

describe('the blocks of an FsBlockstore', () => {
  it('are read from its files', async ({ store, cid }) => {
    await store.writeFiles()

    expect(await read(store, cid)).toEqual({ asked: 0 })
  })

  it('are read from its files for what is added with a base', async ({ store, cid }) => {
    await store.writeFiles()
    const fs = ipfsz({ blockstore: store })
    const before = store.asked
    await fs.addBytes(Buffer.concat([BYTES, text(100)]), { compression: { codec: 'zstd', base: cid } })

    expect(store.asked - before).toBe(0)
  })

  it('are those that the store returns, whatever is in its files', async ({ store, cid }) => {
    await store.writeFiles(bytes => bytes.map(byte => byte ^ 1))

    expect((await read(store, cid)).asked).toBeGreaterThan(1)
  })

  it('are asked of the store if there are no such files', async ({ store, cid }) => {
    expect((await read(store, cid)).asked).toBeGreaterThan(1)
  })

  it('are read through a get that the caller has replaced', async ({ store, cid }) => {
    await store.writeFiles()
    const { get } = store
    store.get = (...args) => get.apply(store, args)

    expect((await read(store, cid)).asked).toBeGreaterThan(1)
  })

  it('are refused if they are damaged there too', async ({ store, cid }) => {
    await store.writeFiles(bytes => bytes.map(byte => byte ^ 1))
    store.get = function * () { yield new Uint8Array([1]) }

    await expect(collect(ipfsz({ blockstore: store }).cat(cid))).rejects.toHaveProperty('name', CorruptBlockError.name)
  })
})
