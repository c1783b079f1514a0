import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it as base, vi } from 'vitest'
import { SharedFsBlockstore } from '../src/fs/index.ts'
import { CompressedBlockstore, convert, stats } from '../src/index.ts'
import { cidOf, readBlock } from './fixtures.ts'

interface Block {
  cid: CID
  bytes: Uint8Array
}

const it = base.extend<{ store: SharedFsBlockstore, block: Block }>({
  // oxlint-disable-next-line no-empty-pattern
  store: async ({}, use) => {
    const store = await makeStore()
    await use(store)
    await removeStore(store)
  },
  // oxlint-disable-next-line no-empty-pattern
  block: async ({}, use) => {
    const bytes = new TextEncoder().encode('a block '.repeat(1000))
    await use({ cid: await cidOf(bytes), bytes })
  }
})

describe('SharedFsBlockstore', () => {
  it('stores files where FsBlockstore finds them', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const stock = new FsBlockstore(store.path)

    expect(await readBlock(stock, block.cid)).toEqual(block.bytes)
  })

  it('stores bytes of another realm, as tests often have them', async ({ store, block }) => {
    const foreign = runInNewContext('Uint8Array.from(bytes)', { bytes: block.bytes }) as Uint8Array
    expect(foreign).not.toBeInstanceOf(Uint8Array)

    await store.put(block.cid, block.bytes)
    await store.put(block.cid, foreign)

    expect(await readBlock(store, block.cid)).toEqual(block.bytes)
  })

  it.for([
    ['strings', ['a', 'block']],
    ['numbers', [[1, 2], [3]]]
  ])('refuses %s in place of bytes, and keeps the block that is there', async ([, content], { store, block }) => {
    await store.put(block.cid, block.bytes)

    await expect(store.put(block.cid, content as never)).rejects.toThrow('A file is written from bytes')
    expect(await readBlock(store, block.cid)).toEqual(block.bytes)
  })

  it('stores a block where a directory took its place, and keeps what is in that', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const [{ path }] = (await Array.fromAsync(store.files())).flat()
    await rm(path)
    await mkdir(path)
    await writeFile(join(path, 'foreign'), 'foreign')

    for (const other of [store, new SharedFsBlockstore(store.path, { sync: false })]) {
      await other.put(block.cid, block.bytes)
      expect(await readBlock(other, block.cid)).toEqual(block.bytes)
    }

    const [moved] = (await readdir(join(store.path, '.tmp'))).filter(name => name.endsWith('.directory'))
    expect(await readFile(join(store.path, '.tmp', moved, 'foreign'), 'utf8')).toBe('foreign')
  })

  it.for([true, false])('leaves nothing of an empty directory in the place of a block: sync %s', async (
    sync,
    { store, block }
  ) => {
    await mkdir(await pathOf(store, block), { recursive: true })
    const other = new SharedFsBlockstore(store.path, { sync })

    await other.put(block.cid, block.bytes)

    expect(await readBlock(other, block.cid)).toEqual(block.bytes)
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('reads what FsBlockstore wrote', async ({ store, block }) => {
    await new FsBlockstore(store.path).put(block.cid, block.bytes)

    expect(Buffer.concat(await Array.fromAsync(store.get(block.cid))).equals(block.bytes)).toBe(true)
  })

  it('accepts a block as bytes, as an iterable and as an async iterable', async ({ store, block }) => {
    const halves = [block.bytes.subarray(0, 100), block.bytes.subarray(100)]

    for (const value of [block.bytes, halves, toAsync(halves)]) {
      await store.put(block.cid, value)
      expect(Buffer.concat(await Array.fromAsync(store.get(block.cid))).equals(block.bytes)).toBe(true)
      await store.delete(block.cid)
    }
  })

  it('accepts 50 concurrent puts of the same block', async ({ store, block }) => {
    await Promise.all(Array.from({ length: 50 }, async () => store.put(block.cid, block.bytes)))

    expect(await Array.fromAsync(store.get(block.cid))).toHaveLength(1)
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('writes concurrent puts of one block to separate temporary files', async ({ store, block }) => {
    const { promise: given, resolve: give } = Promise.withResolvers<void>()
    const { promise: rest, resolve: giveRest } = Promise.withResolvers<void>()
    const other = new SharedFsBlockstore(store.path)
    // the first half is written when the second half is requested
    const first = other.put(block.cid, (async function * () {
      yield block.bytes.subarray(0, 100)
      give()
      await rest
      yield block.bytes.subarray(100)
    })())
    await given
    const [half] = await readdir(temporary(store))

    await store.put(block.cid, block.bytes)

    expect(await readBlock(store, block.cid)).toEqual(block.bytes)
    expect(await readdir(temporary(store))).toEqual([half])
    expect((await stat(join(temporary(store), half))).size).toBe(100)
    giveRest()
    await first
    expect(await readBlock(store, block.cid)).toEqual(block.bytes)
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('rewrites a block that was cut short', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    await truncate(await blockFile(store), 10)

    await store.put(block.cid, block.bytes)

    expect(Buffer.concat(await Array.fromAsync(store.get(block.cid))).equals(block.bytes)).toBe(true)
  })

  it('refuses a missing block with NotFoundError and its cause', async ({ store, block }) => {
    await expect(Array.fromAsync(store.get(block.cid)))
      .rejects.toMatchObject({ name: 'NotFoundError', cause: { code: 'ENOENT' } })
  })

  it('refuses an unreadable block with GetFailedError', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const file = await blockFile(store)
    await rm(file)
    await mkdir(file)

    await expect(Array.fromAsync(store.get(block.cid)))
      .rejects.toMatchObject({ name: 'GetFailedError', cause: expect.any(Error) })
  })

  it('rejects a put that cannot be written with its cause, and leaves no file behind', async ({ store, block }) => {
    await writeFile(dirname(await pathOf(store, block)), 'a file where the directory would be')

    await expect(store.put(block.cid, block.bytes))
      .rejects.toMatchObject({ name: 'PutFailedError', cause: { code: 'ENOTDIR' } })
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('is settled once all puts have ended, even if one of them failed before', async ({ store, block }) => {
    const other = new Uint8Array(1_000_000).fill(1)
    const failing = store.put(await cidOf(new Uint8Array(1)), source())
    const putting = store.put(await cidOf(other), other)
    async function * source (): AsyncGenerator<Uint8Array> {
      yield block.bytes
      throw new Error('no more')
    }

    await expect(failing).rejects.toThrow('no more')
    await store.settled()

    expect(await readdir(join(store.path, '.tmp'))).toEqual([])
    expect(await readBlock(store, await putting)).toEqual(other)
    await expect(store.settled()).resolves.toBeUndefined()
  })

  it('works without being opened, as FsBlockstore does', async ({ store, block }) => {
    const other = new SharedFsBlockstore(join(store.path, 'other'))

    await other.put(block.cid, block.bytes)
    expect(await readBlock(other, block.cid)).toEqual(block.bytes)
  })

  it('supports errorIfExists and createIfMissing when it is opened, as FsBlockstore does', async ({ store }) => {
    await expect(new SharedFsBlockstore(store.path, { errorIfExists: true }).open())
      .rejects.toMatchObject({ name: 'OpenFailedError' })
    await expect(new SharedFsBlockstore(join(store.path, 'none'), { createIfMissing: false }).open())
      .rejects.toMatchObject({ name: 'OpenFailedError' })
  })

  it('deletes temporary files older than an hour when it is opened, and nothing else', async ({
    store,
    block
  }) => {
    const [old, fresh] = [randomUUID(), randomUUID()].map(name => join(temporary(store), name))
    const other = join(temporary(store), 'of-others')
    const longAgo = Date.now() / 1000 - 2 * 60 * 60
    await store.put(block.cid, block.bytes)
    await Promise.all([old, fresh, other].map(async file => writeFile(file, 'half')))
    await Promise.all([old, other, await blockFile(store)].map(async file => utimes(file, longAgo, longAgo)))

    await new SharedFsBlockstore(store.path).open()

    expect((await readdir(temporary(store))).toSorted()).toEqual([basename(fresh), 'of-others'].toSorted())
    expect(await store.has(block.cid)).toBe(true)
  })

  it('deletes no temporary file because its clock is ahead of that of the file system', async ({ store, block }) => {
    const file = join(temporary(store), randomUUID())
    await store.put(block.cid, block.bytes)
    await writeFile(file, 'another node writes it')
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 60 * 60 * 1000)

    try {
      await new SharedFsBlockstore(store.path).open()
    } finally {
      clock.mockRestore()
    }

    expect(await readdir(temporary(store))).toEqual([basename(file)])
  })

  it('deletes nothing if its directory of temporary files is a symlink', async ({ store }) => {
    const elsewhere = join(store.path, '..', 'elsewhere')
    const file = join(elsewhere, randomUUID())
    await mkdir(elsewhere)
    await writeFile(file, 'of others')
    await utimes(file, 0, 0)
    await symlink(elsewhere, temporary(store))

    await new SharedFsBlockstore(store.path).open()

    expect(await readdir(elsewhere)).toEqual([basename(file)])
  })

  it('lists blocks of every hash function, so that convert and stats see them', async ({ store, block }) => {
    const other = CID.createV1(raw.code, await sha512.digest(block.bytes))
    await store.put(block.cid, block.bytes)
    await store.put(other, block.bytes)

    expect((await Array.fromAsync(store.getAll(), ({ cid }) => cid.toString())).toSorted())
      .toEqual([block.cid.toString(), other.toString()].toSorted())
    expect(await convert(store)).toMatchObject({ blocks: 2, converted: 2 })
    expect((await stats(store)).codecs.zstd?.blocks).toBe(2)
    expect(await readBlock(new CompressedBlockstore(store), other)).toEqual(block.bytes)
  })

  it('streams a file larger than any block, so that the reader can refuse it', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    await truncate(await blockFile(store), 2 ** 40)

    const [first] = await Array.fromAsync(firstOf(store.get(block.cid)))
    expect(first.byteLength).toBeLessThanOrEqual(1024 * 1024)
    await expect(readBlock(new CompressedBlockstore(store), block.cid))
      .rejects.toMatchObject({ name: 'BlockTooLargeError' })
  })

  it('reports a block as missing, but refuses to delete it, if a file is where its directory would be', async ({
    store,
    block
  }) => {
    const shard = dirname(await pathOf(store, block))
    await writeFile(shard, 'a file where the directory would be')

    expect(await store.has(block.cid)).toBe(false)
    await expect(Array.fromAsync(store.get(block.cid)))
      .rejects.toMatchObject({ name: 'NotFoundError', cause: { code: 'ENOTDIR' } })
    await expect(store.delete(block.cid))
      .rejects.toMatchObject({ name: 'DeleteFailedError', cause: { code: 'ENOTDIR' } })
  })

  it('reports a block as missing if its digest is too long for a file name', async ({ store }) => {
    const cid = CID.createV1(raw.code, identity.digest(new Uint8Array(200)))

    expect(await store.has(cid)).toBe(false)
    await expect(Array.fromAsync(store.get(cid))).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('recreates its directory if that was deleted', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    await rm(store.path, { recursive: true })

    await store.put(block.cid, toAsync([block.bytes]))
    expect(await readBlock(store, block.cid)).toEqual(block.bytes)
  })

  it('makes the directory of a block while the block arrives, and once', async ({ store, block }) => {
    const asked: string[] = []
    const made = Promise.withResolvers<void>()
    const quick = new SharedFsBlockstore(store.path, {
      async makeDirectory (directory) {
        await mkdir(directory, { recursive: true })
        asked.push(basename(directory))
        made.resolve()
      }
    })

    await quick.put(block.cid, (async function * () {
      await made.promise
      yield block.bytes
    })())
    await quick.delete(block.cid)
    await quick.put(block.cid, block.bytes)

    expect(await readBlock(store, block.cid)).toEqual(block.bytes)
    expect(asked.filter(name => name !== '.tmp')).toHaveLength(1)
  })

  it('stores a block if its directory cannot be made beside it, and can be when it is named', async ({
    store, block
  }) => {
    let failures = 1
    const quick = new SharedFsBlockstore(store.path, {
      async makeDirectory (directory) {
        if (basename(directory) !== '.tmp' && failures-- > 0) {
          throw new Error('not yet')
        }

        await mkdir(directory, { recursive: true })
      }
    })

    await quick.put(block.cid, block.bytes)
    expect(await readBlock(store, block.cid)).toEqual(block.bytes)
  })

  it('does not rewrite a stored block', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const { ino } = await stat(await blockFile(store))
    await store.put(block.cid, block.bytes)

    expect((await stat(await blockFile(store))).ino).toBe(ino)
  })

  it('neither reads nor lists a FIFO, a device or a symlink loop, and replaces it on put', async ({
    store,
    block
  }) => {
    const file = await pathOf(store, block)
    await mkdir(dirname(file))

    for (
      const make of [
        () => execFileSync('mkfifo', [file]),
        async () => symlink('/dev/zero', file),
        async () => symlink(file, file)
      ]
    ) {
      await make()
      await expect(Array.fromAsync(store.get(block.cid))).rejects.toMatchObject({ name: 'GetFailedError' })
      expect(await Array.fromAsync(store.getAll())).toEqual([])
      await store.put(block.cid, block.bytes)
      expect(await readBlock(store, block.cid)).toEqual(block.bytes)
      await rm(file)
    }
  })

  it('lists blocks behind symlinks to directories and to files', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const file = await blockFile(store)
    await rename(dirname(file), join(store.path, '..', 'elsewhere'))
    await symlink('../elsewhere', dirname(file))
    await rename(file, join(store.path, '..', 'block'))
    await symlink(join(store.path, '..', 'block'), file)
    await writeFile(join(store.path, 'SHARDING'), '/repo/flatfs/shard/v1/next-to-last/2')

    expect(await Array.fromAsync(store.getAll(), ({ cid }) => cid.toString())).toEqual([block.cid.toString()])
    expect(await readBlock(store, block.cid)).toEqual(block.bytes)
  })

  it('stops listing when it is aborted', async ({ store, block }) => {
    const controller = new AbortController()
    await store.put(block.cid, block.bytes)
    controller.abort()

    await expect(Array.fromAsync(store.getAll({ signal: controller.signal }))).rejects.toBe(controller.signal.reason)
  })

  it('closes the files it opens', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const before = await openFiles()
    await Promise.all(Array.from({ length: 100 }, async () => readBlock(store, block.cid)))

    expect(await openFiles()).toBeLessThan(before + 50)
  })

  it('leaves no file behind if the source of a put fails', async ({ store, block }) => {
    const failing = async function * (): AsyncGenerator<Uint8Array> {
      yield block.bytes
      throw new Error('no more')
    }

    await expect(store.put(block.cid, failing()))
      .rejects.toMatchObject({ name: 'PutFailedError', cause: { message: 'no more' } })
    expect(await store.has(block.cid)).toBe(false)
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('refuses put, get, has and delete with AbortError if the signal is already aborted', async ({ store, block }) => {
    const signal = AbortSignal.abort()

    await expect(store.put(block.cid, block.bytes, { signal })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(Array.fromAsync(store.get(block.cid, { signal }))).rejects.toMatchObject({ name: 'AbortError' })
    await expect(store.has(block.cid, { signal })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(store.delete(block.cid, { signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(await store.has(block.cid)).toBe(false)
  })

  it('rejects a put with the reason if it is aborted while its source stalls', async ({ store, block }) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { promise: rest, resolve: giveRest } = Promise.withResolvers<void>()
    const stalling = async function * (): AsyncGenerator<Uint8Array> {
      yield block.bytes
      controller.abort(reason)
      await rest
      yield block.bytes
    }

    await expect(store.put(block.cid, stalling(), { signal: controller.signal })).rejects.toBe(reason)
    giveRest()
    await expect.poll(async () => readdir(temporary(store))).toEqual([])
    expect(await store.has(block.cid)).toBe(false)
  })

  it('rejects a get with the reason if it is aborted while it streams a large file', async ({
    store,
    block
  }) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    await store.put(block.cid, block.bytes)
    await truncate(await blockFile(store), 2 ** 40)

    await expect(
      Array.fromAsync(store.get(block.cid, { signal: controller.signal }), () => { controller.abort(reason) })
    ).rejects.toBe(reason)
  })

  it('creates files as the umask allows, and accepts a put of a block whose file is read-only', async ({
    store,
    block
  }) => {
    await store.put(block.cid, block.bytes)
    const file = await blockFile(store)
    const plain = join(dirname(store.path), 'plain')
    await writeFile(plain, '')

    expect((await stat(file)).mode).toBe((await stat(plain)).mode)
    await chmod(file, 0o444)
    await store.put(block.cid, block.bytes)
    expect((await readFile(file)).equals(block.bytes)).toBe(true)
  })
})

async function makeStore (): Promise<SharedFsBlockstore> {
  const store = new SharedFsBlockstore(join(await mkdtemp(join(tmpdir(), 'ipfsz-shared-')), 'blocks'))
  await store.open()

  return store
}

async function removeStore (store: SharedFsBlockstore): Promise<void> {
  await store.close()
  await rm(dirname(store.path), { recursive: true })
}

function temporary (store: SharedFsBlockstore): string {
  return join(store.path, '.tmp')
}

async function blockFile (store: SharedFsBlockstore): Promise<string> {
  const [[{ path }]] = await Array.fromAsync(store.files())

  return path
}

/** The number of files that this process has open. */
async function openFiles (): Promise<number> {
  return (await readdir('/dev/fd')).length
}

/** The path of the block's file. Neither the file nor its directory exists. */
async function pathOf (store: SharedFsBlockstore, { cid, bytes }: Block): Promise<string> {
  await store.put(cid, bytes)
  const file = await blockFile(store)
  await rm(dirname(file), { recursive: true })

  return file
}

async function * firstOf<T> (values: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const value of values) {
    yield value
    return
  }
}

async function * toAsync<T> (values: Iterable<T>): AsyncGenerator<T> {
  yield * values
}
