/** @module-tag long */
import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listBlocks, removeBlock } from '../../../test/support/stored-blocks.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import { ClaimedBytes } from '../src/tree/claimed-bytes.ts'
import { addPaths } from './add-trees.ts'
import type { NodeEvents, Task } from '../src/events.ts'

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-progress-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

/** A tree with equal directories, equal files, and equal large files. */
async function makeRepetitiveTree (directory: string): Promise<string> {
  const tree = join(directory, 'tree')
  await mkdir(join(tree, 'first', 'many'), { recursive: true })

  for (let i = 0; i < 150; i++) {
    await writeFile(join(tree, 'first', i % 2 === 0 ? 'many' : '', `${i}`), `a file of a few words, number ${i % 140}`)
  }

  const large = randomBytes(1_500_000).toString('hex')
  await writeFile(join(tree, 'first', 'large'), large)
  await writeFile(join(tree, 'first', 'equal'), large)
  await symlink('large', join(tree, 'first', 'link'))
  await cp(join(tree, 'first'), join(tree, 'second'), { recursive: true, verbatimSymlinks: true })
  await cp(join(tree, 'first'), join(tree, 'third'), { recursive: true, verbatimSymlinks: true })
  await writeFile(join(tree, 'third', 'many', 'other'), 'other')

  return tree
}

/** How much was done of the last step of a task, and the total, after each of its events. */
function progressOf (task: Task, events: readonly NodeEvents[]): Array<{ done: number, total: number | undefined }> {
  return events.flatMap(({ type, detail }) =>
    type === 'ipfsz:step:progress' && detail.step.task === task ? [{ done: detail.done, total: detail.total }] : [])
}

function expectWhole (progress: ReturnType<typeof progressOf>): void {
  expect(progress.length).toBeGreaterThan(1)
  expect(progress.at(-1)?.done).toBe(progress.at(-1)?.total)
  expect(progress.map(({ done }) => done)).toEqual(progress.map(({ done }) => done).toSorted((a, b) => a - b))
}

describe('the progress of a step', () => {
  it('gets a total while a directory is added, of what is added of it', async () => {
    const directory = await makeDirectory()
    const tree = await makeRepetitiveTree(directory)
    await writeFile(join(tree, 'first', '.gitignore'), 'many')

    const add = async (options: Parameters<typeof addPaths>[2]): ReturnType<typeof addPaths> =>
      addPaths(join(directory, 'repo'), [tree], { pin: false, ...options })
    const { events } = await add({ measures: true, ignore: ['second'], gitignore: true })

    expectWhole(progressOf('add', events))
    expect(progressOf('add', (await add({})).events).every(({ total }) => total == null)).toBe(true)
    expectWhole(progressOf('add', (await add({ measures: true, wrap: true, hidden: true })).events))
  })

  it('ends with the total where pins are verified and written, though equal blocks are read once', async () => {
    const directory = await makeDirectory()
    const tree = await makeRepetitiveTree(directory)
    const file = join(directory, 'file')
    await writeFile(file, 'a file below 16 KiB')
    await addPaths(join(directory, 'repo'), [join(tree, 'first'), tree, file])
    const events: NodeEvents[] = []
    const repo = await openRepo(join(directory, 'repo'), { onProgress: event => { events.push(event) } })
    onTestFinished(async () => { await repo.close() })

    await expect(repo.verifyPins({ measures: true })).resolves.toMatchObject({ pins: 3, failed: 0 })
    expectWhole(progressOf('verify', events))

    for (const name of ['tree', 'file']) {
      events.length = 0
      await repo.verify(name, { measures: true })
      expectWhole(progressOf('verify', events))
    }

    await repo.get('tree', join(directory, 'written'))
    expectWhole(progressOf('write', events))
    // it certainly fits: it is not measured before
    expect(progressOf('measure', events)).toEqual([])
    const { size } = await repo.verify('tree')
    events.length = 0
    await repo.get('tree', join(directory, 'measured'), { maxSize: Number(size) })
    expectWhole(progressOf('write', events))
    expect(progressOf('measure', events).at(-1)?.done).toBe(Number(size))
  })

  it('ends with the total where pins are damaged', async () => {
    const directory = await makeDirectory()
    const tree = await makeRepetitiveTree(directory)
    await addPaths(join(directory, 'repo'), [join(tree, 'first'), tree])

    for (const block of (await listBlocks(join(directory, 'repo'))).slice(0, 20)) {
      await removeBlock(join(directory, 'repo'), block)
    }

    const events: NodeEvents[] = []
    const repo = await openRepo(join(directory, 'repo'), { onProgress: event => { events.push(event) } })
    onTestFinished(async () => { await repo.close() })

    await expect(repo.verifyPins({ measures: true })).resolves.toMatchObject({ failed: 2 })
    const last = progressOf('verify', events).at(-1)
    expect(last?.done).toBe(last?.total)
  })
})

describe('the bytes of verified files', () => {
  it('are those of finished files, and what was read of the others, up to what they claim', async () => {
    let done = 0
    const verified = new ClaimedBytes(bytes => { done += bytes })
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]

    verified.read(5)
    expect(done).toBe(0)
    verified.add(10)
    const verifying = [verified.during(100, async () => first.promise), verified.during(50, async () => second.promise)]
    verified.read(60)
    expect(done).toBe(70)
    second.resolve()
    await verifying[1]
    expect(done).toBe(70)
    verified.read(1000)
    expect(done).toBe(160)
    first.resolve()
    await Promise.all(verifying)
    expect(done).toBe(160)
  })
})
