/** What a power cut at any moment leaves of a SharedFsBlockstore, on the worst possible disk. */
import calls from 'node:fs'
import fs, { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { base32upper } from 'multiformats/bases/base32'
import { describe, expect, it as base } from 'vitest'
import { text } from '../../../test/support/data.ts'
import { MODES, PowerCut } from '../../../test/support/power-cut.ts'
import { SharedFsBlockstore } from '../src/fs/index.ts'
import { CompressedBlockstore, convert } from '../src/index.ts'
import { cidOf } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

interface Block {
  cid: CID
  bytes: Uint8Array
}

const it = base.extend<{ directory: string, blocks: Block[] }>({
  // oxlint-disable-next-line no-empty-pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-power-'))
    await use(directory)
    await rm(directory, { recursive: true })
  },
  // oxlint-disable-next-line no-empty-pattern
  blocks: async ({}, use) => {
    await use(await Promise.all(Array.from({ length: 20 }, async (_, i) => {
      const bytes = text(3000 + i, i + 1)

      return { cid: await cidOf(bytes), bytes }
    })))
  }
})

describe('SharedFsBlockstore on a disk that loses power', () => {
  it('has each block whole or not at all, at any moment', async ({ directory, blocks }) => {
    const cut = await record(directory, async () => { await putAll(await open(directory), blocks) })

    expect(kinds(cut, blocks)).toEqual(new Set(['whole', 'absent']))
  })

  it('has all blocks that were put before sync or close resolved', async ({ directory, blocks }) => {
    for (const end of ['sync', 'close'] as const) {
      const path = join(directory, end)
      await fs.mkdir(path)
      const cut = await record(path, async () => {
        const store = await open(path)
        await putAll(store, blocks)
        await store[end]()
      })

      expect(kinds(cut, blocks, cut.length)).toEqual(new Set(['whole']))
    }
  })

  it('has blocks written with sync: false once another store puts and syncs them', async ({
    directory,
    blocks
  }) => {
    const cut = await record(directory, async () => {
      await putAll(await open(directory, { sync: false }), blocks)
      const store = await open(directory)
      await putAll(store, blocks)
      await store.sync()
    })

    expect(kinds(cut, blocks, cut.length)).toEqual(new Set(['whole']))
  })

  it('has all blocks as soon as the first of two concurrent syncs resolves', async ({ directory, blocks }) => {
    let returned = 0
    const cut = await record(directory, async cut => {
      const store = await open(directory)
      await putAll(store, blocks)
      await Promise.all([store.sync(), store.sync()].map(async sync => {
        await sync
        returned = cut.length
        cut.note('synced')
      }))
    })
    const first = Array.from({ length: cut.length }, (_, moment) => moment).find(moment => cut.notes(moment).length > 0)

    expect(returned).toBeGreaterThan(0)
    expect(kinds(cut, blocks, first)).toEqual(new Set(['whole']))
  })

  it('syncs the directories of a block together: over a network, each takes round trips', async ({
    directory,
    blocks: [block]
  }) => {
    const { open: original } = fs
    const store = await open(directory)
    await store.put(block.cid, block.bytes)
    let opened = 0
    const all = Promise.withResolvers<void>()

    // none is opened before all are asked for: one that waited for another would never be
    fs.open = async (...args) => {
      opened++

      if (opened === 3) {
        all.resolve()
      }

      await all.promise

      return original(...args)
    }
    syncBuiltinESMExports()

    try {
      await store.sync()
    } finally {
      fs.open = original
      syncBuiltinESMExports()
    }

    expect(opened).toBe(3)
  })

  it('syncs nothing with sync: false, so new blocks are absent or empty', async ({ directory, blocks }) => {
    const cut = await record(directory, async () => {
      const store = await open(directory, { sync: false })
      await putAll(store, blocks)
      await store.close()
    })

    expect(kinds(cut, blocks, cut.length)).toEqual(new Set(['absent', 'empty']))
  })

  it('keeps synced blocks during a conversion, even with sync: false', {
    tags: 'slow'
  }, async ({ directory, blocks }) => {
    const compressed = await sizes(directory, blocks)
    await putAll(await open(directory), blocks)
    const cut = await record(
      directory,
      async () => { await convert(await open(directory, { sync: false }), { codec: 'zstd' }) }
    )

    for (let moment = 0; moment <= cut.length; moment++) {
      for (const mode of MODES) {
        const disk = cut.at(moment, mode)

        for (const { cid, bytes } of blocks) {
          expect([bytes.byteLength, compressed.get(String(cid))], `${mode} at ${moment}`)
            .toContain(find(disk, cid)?.byteLength)
        }
      }
    }
  })

  it('keeps a block that another store syncs during a put with sync: false', async ({
    directory,
    blocks: [block]
  }) => {
    const cut = await record(directory, async cut => {
      const [quick, safe] = [await open(directory, { sync: false }), await open(directory)]

      await quick.put(block.cid, (async function * () {
        yield block.bytes
        await safe.put(block.cid, block.bytes)
        await safe.sync()
        cut.note('synced')
      })())
    })

    for (let moment = 0; moment <= cut.length; moment++) {
      expect(cut.notes(moment).length === 0 ? [] : [...kinds(cut, [block], moment)])
        .toEqual(cut.notes(moment).length === 0 ? [] : ['whole'])
    }
  })

  it('works if directories cannot be synced, and rejects if a sync fails', async ({
    directory,
    blocks: [block]
  }) => {
    const { open: original } = fs
    const { fdatasync } = calls
    const failing = (code: string, isDirectory: boolean): void => {
      const failed = Object.assign(new Error(code), { code })

      fs.open = async (file, flags, mode) => {
        const handle = await original(file, flags, mode)

        if ((await handle.stat()).isDirectory() === isDirectory) {
          handle.sync = handle.datasync = async () => { throw failed }
        }

        return handle
      }
      calls.fdatasync = (isDirectory
        ? fdatasync
        : (_file, done) => { done(failed) }) as typeof fdatasync
      syncBuiltinESMExports()
    }

    try {
      const store = await open(directory)
      failing('EPERM', true)
      await store.put(block.cid, block.bytes)
      await store.sync()

      failing('EIO', true)
      await store.put(block.cid, block.bytes)
      await expect(store.sync()).rejects.toMatchObject({ code: 'EIO' })
      // the system forgets what it could not write, so the next fsync may succeed
      failing('EPERM', true)
      await expect(store.sync()).rejects.toMatchObject({ code: 'EIO' })

      failing('EIO', false)
      await store.delete(block.cid)
      await expect(store.put(block.cid, block.bytes))
        .rejects.toMatchObject({ name: 'PutFailedError', cause: { code: 'EIO' } })
      expect(await store.has(block.cid)).toBe(false)
    } finally {
      fs.open = original
      calls.fdatasync = fdatasync
      syncBuiltinESMExports()
    }
  })
})

