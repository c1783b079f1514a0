/** Repos of several nodes that keep their blocks, pins, links and histories in one directory. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { feed, waitForFiles } from './repo.ts'
import { start } from './run-gateway.ts'
import { expectFailure, expectSuccess, finish, it as base } from './run-cli.ts'
import type { RunOptions, RunResult, Sandbox } from './run-cli.ts'

/** A node, and the store that it shares with the other. */
interface Node {
  repo: string
  run (args: readonly string[], options?: RunOptions): Promise<RunResult>
  /** Run a command that must succeed, and return what it prints. */
  ok (args: readonly string[], options?: RunOptions): Promise<string>
}

const it = base.extend<{ store: string, nodes: [a: Node, b: Node] }>({
  store: async ({ sandbox }, use) => {
    const store = join(sandbox.directory, 'store')
    await mkdir(store)
    await use(store)
  },
  nodes: async ({ sandbox, store }, use) => {
    const nodes = ['a', 'b'].map(name => nodeIn(name, sandbox))

    for (const node of nodes) {
      await node.ok(['init', '--store', store])
    }

    await use(nodes as [Node, Node])
  }
})

function nodeIn (name: string, sandbox: Sandbox): Node {
  const repo = join(sandbox.directory, name)
  const run: Node['run'] = async (args, options) => sandbox.run([...args, '--repo', repo], options)

  return {
    repo,
    run,
    async ok (args, options) {
      const result = await run(args, options)
      expectSuccess(result)

      return result.stdout.toString()
    }
  }
}

/** All files below a directory, relative to it. */
async function filesBelow (directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())

  return files.map(({ parentPath, name }) => join(parentPath, name).slice(directory.length))
}

