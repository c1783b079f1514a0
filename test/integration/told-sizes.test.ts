/** @module-tag long */
import { join } from 'node:path'
import { formatSize } from '@ipfsz/utils/format-size'
import { CarReader } from '@ipld/car'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { startGateway } from './run-gateway.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

const SHARED = Buffer.from(noise(2000)).toString('hex')
const BASE = noise(1_500_000)
const CHANGED = Buffer.concat([BASE.subarray(0, 700_000), text(1000), BASE.subarray(700_000)])
const LONG = longText(3_000_000)
/** Enough entries for a sharded directory. */
const ENTRIES = 1300
/** How many files of a tree are looked at one by one. */
const LOOKED_AT = 20

/** Small files that have a dictionary together. */
const PAGES = Object.fromEntries(Array.from({ length: 8 }, (_, i) =>
  [`pages/${i}.html`, Buffer.concat([Buffer.from(SHARED.slice(0, 3000)), text(300, i + 1)])]))

/** A tree, the options to add it with, and whether it needs blocks that are not its own. */
const CASES: ReadonlyArray<[string, Parameters<typeof makeTree>[1], string[], boolean]> = [
  ['plain files', { noise: noise(2_500_000), 'sub/empty': '', 'sub/none': null, 'sub/nothing': null }, [], false],
  ['compressed files', { 'a.txt': text(3_000_000), 'sub/b.txt': text(20_000) }, ['--codec', 'gzip'], false],
  ['files with a dictionary', { ...PAGES, 'one.html': PAGES['pages/0.html'] }, ['--dictionaries'], false],
  ['equal files, directories, symlinks and leaves', {
    'a/text': text(100_000),
    'b/text': text(100_000),
    'c/link': { link: 'x' },
    'd/link': { link: 'x' },
    // both leaves are equal
    zeros: Buffer.alloc(2 * 1024 * 1024),
    ones: Buffer.concat([Buffer.alloc(1024 * 1024), noise(1000)])
  }, ['--codec', 'none'], false],
  ['files with frames in common', {
    one: LONG,
    two: Buffer.concat([LONG, text(100_000)])
  }, ['--cut', 'content'], false],
  ['a file with an earlier version', { changed: CHANGED, same: text(50_000), new: text(70_000, 2) }, ['--base'], true],
  ['a sharded directory', {
    ...Object.fromEntries(Array.from({ length: ENTRIES }, (_, i) => [`${'n'.repeat(200)}${i}`, `${i % 1000}`])),
    'text.txt': text(100_000)
  }, [], false],
  ['an empty directory', {}, [], false],
  ['an empty file, and a symlink to it', { nothing: '', link: { link: 'nothing' } }, [], false],
  ['files with links', { 'a.txt': text(300_000), 'b.txt': text(200_000, 2) }, ['--link'], false]
]

interface Added {
  cid: string
  plainCid: string
  size: number
  storedSize: number
}