async function open (
  directory: string,
  init?: ConstructorParameters<typeof SharedFsBlockstore>[1]
): Promise<SharedFsBlockstore> {
  const store = new SharedFsBlockstore(join(directory, 'blocks'), init)
  await store.open()

  return store
}

async function putAll (store: SharedFsBlockstore, blocks: readonly Block[]): Promise<void> {
  await Promise.all(blocks.map(async ({ cid, bytes }) => store.put(cid, bytes)))
}

async function record (directory: string, work: (cut: PowerCut) => Promise<void>): Promise<PowerCut> {
  const cut = new PowerCut(directory)

  try {
    await work(cut)
  } finally {
    cut.stop()
  }

  return cut
}

/** The lengths of the files of compressed blocks, by CID. */
async function sizes (directory: string, blocks: readonly Block[]): Promise<Map<string, number>> {
  const elsewhere = await open(join(directory, '..', `${directory}-elsewhere`))
  const found = new Map<string, number>()

  for (const { cid, bytes } of blocks) {
    await new CompressedBlockstore(elsewhere, { codec: 'zstd' }).put(cid, bytes)
    found.set(String(cid), Buffer.concat(await Array.fromAsync<Uint8Array>(elsewhere.get(cid))).byteLength)
  }

  await rm(join(elsewhere.path, '..'), { recursive: true })

  return found
}

/** The states of the blocks that the disk may have, at one moment or at all moments. */
function kinds (cut: PowerCut, blocks: readonly Block[], moment?: number): Set<string> {
  const found = new Set<string>()

  for (let at = moment ?? 0; at <= (moment ?? cut.length); at++) {
    for (const mode of MODES) {
      const disk = cut.at(at, mode)

      for (const { cid, bytes } of blocks) {
        const file = find(disk, cid)
        found.add(file == null ? 'absent' : file.equals(bytes) ? 'whole' : file.byteLength === 0 ? 'empty' : 'other')
      }
    }
  }

  return found
}

function find (disk: Map<string, Buffer | null>, cid: CID): Buffer | undefined {
  const name = `${base32upper.encode(cid.multihash.bytes)}.data`
  const [, bytes] = [...disk].find(([path]) => path.endsWith(name)) ?? []

  return bytes ?? undefined
}
