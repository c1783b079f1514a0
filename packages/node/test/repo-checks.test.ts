import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import all from 'it-all'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listBlocks, removeBlock } from '../../../test/support/stored-blocks.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import { verifyAllContent } from '../src/verify/index.ts'
import type { NodeEvents, OpenRepo, OpenRepoInit } from '../src/index.ts'
import type { Difference } from '../src/diff/index.ts'
import type { Repaired } from '../src/repair/index.ts'
import type { NamedUsage } from '../src/usage/index.ts'
import type { VerifiedPin } from '../src/verify/index.ts'

/** So many bytes that hardly compress, and differ with the seed. */
function bytesOf (seed: number, length = 100_000): Uint8Array {
  let state = seed

  return Uint8Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31

    return 97 + (state >> 16) % 20
  })
}

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-checks-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

async function open (init?: OpenRepoInit): Promise<OpenRepo> {
  const repo = await openRepo(join(await makeDirectory(), 'repo'), init)
  onTestFinished(async () => { await repo.close() })

  return repo
}

/** Add a file of which the last new block is then deleted. */
async function addIncomplete (repo: OpenRepo, seed: number, name: string): ReturnType<OpenRepo['add']> {
  const before = new Set(await listBlocks(repo.path))
  const added = await repo.add(bytesOf(seed, 3_000_000), { name })
  const blocks = (await listBlocks(repo.path)).filter(block => !before.has(block))

  // any but the root would do, and a root that is missing is incomplete, too
  await removeBlock(repo.path, blocks[0])

  return added
}

async function makeTree (files: Readonly<Record<string, Uint8Array>>): Promise<string> {
  const directory = join(await makeDirectory(), 'tree')
  await mkdir(directory)

  for (const [name, bytes] of Object.entries(files)) {
    await writeFile(join(directory, name), bytes)
  }

  return directory
}