describe('sizes', () => {
  it.for(CASES)('are the same everywhere: %s', async ([, files, options, isBased], { sandbox }) => {
    const base = isBased ? await addBase(sandbox) : undefined
    await makeTree(join(sandbox.directory, 'tree'), files)
    const args = base == null ? options : [...options, base]
    const added = await json(sandbox, 'add', ...args, '--', 'tree')
    const { cid, ...tree } = added.at(-1) as unknown as Added
    const told = { size: tree.size, storedSize: tree.storedSize }
    const exported = await blocksOf(sandbox, cid)
    const [stat] = await json(sandbox, 'stat', cid)

    expect(stat).toMatchObject({ ...told, fetchSize: exported.size, blocks: exported.count })
    expect(stat.ratio).toBe(told.size === 0 ? 1 : told.storedSize / told.size)
    expect(Number(stat.fetchSize) > told.storedSize).toBe(isBased)
    expect((await json(sandbox, 'verify', cid))[0]).toMatchObject({ size: told.size, blocks: exported.count })
    expect((await json(sandbox, 'repair', cid))[0]).toMatchObject({ blocks: exported.count, state: 'good' })
    expect((await json(sandbox, 'pin', 'ls', '-l')).find(pin => pin.cid === cid)).toMatchObject(told)

    // a file that occurs several times counts once here
    const usage = await json(sandbox, 'du', '-s', cid)
    expect(usage[0]).toMatchObject({ cid, storedSize: told.storedSize })
    expect(usage.at(-1)).toMatchObject({ storedSize: exported.size, blocks: exported.count })

    // each file by itself
    for (const file of added.slice(0, -1).slice(-LOOKED_AT)) {
      const path = String(file.name).slice('tree/'.length)
      const [own] = await json(sandbox, 'stat', `${cid}/${path}`)
      const [row] = await json(sandbox, 'ls', `${cid}/${path}`)

      expect([path, own.size, own.storedSize]).toEqual([path, file.size, file.storedSize])
      expect([row.name, row.size, row.storedSize]).toEqual([path.split('/').at(-1), file.size, file.storedSize])
      expect([own.ratio, row.ratio]).toEqual([file.ratio, file.ratio])
    }

    const [plain] = await json(sandbox, 'stat', tree.plainCid)
    expect([plain.storedSize, plain.fetchSize, plain.blocks, plain.markedCid])
      .toEqual([told.storedSize, stat.fetchSize, stat.blocks, stat.markedCid])

    const { url } = await startGateway(sandbox)
    const page = await (await fetch(`${url}/ipfs/${cid}/`)).text()
    expect(factsOf(page)).toMatchObject({
      Original: formatSize(told.size),
      Stored: formatSize(told.storedSize),
      ...told.size === 0 ? {} : { Ratio: Number(stat.ratio).toFixed(3) },
      ...isBased ? { 'With bases': formatSize(Number(stat.fetchSize)) } : {}
    })
  })

  it('of a pin below another pin are its own, and each block counts once in total', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'tree'), {
      'a.txt': text(200_000), 'sub/b.txt': text(100_000, 2), 'sub/noise': noise(50_000), 'sub/a.txt': text(200_000)
    })
    const cid = String((await json(sandbox, 'add', '-Q', 'tree'))[0].cid)
    const before = (await json(sandbox, 'stats'))[0]
    const [sub] = await json(sandbox, 'stat', `${cid}/sub`)
    const told = { size: sub.size, storedSize: sub.storedSize }
    await json(sandbox, 'pin', 'add', `${cid}/sub`)

    const pin = (await json(sandbox, 'pin', 'ls', '-l')).find(row => row.plainCid === sub.plainCid)
    expect(pin).toMatchObject(told)
    expect((await json(sandbox, 'verify', '--all')).find(row => row.cid === pin?.cid))
      .toMatchObject({ ok: true, size: sub.size, blocks: sub.blocks })
    expect((await json(sandbox, 'repair')).find(row => row.cid === pin?.cid)).toMatchObject({ blocks: sub.blocks })
    expect((await json(sandbox, 'stats'))[0]).toEqual(before)
    const whole = await blocksOf(sandbox, cid)
    expect((await json(sandbox, 'du')).at(-1)).toMatchObject({ storedSize: whole.size, blocks: whole.count })

    // what is left is what was told of the part
    await json(sandbox, 'rm', cid)
    await json(sandbox, 'gc')
    expect((await json(sandbox, 'stats'))[0]).toMatchObject({ blocks: sub.blocks, size: sub.storedSize })
    expect((await json(sandbox, 'du', '-s')).at(-1)).toMatchObject({ storedSize: sub.storedSize, blocks: sub.blocks })
  })

  it('of versions are those of their own blocks, with and without the pin of their base', async ({ sandbox }) => {
    const [first, second, third] = await addVersions(sandbox)
    const base = await blocksOf(sandbox, first.cid)

    expect(first.newSize).toBe(first.storedSize)
    expect((await json(sandbox, 'log', 'tree')).map(({ cid, size, addedSize }) => [cid, size, addedSize]))
      .toEqual([third, second, first].map(({ cid, size, newSize }) => [cid, size, newSize]))

    for (const isPinned of [true, false]) {
      if (!isPinned) {
        await json(sandbox, 'pin', 'rm', first.cid)
      }

      for (const { cid, size, storedSize } of [second, third]) {
        const alone = await blocksOf(sandbox, cid)
        const [stat] = await json(sandbox, 'stat', cid)

        expect(stat).toMatchObject({ size, storedSize, fetchSize: alone.size, blocks: alone.count })
        expect(alone.size).toBeGreaterThan(base.size / 2)
        expect(storedSize).toBeLessThan(alone.size / 2)
        expect((await json(sandbox, 'pin', 'ls', '-l')).find(pin => pin.cid === cid))
          .toMatchObject({ size, storedSize })
      }

      const rows = await json(sandbox, 'du', '-s')
      const total = Number(rows.at(-1)?.storedSize)
      expect(rows.some(({ name }) => name === 'bases')).toBe(!isPinned)
      expect(rows.slice(0, -1).reduce((sum, row) => sum + Number(row.storedSize), 0)).toBe(total)
      await json(sandbox, 'gc')
      expect((await json(sandbox, 'stats'))[0]).toMatchObject({ size: total, blocks: rows.at(-1)?.blocks })
    }
  })

  it('of compressed files in stats are those of the files, without dictionaries', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'tree'), PAGES)
    const added = await json(sandbox, 'add', '--dictionaries', 'tree')
    const directories = (await json(sandbox, 'du', String(added.at(-1)?.cid))).at(-1)
    const { files } = (await json(sandbox, 'stats'))[0] as { files?: Record<string, number> }

    expect(files).toMatchObject({ count: 8, size: added.at(-1)?.size })
    expect(files?.storedSize).toBeLessThan(Number(directories?.storedSize))
    expect(files?.storedSize)
      .toBeGreaterThan(added.slice(0, -1).reduce((sum, { storedSize }) => sum + Number(storedSize), 0))
  })
})

