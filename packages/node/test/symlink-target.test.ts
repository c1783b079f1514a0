import { lstat, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leadsOut, storedTarget } from '../src/disk/symlink-target.ts'

/** Few names, so that symlinks meet directories and each other. */
const name = fc.constantFrom('a', 'b', 'c')
const target = fc.array(fc.constantFrom('..', '..', 'a', 'b', 'c', '.', ''), { minLength: 1, maxLength: 6 }).map(
  names => names.join('/') || '.'
)
const tree = fc.record({
  directories: fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
  links: fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 3 }), target), { minLength: 1, maxLength: 6 })
})

describe('leadsOut', () => {
  let directory: string

  beforeAll(async () => { directory = await realpath(await mkdtemp(join(tmpdir(), 'ipfsz-links-'))) })
  afterAll(async () => rm(directory, { recursive: true }))

  it('finds every symlink that the system follows out of the tree, whatever other symlinks there are', async () => {
    let inside = 0
    let round = 0

    await fc.assert(fc.asyncProperty(tree, async ({ directories, links }) => {
      const root = join(directory, String(round++), 'root')
      // directories beside the root, for symlinks to lead out to
      await Promise.all(
        [root, join(dirname(root), 'a'), join(dirname(root), 'b')].map(async path => mkdir(path, { recursive: true }))
      )

      for (const names of [...directories, ...links.map(([names]) => names.slice(0, -1))]) {
        await mkdir(join(root, ...names), { recursive: true })
      }

      const isDirectory = async (names: readonly string[]): Promise<boolean> => lstat(
        join(root, ...names)
      ).then(stats => stats.isDirectory(), () => false)
      const written: string[] = []

      for (const [names, link] of links) {
        const path = join(root, ...names)

        if (await lstat(path).then(() => false, () => true) && !await leadsOut(link, names.slice(0, -1), isDirectory)) {
          await symlink(link, path)
          written.push(path)
        }
      }

      for (const path of written) {
        const end = await realpath(path).catch(() => root)
        expect(`${end}/`.startsWith(`${root}/`), `${path} leads to ${end}`).toBe(true)
        inside++
      }
    }), { numRuns: 300 })

    expect(inside).toBeGreaterThan(100)
  })

  it('finds only symlinks that climb above the root, if .. undoes no name of their targets', async () => {
    await fc.assert(fc.asyncProperty(fc.array(name, { maxLength: 4 }), fc.nat(4), fc.array(name, {
      maxLength: 4
    }), async (names, up, down) => {
      const link = [...Array.from({ length: up }, () => '..'), ...down].join('/')

      expect(await leadsOut(link, names, async () => false)).toBe(up > names.length)
    }))
  })

  it.each(['..\\..\\a', 'a\\..\\..\\b', 'C:\\a', 'C:a', '\\\\host\\share', '\\a', 'b/nul', 'a:stream'])(
    'is true on Windows for %j, which is one name elsewhere',
    async target => {
      expect(await leadsOut(target, ['a'], async () => true, 'win32')).toBe(true)
      expect(await leadsOut(target, ['a'], async () => true, 'linux')).toBe(false)
    }
  )

})

describe('storedTarget', () => {
  it('has slashes on Windows, and is left as it is elsewhere, where a backslash is part of a name', () => {
    expect(storedTarget('..\\a\\b', 'win32')).toBe('../a/b')
    expect(storedTarget('..\\a\\b', 'linux')).toBe('..\\a\\b')
  })
})