describe('a store in a directory', () => {
  it('gives every node what any node has added, pinned, linked and named', async (
    { nodes: [a, b], sandbox, store }
  ) => {
    const bytes = text(300_000)
    const path = await sandbox.write('notes.txt', bytes)
    const cid = (await a.ok(['add', '-Q', '--link', '--base', 'latest', path])).trim()

    expect((await b.run(['cat', cid])).stdout.equals(bytes)).toBe(true)
    expect(await b.ok(['pin', 'ls'])).toContain(`${cid}\tnotes.txt`)
    expect(await b.ok(['pin', 'ls', '--long'])).toContain(cid)
    expect(await b.ok(['log', 'notes.txt'])).toContain(cid)
    expect(await b.ok(['log'])).toContain('notes.txt')
    expect(await b.ok(['link', 'ls'])).toContain(cid)
    expect(await b.ok(['ls', cid])).not.toBe('')
    expect(await b.ok(['du'])).toContain('notes.txt')
    expect(await b.ok(['diff', cid, cid])).toBe('')
    expect(await b.ok(['verify', '--all'])).toContain('good')
    expect(JSON.parse(await b.ok(['stats', '--json']))).toMatchObject({ files: { count: 1 }, unreadable: 0 })
    const [original] = (await b.ok(['link', 'ls'])).split('\t')
    expect((await b.run(['cat', original])).stdout.equals(bytes)).toBe(true)

    await b.ok(['rm', cid])
    expect(await a.ok(['pin', 'ls'])).toBe('')
    expect(await a.ok(['link', 'ls'])).toBe('')
    await b.ok(['pin', 'add', cid])
    expect(await a.ok(['pin', 'ls'])).toContain(cid)
    // all of it lies in the store, compressed there, and nothing in a repo
    expect((await filesBelow(join(a.repo, 'blocks')).catch(() => [])).length).toBe(0)
    expect((await filesBelow(join(b.repo, 'datastore'))).filter(file => !/version|keeps-pins/.test(file))).toEqual([])
    expect((await filesBelow(store)).filter(file => file.startsWith('/packs/')).length).toBeGreaterThan(0)
  })

  it('is served by any node, and repaired, published, exported and imported by any', async (
    { nodes: [a, b], sandbox }
  ) => {
    const page = Buffer.concat([Buffer.from('<h1>notes</h1>'), text(50_000)])
    await mkdir(join(sandbox.directory, 'pages'))
    const path = await sandbox.write('pages/index.html', page)
    const cid = (await a.ok(['add', '-Q', '--link', path])).trim()
    const gateway = await start(sandbox, [
      'daemon', '--repo', b.repo, '--listen', '/ip4/127.0.0.1/tcp/0', '--gateway', '127.0.0.1:0', '--serve-originals'
    ])
    const shown = async (cid: string): Promise<string> => (await fetch(`${gateway.url}/ipfs/${cid}`)).text()

    expect(await shown(cid) === page.toString()).toBe(true)
    // added while the daemon of the other node runs
    const later = (await a.ok(['add', '-Q', await sandbox.write('later', text(20_000, 4))])).trim()
    expect(Buffer.from(text(20_000, 4)).toString() === await shown(later)).toBe(true)
    expect((await gateway.stop()).stderr).toBe('')

    expect(await b.ok(['site', 'add', 'pages'])).toContain('pages')
    expect(await a.ok(['pin', 'ls'])).toContain('pages')
    expect(await a.ok(['repair'])).not.toMatch(/missing|damaged/)
    await b.ok(['get', cid, '-o', 'copy.html'])
    expect((await readFile(join(sandbox.directory, 'copy.html'))).equals(page)).toBe(true)
    await b.ok(['originals', 'index'])
    expect(await b.ok(['originals', 'ls'])).toContain(cid)
    expect((await a.run(['originals', 'ls'])).stdout.toString()).toBe('')
    await a.ok(['car', 'export', cid, '-o', 'notes.car'])
    expect(await b.ok(['car', 'import', 'notes.car'])).toContain(cid)
  })

  it('goes on without a command that gc is told to evict, and with no other', async (
    { nodes: [a], sandbox, store }
  ) => {
    const gone = (await a.ok(['add', '-Q', await sandbox.write('gone', text(50_000))])).trim()
    await a.ok(['add', '-Q', await sandbox.write('kept', text(50_000, 2))])
    await a.ok(['pin', 'rm', gone])
    const id = 'a'.repeat(32)
    await mkdir(join(store, 'sessions'), { recursive: true })
    await writeFile(join(store, 'sessions', `${id}.data`), '{"command":"add","host":"far","pid":7}')

    for (const args of [['--evict', 'b'.repeat(32)], ['--evict', '../pins'], ['--evict', id, '--dry-run']]) {
      expect(await a.run(['gc', ...args]), args.join(' ')).toMatchObject({ code: 2, stdout: Buffer.alloc(0) })
    }

    // at once: it does not wait until the lease is over
    const evicted = await a.run(['gc', '--evict', id, '--json'])
    expect(evicted).toMatchObject({ code: 0, stderr: 'ipfsz: add (process 7 on far) was evicted\n' })
    expect(JSON.parse(evicted.stdout.toString())).toMatchObject({ removed: 1 })
    expect(await sandbox.run(['gc', '--evict', id])).toMatchObject({ code: 2 })
  })

  it('is joined once, and says how it keeps blocks', async ({ sandbox, store }) => {
    const [a, b] = ['a', 'b'].map(name => nodeIn(name, sandbox))

    expect(await a.ok(['init', '--store', store])).toContain('and uses it, blocks in packs')
    expect(await b.ok(['init', '--store', store])).toContain('joined the store')
    expect(await b.ok(['init', '--store', store])).toContain('already uses the store')
    // where its own blocks would be
    expect(await readdir(b.repo)).not.toContain('blocks')
    expect(await b.ok(['init'])).toContain(`in the store ${store}`)
    await a.ok(['add', '--codec', 'none', await sandbox.write('plain', text(100_000))])
    expect(await b.run(['blockstore', 'convert', '--codec', 'none']))
      .toMatchObject({ code: 1, stderr: expect.stringContaining('store') })
  })

  it('is not made of a directory with other files, of a newer store, or for a repo with blocks', async (
    { sandbox, store }
  ) => {
    const [a, b] = ['a', 'b'].map(name => nodeIn(name, sandbox))

    await writeFile(join(store, 'photo.jpg'), 'x')
    expect(await a.run(['init', '--store', store]))
      .toMatchObject({ code: 1, stderr: expect.stringContaining('has files or objects, but no mark') })
    await rm(join(store, 'photo.jpg'))
    await b.ok(['add', await sandbox.write('own', text(1000))])
    expect(await b.run(['init', '--store', store]))
      .toMatchObject({ code: 1, stderr: expect.stringContaining('has blocks of its own') })
    expect(await readdir(store)).toEqual([])

    await a.ok(['init', '--store', store])
    const mark = join(store, 'ipfsz-store.json.data')
    const old = await readFile(mark, 'utf8')
    await writeFile(mark, old.replace('"version": 2', '"version": 4'))
    const newer = { code: 1, stderr: expect.stringContaining('has version 4, but this ipfsz supports only 1 to 3') }
    expect(await a.run(['pin', 'ls'])).toMatchObject(newer)
    expect(await nodeIn('c', sandbox).run(['init', '--store', store])).toMatchObject(newer)
    await writeFile(mark, '{"version":')
    expect(await a.run(['pin', 'ls'])).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') })
    expect(await nodeIn('c', sandbox).run(['init', '--store', 'ftp://host/x']))
      .toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be a store') })
  })

  it('is missing, not empty, when its file system is not mounted', async ({ nodes: [a], sandbox, store }) => {
    const path = await sandbox.write('notes.txt', text(10_000))
    await a.ok(['add', path])
    const away = `${store}-away`
    await rename(store, away)
    const missing = { code: 1, stderr: expect.stringContaining(`The store ${store} was not found`) }

    expect(await a.run(['pin', 'ls'])).toMatchObject(missing)
    await mkdir(store)

    for (const args of [['add', path], ['pin', 'ls'], ['gc'], ['stats'], ['init'], ['verify', '--all']]) {
      expect(await a.run(args), args.join(' ')).toMatchObject(missing)
    }

    expect(await readdir(store)).toEqual([])
    // another store in the same place
    await nodeIn('other', sandbox).ok(['init', '--store', store])
    expect(await a.run(['add', path]))
      .toMatchObject({ code: 1, stderr: expect.stringContaining('contains a different store than') })
    // whoever wants that one joins it
    expect(await a.ok(['init', '--store', store])).toContain('joined the store')
    expect(await a.ok(['pin', 'ls'])).toBe('')
    await rm(store, { recursive: true })
    await rename(away, store)
    await a.ok(['init', '--store', store])
    expect(await a.ok(['pin', 'ls'])).toContain('notes.txt')
  })
})

