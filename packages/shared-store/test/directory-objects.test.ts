import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it as base } from 'vitest'
import { directoryBackend } from '../src/places/directory-backend.ts'
import { compareKeys, pathOf, segmentOfDirectory, segmentOfFile } from '../src/objects/object-names.ts'
import { writeMark } from '../src/places/store-mark.ts'
import type { ObjectStore } from '../src/objects/object-store.ts'

const ID = '01234567-89ab-cdef-0123-456789abcdef'
/** Keys that file systems, shells and URLs treat in their own ways. */
const ODD = [
  'a', 'a/b', 'a.data', 'a.data/b', 'A', '.', '..', '../../etc/passwd', '.tmp', '.tmp/x', 'con', 'ä', 'a b%2f', '%41',
  'a\\b', 'a:b', '\u{10000}', '\u{ffff}', '*?"<>|', ' a ', 'x'.repeat(200), '\n'
]

const it = base.extend<{ directory: string, objects: ObjectStore }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-objects-'))
    await use(directory)
    await rm(directory, { recursive: true, force: true })
  },
  objects: async ({ directory }, use) => {
    const { objects, unmarked } = directoryBackend(directory)
    await writeMark(unmarked, { id: ID, compression: { codec: 'zstd' }, leaseTimeout: 30_000 })
    await use(objects)
  }
})

async function keysOf (objects: ObjectStore, prefix = '', after?: string): Promise<string[]> {
  const pages = await Array.fromAsync(objects.list(prefix, after == null ? {} : { after }))

  return pages.flat().map(({ key }) => key).filter(key => key !== 'ipfsz-store.json')
}

describe('the name of an object\'s file', () => {
  it.for(ODD)('leads back to the key %j', (key) => {
    const names = pathOf(key).split('/')
    const last = names.pop() as string

    expect([...names.map(segmentOfDirectory), segmentOfFile(last)].join('/')).toBe(key)
    expect([...names, last].every(name => /^[a-z\d_%][a-z\d_.%-]*$/.test(name))).toBe(true)
  })

  it('differs in more than the case of letters, and from those of directories', () => {
    const paths = ODD.map(key => pathOf(key).toLowerCase())

    expect(new Set(paths).size).toBe(ODD.length)
    expect(segmentOfDirectory('a.data')).toBeUndefined()
  })

  it.for(['', '/a', 'a/', 'a//b', 'a\0b', '\ud800'])('refuses %j', (key) => {
    expect(() => pathOf(key)).toThrow(TypeError)
  })

  it.for(['a', 'A.data', '%61.data', '%zz.data', '.data', 'a.data.tmp'])('belongs to somebody else: %j', (name) => {
    expect(segmentOfFile(name)).toBeUndefined()
  })
})

describe('DirectoryObjects', () => {
  it('keeps objects with odd keys apart, and inside of its directory', async ({ objects, directory }) => {
    for (const key of ODD) {
      await objects.put(key, Buffer.from(key))
    }

    for (const key of ODD) {
      expect(Buffer.from(await objects.get(key)).toString()).toBe(key)
      expect(await objects.stat(key)).toMatchObject({ key, size: Buffer.byteLength(key) })
    }

    expect(await keysOf(objects)).toEqual(ODD.toSorted(compareKeys))
    expect(await readdir(join(directory, '.tmp'))).toEqual([])
  })

  it('lists in the order of the bytes of keys, below a prefix, from behind a key', async ({ objects }) => {
    const keys = ['a', 'a-b', 'a/b', 'a/b/c', 'a/bc', 'a0', 'ab', 'b/\u{ffff}', 'b/\u{10000}']

    for (const key of keys.toReversed()) {
      await objects.put(key, new Uint8Array())
    }

    const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

    for (const prefix of ['', 'a', 'a/', 'a/b', 'b/', 'c']) {
      for (const after of ['', ...keys, 'a/a', 'a/', 'b']) {
        expect(await keysOf(objects, prefix, after)).toEqual(
          sorted.filter(key => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
        )
      }
    }
  })

  it('refuses to list more than the most that is asked for, before it has read them all', async ({ objects }) => {
    await Promise.all(['p/1', 'p/2', 'p/3', 'q/1'].map(async key => objects.put(key, new Uint8Array())))

    expect((await Array.fromAsync(objects.list('p/', { most: 3 }))).flat()).toHaveLength(3)
    await expect(Array.fromAsync(objects.list('p/', { most: 2 }))).rejects.toMatchObject({
      name: 'StoreObjectError', key: expect.stringMatching(/^p\/[123]/)
    })
  })

  it('lists many objects in pages', async ({ objects, directory }) => {
    await mkdir(join(directory, 'p'))
    await Promise.all(Array.from({ length: 1001 }, async (_, i) => writeFile(join(directory, 'p', `${i}.data`), '')))

    expect((await Array.fromAsync(objects.list('p/'))).map(page => page.length)).toEqual([1000, 1])
  })

  it('lists links that lead to files', async ({ objects, directory }) => {
    await objects.put('a', new Uint8Array(1))
    await symlink(join(directory, 'a.data'), join(directory, 'b.data'))
    await symlink(directory, join(directory, 'c.data'))

    expect(await keysOf(objects)).toEqual(['a', 'b'])
  })

  it('reads a part, replaces a whole object, and deletes what is there and what is not', async ({ objects }) => {
    await objects.put('a/b', Buffer.from('0123456789'))

    expect(Buffer.from(await objects.get('a/b', { offset: 2, length: 3 })).toString()).toBe('234')
    expect(Buffer.from(await objects.get('a/b', { offset: 8, length: 30 })).toString()).toBe('89')
    expect((await objects.get('a/b', { offset: 20 })).byteLength).toBe(0)
    await objects.put('a/b', Buffer.from('new'))
    expect(Buffer.from(await objects.get('a/b')).toString()).toBe('new')
    await objects.delete(['a/b', 'a/c', 'd/e'])
    expect(await objects.stat('a/b')).toBeUndefined()
    await expect(objects.get('a/b')).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('leaves the files of others alone', async ({ objects, directory }) => {
    await mkdir(join(directory, 'a.data'))
    await mkdir(join(directory, 'UPPER'))
    await writeFile(join(directory, 'UPPER', 'x.data'), '')
    await writeFile(join(directory, 'notes.txt'), '')
    await symlink('/', join(directory, 'root'))
    await symlink('/nowhere', join(directory, 'dangling.data'))

    expect(await keysOf(objects)).toEqual([])
    await expect(objects.get('a')).rejects.toMatchObject({ name: 'StoreObjectError', key: 'a' })
    await expect(objects.put('a', new Uint8Array())).rejects.toMatchObject({ name: 'StoreError' })
  })

  it('says that the store is missing when its file system is unmounted, and writes nothing', async (
    { objects, directory }
  ) => {
    await objects.put('a/b', new Uint8Array(1))
    await rm(directory, { recursive: true })
    await mkdir(directory)
    const missing = { name: 'StoreMissingError', store: directory }

    await expect(objects.get('a/b')).rejects.toMatchObject(missing)
    await expect(objects.stat('a/b')).rejects.toMatchObject(missing)
    await expect(objects.put('a/b', new Uint8Array(1))).rejects.toMatchObject(missing)
    await expect(keysOf(objects, 'a/')).rejects.toMatchObject(missing)
    expect(await readdir(directory)).toEqual([])
  })
})
