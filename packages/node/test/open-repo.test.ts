import { execFile } from 'node:child_process'
import { renameSync, symlinkSync, watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import all from 'it-all'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listBlocks, writeBlock } from '../../../test/support/stored-blocks.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import { openRepo as createRepo } from '../src/repo/repo.ts'
import type { NodeEvents, OpenRepo, OpenRepoInit } from '../src/index.ts'

const TEXT = 'the same words again and again, '.repeat(2000)
const BYTES = new TextEncoder().encode(TEXT)
/** Of something that no repo here has. */
const MISSING = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-open-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

async function open (init?: OpenRepoInit, directory?: string): Promise<OpenRepo> {
  const repo = await openRepo(directory ?? join(await makeDirectory(), 'repo'), init)
  onTestFinished(async () => { await repo.close() })

  return repo
}

async function read (repo: OpenRepo, cid: CID, path?: string): Promise<string> {
  return Buffer.concat(await all(repo.files.cat(cid, path == null ? {} : { path }))).toString()
}

async function makeTree (): Promise<string> {
  const directory = join(await makeDirectory(), 'tree')
  await mkdir(join(directory, 'below'), { recursive: true })
  await writeFile(join(directory, 'a.txt'), TEXT)
  await writeFile(join(directory, 'below/b.txt'), `${TEXT}b`)
  await writeFile(join(directory, '.hidden'), 'x')
  await writeFile(join(directory, '.gitignore'), '*.log\n')
  await writeFile(join(directory, 'c.log'), 'log')
  await symlink('a.txt', join(directory, 'link'))

  return directory
}

it('is told by name if another user replaces the directory of a repo while it is opened', async () => {
  const directory = await makeDirectory()
  const [repo, victim] = ['repo', 'victim'].map(name => join(directory, name))
  await Promise.all([mkdir(repo), mkdir(victim)])
  const watcher = watch(repo, () => {
    watcher.close()
    renameSync(repo, `${repo}.moved`)
    symlinkSync(victim, repo)
  })

  await expect(createRepo(repo)).rejects.toMatchObject({ name: 'RepoError', problem: 'replaced' })
})