describe('ipfsz gc on a store', () => {
  it('deletes what no pin keeps, and links to it, and keeps what another node is adding', { tags: 'slow' }, async (
    { nodes: [a, b], sandbox, store }
  ) => {
    await setLease(store, 12_000)
    const resume = Promise.withResolvers<void>()
    const chunks: Uint8Array[] = []
    const child = sandbox.start(['add', '-Q', '--repo', b.repo, '-'])
    const added = finish(child, (async function * () {
      for await (const chunk of feed(12)) {
        // the first pieces are stored before the collection, the last one after it
        await (chunks.length === 11 ? resume.promise : undefined)
        chunks.push(chunk)
        yield chunk
      }
    })())
    await waitForFiles(join(store, 'sessions'), 1)
    const kept = (await a.ok(['add', '-Q', await sandbox.write('kept', text(50_000, 2))])).trim()
    const gone = (await a.ok(['add', '-Q', '--link', await sandbox.write('gone', text(50_000, 3))])).trim()
    await a.ok(['pin', 'rm', gone])

    expect(await a.ok(['gc', '--dry-run'])).toContain('Would delete')
    const { removed, pins, links } = JSON.parse(await a.ok(['gc', '--json']))
    expect({ removed: removed > 0, pins, links }).toEqual({ removed: true, pins: 1, links: 0 })
    resume.resolve()

    const result = await added
    expectSuccess(result)
    const cid = result.stdout.toString().trim()
    expect((await a.run(['cat', cid])).stdout.equals(Buffer.concat(chunks))).toBe(true)
    expect(await a.ok(['verify', '--all'])).not.toContain('damaged')
    expect((await b.run(['cat', kept])).code).toBe(0)
    const lost = await b.run(['cat', gone])
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('not in this repo') })
    expect(lost.stderr).toContain(`The repo is ${b.repo}, and its blocks are in the store ${store}`)
    // a link takes little, and leads to the file again if it is added again
    expect(await b.ok(['link', 'ls'])).not.toBe('')
    const left = await filesBelow(store)
    expect(left.filter(file => /^.(sessions|leases|rounds|acks|collections)/.test(file))).toEqual([])
  })

  it('waits for nobody who was killed', {
    tags: 'slow'
  }, async ({ nodes: [a, b], sandbox, store }) => {
    const child = sandbox.start(['add', '-Q', '--repo', b.repo, '-'])
    const killed = finish(child, feed(11, { stall: true }))
    await waitForFiles(join(store, 'sessions'), 1)
    child.kill('SIGKILL')
    await killed
    await a.ok(['add', await sandbox.write('kept', text(50_000, 2))])
    await a.ok(['add', '--no-pin', await sandbox.write('gone', text(50_000, 3))])
    await setLease(store, 2000)

    expect(JSON.parse(await a.ok(['gc', '--json']))).toMatchObject({ pins: 1, removed: expect.any(Number) })
    expect(await readdir(join(store, 'sessions'))).toEqual([])
    expect(JSON.parse(await a.ok(['gc', '--json', '--dry-run']))).toMatchObject({ removed: 0 })
    expect(await b.ok(['verify', '--all'])).toContain('good')
  })

  it('counts what it would delete, and writes nothing', async ({ nodes: [a], sandbox, store }) => {
    expect(await a.ok(['gc', '--dry-run'])).toContain('Would delete 0')
    expect(await readdir(store)).not.toContain('packs')

    await a.ok(['add', '--no-pin', await sandbox.write('notes', text(50_000))])
    const before = await filesBelow(store)
    expect(await a.ok(['gc', '--dry-run'])).not.toContain('Would delete 0')
    expect(await filesBelow(store)).toEqual(before)
  })

  it('refuses what was not made for it, and deletes nothing there', async ({ nodes: [a, b], sandbox, store }) => {
    await a.ok(['add', await sandbox.write('kept', text(10_000, 1))])
    await b.ok(['add', await sandbox.write('unpinned', text(10_000, 2)), '--no-pin'])
    const mark = join(store, 'ipfsz-store.json.data')
    const made = await readFile(mark, 'utf8')
    const files = await filesBelow(store)
    const refusal = async (): Promise<string> => {
      const { code, stderr } = await a.run(['gc', '--force'])
      expect(code).toBe(1)

      return stderr
    }

    for (const [text, reason] of [
      [made.replace('"version": 2', '"version": 4'), 'has version 4, but this ipfsz supports only 1 to 3'],
      [made.replace(/"id": "[^"]*"/, `"id": "${crypto.randomUUID()}"`), 'contains a different store than'],
      ['{"version":', 'is damaged']
    ]) {
      await writeFile(mark, text)
      expect(await refusal()).toContain(reason)
    }

    // blocks that lie there, for instance of another program
    await rm(mark)
    expect(await refusal()).toContain(`The store ${store} was not found`)
    await writeFile(mark, made)
    expect((await filesBelow(store)).toSorted()).toEqual(files.toSorted())
    expect(await a.ok(['gc'])).toContain('Deleted')
  })

  it('lets nodes unpin, unlink and forget where nothing can be written, as on a full disk', async (
    { nodes: [a, b], sandbox, store }
  ) => {
    const path = await sandbox.write('notes.txt', text(50_000))
    const add = ['add', '-Q', '--link', '--base', 'latest', path]
    const cid = (await a.ok(add)).trim()
    // every session would be written here
    await rm(join(store, 'sessions'), { recursive: true })
    await writeFile(join(store, 'sessions'), '')

    expect((await b.run(add)).code).toBe(1)
    expect(await b.ok(['pin', 'rm', cid])).toContain('\tunpinned')
    expect(await b.ok(['link', 'rm', cid])).toContain('\tunlinked')
    expect(await b.ok(['log', '--forget', 'notes.txt'])).toContain('forgotten')
    expect(await b.ok(['rm', cid])).toContain(`${cid}\t-`)
  })

  it('is refused where somebody names the store itself as a repo, as is all else', async (
    { nodes: [a], sandbox, store }
  ) => {
    const path = await sandbox.write('notes.txt', text(50_000))
    const cid = (await a.ok(['add', '-Q', path])).trim()
    const files = await filesBelow(store)

    for (const args of [
      ['gc', '--force'], ['add', await sandbox.write('other', text(100))], ['pin', 'rm', cid], ['cat', cid], ['init'],
      ['init', '--store', store], ['daemon', '--listen', '/ip4/127.0.0.1/tcp/0']
    ]) {
      const result = await sandbox.run([...args, '--repo', store])
      expectFailure(result, 1)
      expect(result.stderr).toContain('a shared store')
    }

    expect((await filesBelow(store)).toSorted()).toEqual(files.toSorted())
    expect(await a.ok(['verify', '--all'])).toContain('good')
  })

  it('deletes nothing without a pin', async ({ nodes: [a], sandbox }) => {
    const cid = (await a.ok(['add', '-Q', '--no-pin', await sandbox.write('notes', text(50_000))])).trim()

    expect(await a.run(['gc'])).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing is pinned in') })
    expect((await a.run(['cat', cid])).code).toBe(0)
    expect(await a.ok(['gc', '--force'])).toContain('Deleted')
    expect((await a.run(['cat', cid])).code).toBe(1)
  })

  it('keeps the blocks of an unpinned base until what refers to it is pinned', async ({ nodes: [a, b], sandbox }) => {
    const before = noise(300_000)
    const after = Buffer.concat([before, text(1000)])
    const base = (await a.ok(['add', '-Q', await sandbox.write('before', before)])).trim()
    const cid = (await b.ok(['add', '-Q', '--base', base, await sandbox.write('after', after)])).trim()
    await a.ok(['pin', 'rm', base])
    await a.ok(['gc'])

    expect((await b.run(['cat', cid])).stdout.equals(after)).toBe(true)
  })
})

/** Another time after which a node counts as dead. Processes that run keep the one that they know. */
async function setLease (store: string, milliseconds: number): Promise<void> {
  const mark = join(store, 'ipfsz-store.json.data')
  const { leaseTimeout: _, ...rest } = JSON.parse(await readFile(mark, 'utf8')) as Record<string, unknown>

  await writeFile(mark, JSON.stringify({ ...rest, leaseTimeout: milliseconds }))
}