/** A tree in three versions, each stored as differences from the first. */
async function addVersions (sandbox: Sandbox): Promise<Array<Added & { newSize: number }>> {
  const versions: Array<Added & { newSize: number }> = []

  for (const inserted of [0, 1000, 2000]) {
    await makeTree(join(sandbox.directory, 'tree'), {
      changed: Buffer.concat([BASE.subarray(0, 700_000), text(inserted), BASE.subarray(700_000)]),
      same: text(50_000)
    })
    versions.push((await json(sandbox, 'add', '--base', 'latest', 'tree')).at(-1) as unknown as typeof versions[0])
  }

  return versions
}

async function addBase (sandbox: Sandbox): Promise<string> {
  await makeTree(join(sandbox.directory, 'earlier'), { changed: BASE, same: text(50_000) })

  return String((await json(sandbox, 'add', '-Q', 'earlier'))[0].cid)
}

async function json ({ run }: Sandbox, ...args: string[]): Promise<Array<Record<string, unknown>>> {
  const end = args[0] === 'pin' ? 2 : 1
  const result = await run([...args.slice(0, end), '--json', ...args.slice(end)])
  expectSuccess(result)

  return parseLines(result.stdout)
}

/** The blocks that a CAR of a DAG has: all that another node needs. */
async function blocksOf ({ run }: Sandbox, cid: string): Promise<{ count: number, size: number }> {
  const { stdout } = await run(['car', 'export', cid, '-o', '-'])
  const blocks = await Array.fromAsync((await CarReader.fromBytes(stdout)).blocks())

  return { count: blocks.length, size: blocks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) }
}

function factsOf (page: string): Record<string, string> {
  const facts = [...page.matchAll(/<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g)]

  return Object.fromEntries(facts.map(([, term, value]) => [term, value]))
}
