/** A repo that is converted while other processes have it open, or wait for its lock. */
import { mkdir, mkdtemp, readdir, rm, watch } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { convert, stats } from '@ipfsz/blockstore-compressed'
import { Key } from 'interface-datastore'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it as base } from 'vitest'
import { text } from '../../../test/support/data.ts'
import { withRepo } from '../src/context.ts'
import { settingIn, writeBlockSetting } from '../src/blocks/block-setting.ts'
import { lockRepo } from '../src/repo/repo-lock.ts'
import { openRepo, openRepoToRead } from '../src/repo/repo.ts'
import type { Blockstore } from 'interface-blockstore'

const { signal } = new AbortController()

const it = base.extend<{ path: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  path: async ({}, use) => {
    const path = await mkdtemp(join(tmpdir(), 'ipfsz-repo-'))
    await use(path)
    await rm(path, { recursive: true })
  }
})

async function cidOf (bytes: Uint8Array): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(bytes))
}

async function read (store: Blockstore, cid: CID): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync<Uint8Array>(store.get(cid)))
}

describe('withRepo', () => {
  it('stores blocks with the codec of a conversion that it waited for', async ({ path }) => {
    const { storage: disk } = await openRepo(path)
    const bytes = text(10_000)
    const cid = await cidOf(bytes)
    const release = await lockRepo(path, 'gc', signal)
    const lockFiles = watch(join(path, 'locks'))
    const waiting = withRepo(
      { repo: path, signal, bootstrap: [] },
      { lock: 'add' },
      async ({ repo }) => repo.blockstore.put(cid, bytes)
    )

    for await (const { filename } of lockFiles) {
      if (filename?.startsWith('add-')) {
        break
      }
    }

    await writeBlockSetting(path, { layout: 'files', compression: { codec: 'zstd' } })
    await release()
    await waiting

    expect((await stats(disk)).codecs).toMatchObject({ zstd: { blocks: 1, size: 10_000 } })
  })

  it('leaves nothing behind when blockstore.json cannot be written', async ({ path }) => {
    await openRepo(path)
    await rm(settingIn(path))
    await mkdir(settingIn(path))
    const before = await readdir(path)

    await expect(writeBlockSetting(path, { layout: 'files', compression: { codec: 'zstd' } }))
      .rejects.toMatchObject({ code: 'EISDIR' })
    expect(await readdir(path)).toEqual(before)
  })

  it('releases its lock when the repo cannot be opened', async ({ path }) => {
    const { datastore } = await openRepo(path)
    await datastore.put(new Key('/version'), new TextEncoder().encode('99'))

    await expect(withRepo({ repo: path, signal, bootstrap: [] }, { lock: 'add' }, async () => {}))
      .rejects.toMatchObject({ name: 'RepoError' })
    await (await lockRepo(path, 'gc', signal, { timeout: -1 }))()
  })
})

describe('a repo that was opened before its conversion', () => {
  it('still returns its blocks from get and getAll after they were compressed', async ({ path }) => {
    const { storage: disk } = await openRepo(path, { layout: 'files' })
    const { blockstore } = await openRepoToRead(path)
    const blocks = await Promise.all(
      [1, 2, 3].map(async seed => ({ cid: await cidOf(text(10_000, seed)), bytes: text(10_000, seed) }))
    )
    await Promise.all(blocks.map(async ({ cid, bytes }) => disk.put(cid, bytes)))

    for (const codec of ['zstd', 'lz4'] as const) {
      await convert(disk, { codec })
      expect((await stats(disk)).codecs[codec]?.blocks).toBe(3)

      for (const { cid, bytes } of blocks) {
        expect((await read(blockstore, cid)).equals(bytes)).toBe(true)
      }

      const all = await Array.fromAsync(
        blockstore.getAll(),
        async ({ bytes }) => Buffer.concat(await Array.fromAsync<Uint8Array>(bytes))
      )
      expect(all.map(bytes => bytes.toString()).toSorted()).toEqual(
        blocks.map(({ bytes }) => Buffer.from(bytes).toString()).toSorted()
      )
    }
  })

  it('returns a block whose own bytes are an envelope unchanged', async ({ path }) => {
    const { blockstore } = await openRepo(path, { layout: 'files' })
    const frame = zstdCompressSync(text(100), { pledgedSrcSize: 100 } as object)
    const block = Buffer.concat([Uint8Array.of(0x85, 0xb4, 0xfd, 0x01, 100), frame])
    const cid = await cidOf(block)

    await blockstore.put(cid, block)

    expect((await read(blockstore, cid)).equals(block)).toBe(true)
  })

  it('refuses damaged compressed blocks', async ({ path }) => {
    const { storage: disk, blockstore } = await openRepo(path, { layout: 'files' })
    const cid = await cidOf(text(10_000))
    await disk.put(cid, text(10_000))
    await convert(disk)
    const value = await read(disk, cid)
    value[100] ^= 1
    await disk.put(cid, value)

    await expect(read(blockstore, cid))
      .rejects.toMatchObject({ name: 'CorruptBlockError', cid: { multihash: cid.multihash } })
  })
})
