/** @module-tag long */
import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { base32upper } from 'multiformats/bases/base32'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import {
  blockFiles, flipBit, largestBlock, listBlocks, readBlock, removeBlock, writeBlock
} from '../support/stored-blocks.ts'
import type { Sandbox } from './run-cli.ts'

const JSON_MIGRATE = ['migrate', '--json']

/** Copies a store, and returns the totals. */
async function migrate (sandbox: Sandbox, ...args: string[]): Promise<Record<string, unknown>> {
  const result = await sandbox.run([...JSON_MIGRATE, ...args])
  expectSuccess(result)

  return parseLines(result.stdout)[0]
}

/** All files below a directory, with their bytes. */
async function contents (directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))

  return Object.fromEntries(await Promise.all(
    paths.toSorted().map(async path => [path, (await readFile(path)).toString('latin1')])
  ))
}

function sizeOf (files: Record<string, string>): number {
  return Object.values(files).join('').length
}

async function largest (files: readonly string[]): Promise<string> {
  const sizes = await Promise.all(files.map(async file => (await stat(file)).size))

  return files[sizes.indexOf(Math.max(...sizes))]
}

describe.concurrent('ipfsz migrate', () => {
  it.for(['locks', 'locks and datastore'])(
    'goes on after it was killed when the new repo had %s alone',
    async (names, { sandbox }) => {
      const cid = await sandbox.add(text(10_000))
      await Promise.all(names.split(' and ').map(async name =>
        mkdir(join(sandbox.directory, 'new', name), { recursive: true })))

      expect(await migrate(sandbox, '--dry-run', sandbox.repo, 'new')).toMatchObject({ copied: 1, pins: 1 })
      expect(await migrate(sandbox, sandbox.repo, 'new')).toMatchObject({ copied: 1, pins: 1 })
      expectSuccess(await sandbox.run(['--repo', 'new', 'verify', cid]))
    }
  )

  it('copies blocks, pins with names, and links to a new repo, and leaves the source as it is', async ({ sandbox }) => {
    const { repo } = sandbox
    const cid = await sandbox.add(text(300_000), '--link')
    await sandbox.write('named', noise(1_200_000))
    expectSuccess(await sandbox.run(['add', 'named']))
    const before = await contents(join(repo, 'blocks'))
    const pins = (await sandbox.run(['pin', 'ls'])).stdout.toString()
    const blocks = (await listBlocks(repo)).length

    expect(await migrate(sandbox, '--dry-run', repo, 'new')).toMatchObject({ copied: blocks, pins: 2 })
    expect(await readdir(sandbox.directory)).not.toContain('new')

    expect(await migrate(sandbox, repo, 'new')).toEqual({
      dryRun: false,
      copied: blocks,
      copiedSize: expect.any(Number),
      replaced: 0,
      there: 0,
      lost: 0,
      pins: 2,
      pinsThere: 0,
      pinsLost: 0,
      links: 1,
      linksThere: 0,
      linksLost: 0
    })
    expect(await contents(join(repo, 'blocks'))).toEqual(before)
    expect((await sandbox.run(['--repo', 'new', 'pin', 'ls'])).stdout.toString()).toBe(pins)
    expect((await sandbox.run(['--repo', 'new', 'link', 'ls'])).stdout.toString())
      .toBe((await sandbox.run(['link', 'ls'])).stdout.toString())
    expectSuccess(await sandbox.run(['--repo', 'new', 'verify', '--all']))
    expect((await sandbox.run(['--repo', 'new', 'cat', '--offline', cid])).stdout.equals(text(300_000))).toBe(true)
  })

  it('copies again only what is missing, and does not read the rest', async ({ sandbox }) => {
    await sandbox.add(noise(2_200_000))
    await migrate(sandbox, sandbox.repo, 'new')
    const all = await listBlocks(sandbox.repo)

    // one was lost in a power cut, and of one that was not synced an empty file is left
    await removeBlock(join(sandbox.directory, 'new'), all[0])
    await writeBlock(join(sandbox.directory, 'new'), all[1], new Uint8Array())

    // the others cannot be read
    for (const block of all.slice(2)) {
      await writeBlock(sandbox.repo, block, Buffer.from('damaged'))
    }

    expect(await migrate(sandbox, sandbox.repo, 'new')).toMatchObject({
      copied: 2, there: all.length - 2, lost: 0, pins: 0, pinsThere: 1
    })
    expectSuccess(await sandbox.run(['--repo', 'new', 'verify', '--all']))
  })

  it.for([['--blockstore-codec', 'none'], ['--blockstore-codec', 'zstd'], ['--layout', 'packs']])(
    'reads what is there if it is asked to, and replaces what is damaged, in a repo made with %s %s',
    async (how, { sandbox }) => {
      await sandbox.add(noise(2_200_000))
      expectSuccess(await sandbox.run(['--repo', 'new', 'init', ...how]))
      await migrate(sandbox, sandbox.repo, 'new')
      const to = join(sandbox.directory, 'new')
      const blocks = await listBlocks(to)
      const [first, second] = blocks

      // one was damaged by the disk, and of one a power cut left the beginning
      await flipBit(to, first)
      await writeBlock(to, second, (await readBlock(to, second)).subarray(0, 50))

      const replaced = { copied: 2, replaced: 2, there: blocks.length - 2, lost: 0 }
      expect(await migrate(sandbox, '--verify', '--dry-run', sandbox.repo, 'new')).toMatchObject(replaced)
      expect(await migrate(sandbox, sandbox.repo, 'new')).toMatchObject({ copied: 0, there: blocks.length })
      expect(await migrate(sandbox, '--verify', sandbox.repo, 'new')).toMatchObject(replaced)
      expectSuccess(await sandbox.run(['--repo', 'new', 'verify', '--all']))
    }
  )

  it('counts an empty file and a directory in the place of a block as replaced if it verifies', async ({ sandbox }) => {
    await sandbox.add(noise(2_200_000))
    // the block of no bytes is an empty file, and good
    await sandbox.add(Buffer.alloc(0), '--codec', 'none')
    expectSuccess(await sandbox.run(['--repo', 'new', 'init', '--layout', 'files']))
    await migrate(sandbox, sandbox.repo, 'new')
    const files = await blockFiles(join(sandbox.directory, 'new'))
    const sizes = await Promise.all(files.map(async file => (await stat(file)).size))
    const [first, second] = files.filter((_, i) => sizes[i] > 0)
    await truncate(first)
    await rm(second)
    await mkdir(second)

    const replaced = { copied: 2, replaced: 2, there: files.length - 2, lost: 0 }
    expect(sizes).toContain(0)
    expect(await migrate(sandbox, '--verify', '--dry-run', sandbox.repo, 'new')).toMatchObject(replaced)
    expect(await migrate(sandbox, '--verify', sandbox.repo, 'new')).toMatchObject(replaced)
    expectSuccess(await sandbox.run(['--repo', 'new', 'verify', '--all']))
  })

  it.for(['a new repo', 'one that has the block'])(
    'reads what it would copy if a dry run verifies, and writes nothing, to %s',
    async (to, { sandbox }) => {
      await sandbox.add(noise(1_500_000))
      const blocks = await listBlocks(sandbox.repo)
      const leaf = await largestBlock(sandbox.repo)

      if (to !== 'a new repo') {
        expectSuccess(await sandbox.run(['--repo', 'new', 'init']))
        await writeBlock(join(sandbox.directory, 'new'), leaf, (await readBlock(sandbox.repo, leaf)).subarray(0, 50))
      }

      await writeBlock(sandbox.repo, leaf, Buffer.from('damaged'))
      const before = await contents(sandbox.directory)

      const args = ['--dry-run', '--verify', sandbox.repo, 'new']
      const { code, stdout, stderr } = await sandbox.run([...JSON_MIGRATE, ...args])
      expect(code).toBe(1)
      expect(stderr).toContain('CorruptBlockError')
      expect(parseLines(stdout)).toMatchObject([{ dryRun: true, copied: blocks.length - 1, lost: 1 }])
      expect(await contents(sandbox.directory)).toEqual(before)
    }
  )

  it('lists damaged blocks and skips them and their pins, copies the rest, and exits with 1', async ({ sandbox }) => {
    const good = await sandbox.add(text(100_000))
    const bad = await sandbox.add(noise(1_500_000))
    const blocks = await listBlocks(sandbox.repo)
    const damaged = await largestBlock(sandbox.repo)
    await writeBlock(sandbox.repo, damaged, Buffer.concat([await readBlock(sandbox.repo, damaged), Buffer.of(0)]))

    const { code, stdout, stderr } = await sandbox.run([...JSON_MIGRATE, sandbox.repo, 'new'])
    const names = stderr.trim().split('\n').map(line => (JSON.parse(line) as { name: string }).name)

    expect(code).toBe(1)
    expect(names).toEqual(['CorruptBlockError', 'DamagedDagError', 'IncompleteError'])
    expect(stderr).toContain(bad)
    expect(parseLines(stdout)).toMatchObject([{ copied: blocks.length - 1, lost: 1, pins: 1, pinsLost: 1 }])
    expectSuccess(await sandbox.run(['--repo', 'new', 'verify', good]))
    expect(await listBlocks(join(sandbox.directory, 'new'))).toHaveLength(blocks.length - 1)
  })

  it.for(['damaged', 'empty'])(
    'pins nothing whose block is lost, though an older file in its place is there: %s',
    async (older, { sandbox }) => {
      expectSuccess(await sandbox.run(['init', '--layout', 'files']))
      await sandbox.add(noise(1_500_000))
      await cp(join(sandbox.repo, 'blocks'), join(sandbox.directory, 'new', 'blocks'), { recursive: true })
      const leaf = await largest(await blockFiles(sandbox.repo))
      await writeFile(leaf, 'damaged')
      await writeFile(leaf.replace(sandbox.repo, join(sandbox.directory, 'new')), older === 'empty' ? '' : older)

      const { code, stdout, stderr } = await sandbox.run([...JSON_MIGRATE, '--verify', sandbox.repo, 'new'])
      expect(code).toBe(1)
      expect(parseLines(stdout)).toMatchObject([{ copied: 0, lost: 1, pins: 0, pinsLost: 1 }])
      expect(stderr).toContain('run ipfsz migrate --verify again')
    }
  )

  it('lists files of blocks that are too large, no files, or have an unknown hash', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    await sandbox.add(text(1000))
    const [file] = await blockFiles(sandbox.repo)
    const [large, other] = [await sandbox.add(text(1001)), await sandbox.add(text(1002))]
    const added = (await blockFiles(sandbox.repo)).filter(path => path !== file)
    await truncate(added[0], 2 ** 40)
    await rm(added[1])
    await sandbox.shell(`mkfifo '${added[1]}'`)
    // a multihash of murmur3, which Helia would store
    await cp(file, join(dirname(file), `${base32upper.encode(Buffer.from('22080102030405060708', 'hex'))}.data`))

    const { code, stdout, stderr } = await sandbox.run([...JSON_MIGRATE, sandbox.repo, 'new'])

    expect(code).toBe(1)
    expect(stderr).toContain('UnknownHashError')
    expect(stderr).toContain('exceeds the limit of 16777216 bytes')
    // the named pipe is not listed as a block, but its pin finds none
    expect(parseLines(stdout)).toMatchObject([{ copied: 1, lost: 2, pins: 1, pinsLost: 2 }])
    expect(stderr).toContain(large)
    expect(stderr).toContain(other)
  })

  it('compresses what it copies if the repo does, and opens what is compressed', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    expectSuccess(await sandbox.run(['--repo', 'plain', 'init', '--layout', 'files']))
    const cid = await sandbox.add(text(1_500_000), '--codec', 'none')
    expectSuccess(await sandbox.run(['--repo', 'small', 'init', '--blockstore-codec', 'zstd']))
    await migrate(sandbox, sandbox.repo, 'small')
    await migrate(sandbox, 'small', 'plain')

    const [plain, small] = await Promise.all(['plain', 'small'].map(async repo =>
      contents(join(sandbox.directory, repo, 'blocks'))))

    expect(sizeOf(small)).toBeLessThan(sizeOf(plain) / 2)
    expect(Object.values(plain)).toEqual(Object.values(await contents(join(sandbox.repo, 'blocks'))))
    expectSuccess(await sandbox.run(['--repo', 'small', 'verify', cid]))
  })

  it('copies to a store that nodes share, and from it, by a repo that uses it', async ({ sandbox }) => {
    const cid = await sandbox.add(text(100_000), '--link')
    const store = join(sandbox.directory, 'shared')
    await mkdir(store)
    expectSuccess(await sandbox.run(['--repo', 'one', 'init', '--store', store]))
    expectSuccess(await sandbox.run(['--repo', 'two', 'init', '--store', store]))

    const totals = { pins: 1, links: 1, lost: 0, pinsLost: 0 }
    expect(await migrate(sandbox, sandbox.repo, 'one')).toMatchObject(totals)
    expect((await sandbox.run(['--repo', 'two', 'pin', 'ls'])).stdout.toString()).toContain(cid)
    expect(await migrate(sandbox, 'two', 'back')).toMatchObject(totals)
    expectSuccess(await sandbox.run(['--repo', 'back', 'verify', '--all']))

    // pins, and who uses the blocks, are known only to repos
    expectFailure(await sandbox.run(['migrate', store, 'new']), 2)
    expectFailure(await sandbox.run(['migrate', sandbox.repo, store]), 2)
    expectFailure(await sandbox.run(['migrate', 'one', 'two']), 2)
  })

  it('copies a directory of blocks that was moved to the place of those of a repo', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    const cid = await sandbox.add(noise(1_500_000))
    await cp(join(sandbox.repo, 'blocks'), join(sandbox.directory, 'helia', 'blocks'), { recursive: true })
    const { length } = await blockFiles(sandbox.repo)

    expect(await migrate(sandbox, 'helia', 'new')).toMatchObject({ copied: length, pins: 0 })
    expectSuccess(await sandbox.run(['--repo', 'new', 'verify', cid]))
  })

  it('refuses a store to itself, what is no repo, and that of Kubo', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const { repo, directory } = sandbox
    await mkdir(join(directory, 'empty'))
    await sandbox.write('file', text(10))
    await mkdir(join(directory, 'kubo', 'blocks'), { recursive: true })
    await sandbox.write(join('kubo', 'datastore_spec'), Buffer.from('{}'))

    expectFailure(await sandbox.run(['migrate', repo, repo]), 2)
    expectFailure(await sandbox.run(['migrate', join(repo, 'blocks'), 'new']), 2)
    expectFailure(await sandbox.run(['migrate', repo, join(repo, 'blocks')]), 2)
    expectFailure(await sandbox.run(['migrate', 'empty', 'new']), 2)
    expectFailure(await sandbox.run(['migrate', 'missing', 'new']), 1)
    expectFailure(await sandbox.run(['migrate', 'kubo', 'new']), 2)
    expectFailure(await sandbox.run(['migrate', repo, 'kubo']), 2)
    expectFailure(await sandbox.run(['migrate', repo, directory]), 2)
    expectFailure(await sandbox.run(['migrate', repo, 'file']), 1)
    expect(await readdir(directory)).not.toContain('new')
  })
})