describe('an open repo', () => {
  it('adds bytes and streams, which it compresses, pins, lists and reads', async () => {
    const repo = await open()
    const added = await repo.add(BYTES, { name: 'words.txt' })
    const streamed = await repo.add((async function * () {
      yield BYTES.subarray(0, 1000)
      yield BYTES.subarray(1000)
    })())

    expect(added).toMatchObject({ name: 'words.txt', type: 'file', size: BigInt(BYTES.byteLength), codec: 'zstd' })
    expect(added.ratio).toBeLessThan(0.1)
    expect(streamed.cid.toString()).toBe(added.cid.toString())
    expect(await read(repo, added.cid)).toBe(TEXT)

    const pins = await all(repo.pins.ls({ long: true }))

    expect(pins).toHaveLength(1)
    expect(pins[0]).toMatchObject({ name: 'words.txt', size: BigInt(BYTES.byteLength), depth: Infinity })
    expect(pins[0].cid.equals(added.cid)).toBe(true)
    expect(pins[0].pinnedAt?.getTime()).toBeGreaterThan(0)
  })

  it('collects what is not pinned, and keeps the rest', async () => {
    const repo = await open()
    const { cid: kept } = await repo.add(BYTES)
    const { cid } = await repo.add(new TextEncoder().encode(`${TEXT}x`))

    await repo.pins.rm(cid)
    await expect(repo.pins.rm(cid)).rejects.toMatchObject({ name: 'NotPinnedError', cid })
    await expect(repo.collect({ dryRun: true })).resolves.toMatchObject({ dryRun: true, pins: 1 })
    expect(await read(repo, cid)).toBe(`${TEXT}x`)

    const { removed, pins } = await repo.collect()

    expect(removed).toBeGreaterThan(0)
    expect(pins).toBe(1)
    expect(await read(repo, kept)).toBe(TEXT)
    // what a handle has read before may still be in its memory
    await expect(read(await open({}, repo.path), cid)).rejects.toMatchObject({ name: 'NotFoundError' })
    await expect(repo.pins.add(cid)).rejects.toMatchObject({ name: 'DamagedDagError', root: cid })
  })

  it('refuses to delete everything, unless it is told to', async () => {
    const repo = await open()
    const { cid } = await repo.add(BYTES, { pin: false })

    await expect(repo.collect()).rejects.toMatchObject({ name: 'NothingPinnedError', problem: 'nothing-pinned' })
    expect(await read(repo, cid)).toBe(TEXT)
    await expect(repo.collect({ force: true })).resolves.toMatchObject({ pins: 0, kept: 0 })
  })

  it('adds a directory from disk, tells what is in it, and writes it to disk again', async () => {
    const [repo, tree] = [await open(), await makeTree()]
    const entries: string[] = []
    const root = await repo.addDirectory(tree, { gitignore: true, onEntry ({ path }) { entries.push(path) } })

    expect(root).toMatchObject({ name: 'tree', type: 'directory', hidden: 2, content: { files: 2, compressed: 2 } })
    expect(entries.toSorted()).toEqual(['tree/a.txt', 'tree/below/b.txt', 'tree/link'])
    expect(await read(repo, root.cid, 'below/b.txt')).toBe(`${TEXT}b`)

    const copy = join(await makeDirectory(), 'copy')
    const written = await repo.get(root.cid, copy)

    expect(written).toMatchObject({ path: copy, type: 'directory', counts: { files: 2, directories: 2, symlinks: 1 } })
    expect(await readFile(join(copy, 'below/b.txt'), 'utf8')).toBe(`${TEXT}b`)
    expect((await readdir(copy)).toSorted()).toEqual(['a.txt', 'below', 'link'])
    await expect(repo.get(root.cid, copy)).rejects.toMatchObject({ name: 'TreeEntryError', problem: 'in-the-way' })
  })

  it('replaces a file only if it is told to, and never a directory', async () => {
    const repo = await open()
    const { cid } = await repo.add(BYTES)
    const directory = await makeDirectory()
    const path = join(directory, 'file')
    await writeFile(path, 'mine')

    await expect(repo.get(cid, path))
      .rejects.toMatchObject({ name: 'TreeEntryError', problem: 'exists', path, hint: expect.any(String) })
    expect(await readFile(path, 'utf8')).toBe('mine')
    await expect(repo.get(cid, path, { force: true })).resolves.toMatchObject({ type: 'file', size: BYTES.byteLength })
    expect(await readFile(path, 'utf8')).toBe(TEXT)
    await expect(repo.get(cid, directory, { force: true }))
      .rejects.toMatchObject({ name: 'TreeEntryError', problem: 'is-directory' })
    await expect(repo.get(cid, '/dev/null')).rejects.toMatchObject({ name: 'UsageError', problem: 'not-regular' })
    await expect(repo.get(cid, join(directory, 'small'), { maxSize: 10 }))
      .rejects.toMatchObject({ name: 'OutputTooLargeError', limit: 'size', allowed: 10 })
    expect(await readdir(directory)).toEqual(['file'])
  })

  it('stores only what changed of a new version, and lists the versions', async () => {
    const repo = await open()
    const numbers = Array.from({ length: 20_000 }, (_, i) => i * 7919 % 10_007).join(' ')
    const first = await repo.add(new TextEncoder().encode(numbers), { name: 'words', base: 'latest' })
    const second = await repo.add(new TextEncoder().encode(`${numbers}!`), { name: 'words', base: 'latest' })

    expect(second.newSize).toBeLessThan(Number(first.storedSize) / 4)
    expect((await all(repo.history.versions('words'))).map(({ cid }) => cid.toString()))
      .toEqual([second.cid.toString(), first.cid.toString()])
    expect(await repo.history.names()).toMatchObject([{ versions: 2, last: { name: 'words' } }])
    expect(await repo.history.forget('words')).toBe(2)
    await expect(all(repo.history.versions('words')))
      .rejects.toMatchObject({ name: 'NoHistoryError', history: 'words' })
    await expect(repo.add(BYTES, { base: 'latest' }))
      .rejects.toMatchObject({ name: 'UsageError', problem: 'needs-name' })
    await expect(repo.add(BYTES, { base: { cid: MISSING } })).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('reads links that were added after it was opened', async () => {
    const repo = await open()
    const { cid } = await repo.add(BYTES, { link: true })
    const [{ original }] = await all(repo.files.links.list())

    expect(await read(repo, original)).toBe(TEXT)
    expect((await repo.verify(cid)).size).toBe(BigInt(BYTES.byteLength))

    await repo.links.rm(original)
    expect(await all(repo.links.ls())).toEqual([])
    await expect(repo.links.rm(original)).rejects.toMatchObject({ name: 'NotLinkedError' })
    await expect(repo.links.add(cid, original)).rejects.toMatchObject({ name: 'UsageError' })
    await expect(repo.links.add(original, cid)).resolves.toMatchObject({ checked: true })
    await repo.rm(cid)
    expect(await all(repo.links.ls())).toEqual([])
    expect(await all(repo.pins.ls())).toEqual([])
    await repo.collect({ force: true })
    await expect(repo.rm(cid)).rejects.toMatchObject({ name: 'NotPinnedError', cid })
  })

  it('verifies, and finds what the disk has damaged', async () => {
    const repo = await open()
    const { cid } = await repo.add(BYTES, { name: 'words' })

    await expect(repo.verify('words')).resolves.toMatchObject({ files: 1, size: BigInt(BYTES.byteLength) })

    const blocks = await listBlocks(repo.path)

    expect(blocks).not.toHaveLength(0)

    for (const block of blocks) {
      await writeBlock(repo.path, block, Buffer.from('damaged'))
    }

    await expect(repo.verify(cid)).rejects.toMatchObject({ name: 'CorruptBlockError' })
  })

  it('reports steps that begin, go on and end', async () => {
    const events: NodeEvents[] = []
    const repo = await open({ onProgress (event) { events.push(event) } })
    await repo.add(BYTES, { name: 'words' })

    const steps = events.map(({ type, detail }) => [type, 'step' in Object(detail) ? undefined : detail])

    expect(steps).toContainEqual([
      'ipfsz:step:begin',
      { task: 'add', name: 'words', unit: 'bytes', total: BYTES.byteLength }
    ])
    expect(events.findLast(({ type }) => type === 'ipfsz:step:progress'))
      .toMatchObject({ detail: { step: { task: 'add' }, done: BYTES.byteLength } })
    expect(steps.filter(([type]) => type === 'ipfsz:step:begin'))
      .toHaveLength(steps.filter(([type]) => type === 'ipfsz:step:end').length)

    const own: NodeEvents[] = []
    await repo.verify('words', { onProgress (event) { own.push(event) } })

    expect(own).not.toHaveLength(0)
  })
})

describe('two handles on one repo', () => {
  it('see what the other one has added, and add at the same time', async () => {
    const first = await open()
    const second = await open({}, first.path)
    const added = await Promise.all([first, second].flatMap((repo, i) => [1, 2, 3].map(async j =>
      repo.add(new TextEncoder().encode(`${TEXT}${i}${j}`)))))

    expect(await read(second, added[0].cid)).toBe(`${TEXT}01`)
    expect(await read(first, added[5].cid)).toBe(`${TEXT}13`)
    expect(await all(first.pins.ls())).toHaveLength(6)
    await Promise.all([first.collect(), second.add(BYTES), first.add(new TextEncoder().encode('x'.repeat(5000)))])
    expect((await second.collect()).removed).toBe(0)
  })

  it('have what another process was killed after adding', async () => {
    const repo = await open()
    // it ends at once, without closing: what a promise resolved for is there
    const program = `
      import { openRepo } from '@ipfsz/node'
      const repo = await openRepo(process.argv[1])
      const { cid } = await repo.add(new TextEncoder().encode('kept, '.repeat(5000)), { name: 'kept' })
      process.stdout.write(cid.toString(), () => process.kill(process.pid, 'SIGKILL'))
    `
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program, repo.path],
      { cwd: import.meta.dirname }
    ).catch((err: unknown) => err as { stdout: string })

    expect(await read(repo, CID.parse(stdout))).toBe('kept, '.repeat(5000))
    expect(await all(repo.pins.ls())).toMatchObject([{ name: 'kept' }])
    await expect(repo.collect()).resolves.toMatchObject({ removed: 0, pins: 1 })
  })
})

