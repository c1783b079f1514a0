import { readdirSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { markerCodecs, unmark } from '@ipfsz/core'
import { FsDatastore } from 'datastore-fs'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, openBlocks, removeBlock, writeBlock } from '../support/stored-blocks.ts'
import { makeTree, PRESERVE, readTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

async function gc (sandbox: Sandbox, ...args: string[]): Promise<Record<string, unknown>> {
  const result = await sandbox.run(['gc', '--json', ...args])
  expectSuccess(result)

  return parseLines(result.stdout)[0]
}

async function pins (sandbox: Sandbox): Promise<unknown[]> {
  const { stdout } = await sandbox.run(['pin', 'ls', '--json'])

  return stdout.byteLength === 0 ? [] : parseLines(stdout).map(({ cid }) => cid)
}

describe.concurrent('ipfsz pin', () => {
  it('lists added files and directories by marked CID and name', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000) })
    const file = await sandbox.add(text(100_000))
    const raw = await sandbox.add(noise(1000))
    const tree = (await sandbox.run(['add', '-Q', 'in'])).stdout.toString().trim()

    const result = await sandbox.run(['pin', 'ls', '--json'])

    expectSuccess(result)
    const listed = parseLines(result.stdout)
    expect(listed.map(({ cid }) => cid).toSorted()).toEqual([file, raw, tree].toSorted())
    expect(
      listed.find(({ cid }) => cid === tree)
    ).toEqual({ cid: tree, plainCid: unmark(CID.parse(tree)).toString(), name: 'in' })
  })

  it.for<[string, string[]]>([
    ['an added file', ['add', 'in/c']],
    ['an added directory', ['add', '-Q', 'in']],
    ['an imported CAR', ['car', 'import', 'in.car']]
  ])('has a record of %s on disk before the CID is printed', async ([, args], { sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000), c: text(100_000) })
    const { stdout } = await sandbox.run(['add', '-Q', '--repo', 'other', 'in'])
    expectSuccess(await sandbox.run(['car', 'export', '--repo', 'other', stdout.toString().trim(), '-o', 'in.car']))
    const printed: string[][] = []

    const result = await sandbox.run(args, {
      onPrint: () => { printed.push(readdirSync(join(sandbox.repo, 'datastore', 'pin'))) }
    })

    expectSuccess(result)
    expect(printed).toEqual([[expect.stringMatching(/\.data$/)]])
  })

  it('does not list a file added with --no-pin', async ({ sandbox }) => {
    await sandbox.add(text(100_000), '--no-pin')

    expect(await pins(sandbox)).toEqual([])
  })

  it('adds and removes a pin by its marked or plain CID, any number of times', async ({ sandbox }) => {
    const cid = await sandbox.add(text(100_000), '--no-pin')
    const plain = unmark(CID.parse(cid)).toString()

    expectSuccess(await sandbox.run(['pin', 'add', plain]))
    expect(await pins(sandbox)).toEqual([plain])
    expectSuccess(await sandbox.run(['pin', 'add', cid]))
    expectSuccess(await sandbox.run(['pin', 'add', cid]))
    expect(await pins(sandbox)).toEqual([cid])
    expectSuccess(await sandbox.run(['pin', 'rm', plain]))
    expect(await pins(sandbox)).toEqual([])
    expectSuccess(await sandbox.run(['pin', 'add', cid]))
    expectSuccess(await sandbox.run(['pin', 'rm', cid]))
    expectFailure(await sandbox.run(['pin', 'rm', cid]), 1)
  })

  it('keeps the marked CID and the name when a file is pinned again by its plain CID', async ({ sandbox }) => {
    await sandbox.write('words', text(100_000))
    const cid = (await sandbox.run(['add', '-Q', 'words'])).stdout.toString().trim()
    const plain = unmark(CID.parse(cid)).toString()

    expectSuccess(await sandbox.run(['pin', 'add', plain]))

    expect(parseLines((await sandbox.run(['pin', 'ls', '--json'])).stdout))
      .toEqual([{ cid, plainCid: plain, name: 'words' }])
  })

  it('refuses a file of which some or all blocks are missing', async ({ sandbox }) => {
    const cid = await sandbox.add(noise(3_000_000), '--no-pin')
    const [file] = await listBlocks(sandbox.repo)
    await removeBlock(sandbox.repo, file)

    expectFailure(await sandbox.run(['pin', 'add', cid]), 1)
    expectFailure(await sandbox.run(['pin', 'add', 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354']), 1)
    expect(await pins(sandbox)).toEqual([])
  })

  it('writes pins that Helia reads, and reads pins that Helia writes', async ({ sandbox }) => {
    const cid = unmark(CID.parse(await sandbox.add(text(100_000))))
    const other = unmark(CID.parse(await sandbox.add(longText(9_000_000), '--no-pin')))
    const helia = createHeliaLight({
      blockstore: await openBlocks(sandbox.repo),
      datastore: new FsDatastore(join(sandbox.repo, 'datastore')),
      codecs: markerCodecs
    })

    expect(await helia.pins.isPinned(cid)).toBe(true)
    expect((await Array.fromAsync(helia.pins.ls())).map(pin => pin.cid)).toEqual([cid])
    await Array.fromAsync(helia.pins.add(other))
    await Array.fromAsync(helia.pins.rm(cid))

    expect(await pins(sandbox)).toEqual([other.toString()])
    const before = (await listBlocks(sandbox.repo)).length
    expect(await gc(sandbox)).toMatchObject({ removed: 1, kept: before - 1 })
    expectSuccess(await sandbox.run(['pin', 'rm', other.toString()]))
    expect(await pins(sandbox)).toEqual([])
  })
})

describe.concurrent('ipfsz gc', () => {
  it('keeps all blocks below a pin and removes all others', async ({ sandbox }) => {
    const directory = await makeTree(
      join(sandbox.directory, 'in'),
      { 'a/b': text(100_000), c: longText(9_000_000), link: { link: 'c' }, empty: null }
    )
    const tree = (await sandbox.run(['add', '-Q', ...PRESERVE, 'in'])).stdout.toString().trim()
    const gone = await sandbox.add(longText(9_000_000, 2), '--no-pin')
    const before = (await listBlocks(sandbox.repo)).length

    const planned = await gc(sandbox, '--dry-run')
    expect((await listBlocks(sandbox.repo))).toHaveLength(before)
    const done = await gc(sandbox)

    expect(done.packs).toEqual({ freed: expect.any(Number), unused: expect.any(Number) })
    expect({ ...done, dryRun: true, packs: undefined }).toEqual(planned)
    expect(await listBlocks(sandbox.repo)).toHaveLength(before - Number(done.removed))
    expectFailure(await sandbox.run(['cat', gone]), 1)
    expectSuccess(await sandbox.run(['get', tree, '-o', 'out']))
    expect(await readTree(join(sandbox.directory, 'out'))).toEqual(await readTree(directory))
    expect(await gc(sandbox)).toMatchObject({ removed: 0 })
  })

  it('does not say that deleted blocks take space when they take none', async ({ sandbox }) => {
    await sandbox.add(text(1000))

    const { stdout } = await sandbox.run(['gc', '--max-unused', '0'])

    expect(stdout.toString()).toMatch(/^Deleted 0 unpinned blocks .* Freed \S+ B of disk space\n$/)
  })

  it('keeps blocks that a removed file shares with a pinned one', async ({ sandbox }) => {
    const bytes = noise(3_000_000)
    const one = await sandbox.add(bytes)
    const other = await sandbox.add(Buffer.concat([bytes, noise(10, 2)]))

    const removed = await sandbox.run(['rm', other])
    expectSuccess(removed)
    expect(removed.stdout.toString()).toContain('\tunpinned\t')
    await gc(sandbox)

    expect((await sandbox.run(['cat', one])).stdout.equals(bytes)).toBe(true)
    expectFailure(await sandbox.run(['cat', other]), 1)
  })

  it('refuses to remove every block without --force', async ({ sandbox }) => {
    const cid = await sandbox.add(text(100_000))
    expectSuccess(await sandbox.run(['rm', cid]))

    const refused = await sandbox.run(['gc'])

    expectFailure(refused, 1)
    expect(refused.stderr).toContain('--force')
    expect(await gc(sandbox, '--force')).toMatchObject({ removed: 1, kept: 0 })
    expect(await gc(sandbox)).toMatchObject({ removed: 0 })
  })

  it('refuses a repo of a version without pins until --force is given once', async ({ sandbox }) => {
    await sandbox.add(text(100_000), '--no-pin')
    await rm(join(sandbox.repo, 'datastore', 'ipfsz'), { recursive: true })
    const kept = await sandbox.add(text(200_000))

    expectFailure(await sandbox.run(['gc']), 1)
    expect(await listBlocks(sandbox.repo)).toHaveLength(2)
    expect(await gc(sandbox, '--dry-run')).toMatchObject({ removed: 1 })
    expect(await gc(sandbox, '--force')).toMatchObject({ removed: 1 })
    await sandbox.add(noise(1000), '--no-pin')
    expect(await gc(sandbox)).toMatchObject({ removed: 1 })
    expect((await sandbox.run(['cat', kept])).stdout.equals(text(200_000))).toBe(true)
  })

  it.for(['missing', 'damaged'])('removes nothing when the root of a pinned directory is %s', async (
    what,
    { sandbox }
  ) => {
    await makeTree(join(sandbox.directory, 'in'), { 'a/b': text(100_000) })
    const cid = (await sandbox.run(['add', '-Q', 'in'])).stdout.toString().trim()
    await sandbox.add(noise(1000), '--no-pin')

    await (what === 'missing' ? removeBlock(sandbox.repo, cid) : writeBlock(sandbox.repo, cid, noise(100)))

    const before = await listBlocks(sandbox.repo)

    const result = await sandbox.run(['gc', '--force'])

    expectFailure(result, 1)
    expect(result.stderr).toContain(unmark(CID.parse(cid)).toString())
    expect(await listBlocks(sandbox.repo)).toEqual(before)
  })

  it('refuses a directory without a repo and creates none', async ({ sandbox }) => {
    expectFailure(await sandbox.run(['gc']), 1)
    expectFailure(await sandbox.run(['rm', 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354']), 1)
    expect(await readdir(sandbox.directory)).toEqual([])
  })
})