describe('checks of a repo', () => {
  it('tells which pins are good, and which are not', async () => {
    const events: NodeEvents[] = []
    const repo = await open({ onProgress (event) { events.push(event) } })
    await repo.add(bytesOf(1), { name: 'good' })
    await addIncomplete(repo, 2, 'incomplete')
    const verified: VerifiedPin[] = []

    const { pins, failed, unreadable } = await repo.verifyPins({ onVerified (pin) { verified.push(pin) } })

    expect({ pins, failed, unreadable }).toEqual({ pins: 2, failed: 1, unreadable: [] })
    expect(Object.fromEntries(verified.map(({ pin, state }) => [pin.name, state])))
      .toEqual({ good: 'good', incomplete: 'incomplete' })
    expect(verified.find(({ state }) => state === 'good')).toMatchObject({ size: 100_000n, files: 1 })
    expect(verified.find(({ state }) => state === 'incomplete')).toMatchObject({ error: { name: 'NotFoundError' } })

    const steps = events.filter(({ type }) => type.startsWith('ipfsz:step:') && !type.endsWith('progress'))

    expect(steps.filter(({ type }) => type.endsWith('begin'))).toHaveLength(steps.length / 2)
    expect(steps.map(({ detail }) => detail)).toContainEqual({ task: 'verify', name: '2 pins', unit: 'bytes' })
  })

  it('says before it verifies how many bytes there are, as the roots claim', async () => {
    const events: NodeEvents[] = []
    const repo = await open({ onProgress (event) { events.push(event) } })
    await repo.addFile(await makeTree({ one: bytesOf(3), two: bytesOf(4) }), { name: 'tree' })
    await repo.verifyPins({ measures: true })

    const steps = events.flatMap(({ type, detail }) => type === 'ipfsz:step:begin' ? [detail] : [])

    expect(steps.at(-1)).toMatchObject({ task: 'verify', total: expect.any(Number) as number })
    expect(steps).not.toContainEqual(expect.objectContaining({ task: 'measure' }))
  })

  it('verifies several targets also if nobody listens', async () => {
    const repo = await open()
    const good = await repo.add(bytesOf(1))
    const incomplete = await addIncomplete(repo, 2, 'incomplete')
    const context = { repo: repo.path, signal: new AbortController().signal, bootstrap: [] }
    const targets = [incomplete, good].map(({ cid }) => cid.toString())

    await expect(verifyAllContent(context, targets)).resolves.toEqual({ failed: 1, lost: true })
  })

  it('reports which blocks nobody sends, and which roots need them', async () => {
    const repo = await open()
    const { cid } = await addIncomplete(repo, 3, 'lost')
    await repo.add(bytesOf(4), { name: 'good' })
    const repaired: Repaired[] = []

    const report = await repo.repair([], { onRepaired (root) { repaired.push(root) } })

    expect(report).toMatchObject({ roots: 2, failed: 0, unreadable: [], online: false })
    // it is no less thorough if nobody listens
    await expect(repo.repair([])).resolves.toEqual(report)
    expect(report.lost).toHaveLength(1)
    expect(report.lost[0]).toMatchObject({ found: 'missing', roots: [{ name: 'lost' }] })
    expect(report.lost[0].roots[0].cid.equals(cid)).toBe(true)
    expect(Object.fromEntries(repaired.map(({ root, state }) => [root.name, state])))
      .toEqual({ good: 'good', lost: 'incomplete' })
    expect(repaired.find(({ state }) => state === 'incomplete')).toMatchObject({ missing: 1, fetched: 0, damaged: 0 })
  })

  it('measures what pins take, each block once, and the entries of a directory before all of it', async () => {
    const repo = await open()
    const tree = await makeTree({ a: bytesOf(5), b: bytesOf(6), copy: bytesOf(5) })
    const { cid } = await repo.addDirectory(tree)
    const usages: NamedUsage[] = []

    const { total, targets, failed } = await repo.usage(['tree'], {
      entries: true,
      onUsage (usage) { usages.push(usage) }
    })

    expect({ targets, failed }).toEqual({ targets: 1, failed: 0 })
    expect(usages.map(({ name, size }) => [name, size]))
      .toEqual([['tree/a', 100_000], ['tree/b', 100_000], ['tree/copy', 0], ['tree', 200_000]])
    expect(usages[3].cid.equals(cid)).toBe(true)
    expect(total).toMatchObject({ size: 200_000, storedSize: usages[3].storedSize })
    expect(total.storedSize).toBeLessThan(200_000)

    const stats = await repo.stats()

    expect(stats).toMatchObject({ unreadable: 0, files: { count: 2, size: 200_000, incompletePins: 0 } })
    expect(stats.blocks).toBeGreaterThanOrEqual(total.blocks)
    expect(stats.originalSize - stats.storedSize).toBe(stats.saved)
  })

  it('goes on with other targets when one cannot be measured, and fails for a single one', async () => {
    const repo = await open()
    await addIncomplete(repo, 7, 'lost')
    await repo.add(bytesOf(8), { name: 'good' })
    const failures: string[] = []
    await Promise.all((await listBlocks(repo.path)).map(async block => removeBlock(repo.path, block)))
    await repo.add(bytesOf(8), { name: 'good' })

    const { failed } = await repo.usage([], { onFailed (name) { failures.push(name) } })

    expect(failed).toBe(1)
    expect(failures).toEqual(['lost'])
    await expect(repo.usage(['lost'])).rejects.toBeInstanceOf(Error)
  })

  it('compares two versions of a directory', async () => {
    const repo = await open()
    const before = await repo.addDirectory(await makeTree({ same: bytesOf(9), other: bytesOf(10), gone: bytesOf(11) }))
    const after = await repo.addDirectory(await makeTree({ same: bytesOf(9), other: bytesOf(12), more: bytesOf(13) }))
    const found: Difference[] = []

    const { differences, unknown } = await repo.diff(before.cid, after.cid, {
      content: true,
      onDifference (difference) { found.push(difference) }
    })

    expect({ differences, unknown }).toEqual({ differences: 3, unknown: 0 })
    expect(found.map(({ change, path }) => `${change} ${path}`).toSorted())
      .toEqual(['added more', 'changed other', 'removed gone'])
    await expect(repo.diff(before.cid, before.cid)).resolves.toEqual({ differences: 0, unknown: 0 })
  })

  it('lists the originals of what was linked, once they are indexed', async () => {
    const repo = await open()
    const { cid } = await repo.add(bytesOf(14), { link: true })

    expect(await all(repo.originals.ls())).toEqual([])
    await expect(repo.originals.index()).resolves.toBe(0)

    const originals = await all(repo.originals.ls())

    expect(originals.length).toBeGreaterThan(0)
    expect(originals.every(({ compressed }) => compressed.equals(cid))).toBe(true)
    await expect(repo.originals.index([(await repo.add(bytesOf(15))).cid]))
      .rejects.toMatchObject({ name: 'UnlinkedFileError' })
  })
})