describe('a call', () => {
  it('is refused after the handle was closed, which ends the calls that go on', async () => {
    const repo = await open()
    const endless = repo.add((async function * () {
      for (;;) {
        await setImmediate()
        yield BYTES.slice()
      }
    })())
    const ended = expect(endless).rejects.toMatchObject({ name: 'RepoClosedError', repo: repo.path })

    await setImmediate()
    await repo.close()
    await ended
    await expect(repo.add(BYTES)).rejects.toMatchObject({ name: 'RepoClosedError' })
    await expect(all(repo.pins.ls())).rejects.toMatchObject({ name: 'RepoClosedError' })
  })

  it('is aborted by its signal, with the reason, and pins nothing', async () => {
    const repo = await open()
    const controller = new AbortController()
    const reason = new Error('enough')
    let chunks = 0
    const adding = repo.add((async function * () {
      for (;;) {
        await setImmediate()

        if (++chunks === 3) {
          controller.abort(reason)
        }

        yield BYTES.slice()
      }
    })(), { signal: controller.signal })

    await expect(adding).rejects.toBe(reason)
    await expect(repo.verify('words', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(await all(repo.pins.ls())).toEqual([])
    // the lock was released
    await expect(repo.add(BYTES)).resolves.toMatchObject({ codec: 'zstd' })
  })

  it('is refused for what is not there, with fields', async () => {
    const repo = await open()
    const directory = await makeDirectory()

    await expect(repo.addFile(join(directory, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(repo.addDirectory(join(directory, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(repo.pins.add('no-such-pin')).rejects.toMatchObject({ name: 'UsageError' })
    await expect(repo.verify(MISSING)).rejects.toMatchObject({ name: 'NotFoundError' })
    await expect(repo.get('/ipns/example.com', directory))
      .rejects.toMatchObject({ name: 'NameError', reason: 'offline', hint: expect.any(String) })
    await expect(openRepo(join(directory, 'none'), { create: false }))
      .rejects.toMatchObject({ name: 'RepoError', problem: 'missing', hint: expect.any(String) })
    expect(await readdir(directory)).toEqual([])
  })

  it('writes no entry of a hostile directory outside of what was asked for', async () => {
    const repo = await open()
    const directory = await makeDirectory()
    const tree = join(directory, 'tree')
    await mkdir(tree)
    await symlink('../../outside', join(tree, 'link'))
    const { cid } = await repo.addDirectory(tree)

    await expect(repo.get(cid, join(directory, 'copy'))).rejects.toMatchObject({ name: 'TreeEntryError' })
    expect(await readdir(directory)).toEqual(['tree'])
    await expect(repo.get(cid, join(directory, 'copy'), { allowSymlinks: true }))
      .resolves.toMatchObject({ counts: { symlinks: 1 } })
  })
})
