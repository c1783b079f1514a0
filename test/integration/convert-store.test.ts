/** @module-tag long */
/** Stores that nodes share, whose blocks are moved into packs. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { convertLayout } from '@ipfsz/node/convert'
import { directoryBackend } from '@ipfsz/shared-store/places'
import { StoreSession } from '@ipfsz/shared-store/sessions'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { makeOlder } from '../support/older-store.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectFailure, expectSuccess, it as base, parseLines } from './run-cli.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

/** In milliseconds: whether others live is known after it. */
const LEASE_TIMEOUT = 400

interface Setup {
  store: string
  repo (node: string): string
  run (node: string, ...args: string[]): Promise<RunResult>
  /** What was added, by its CIDs. */
  contents: ReadonlyMap<string, Uint8Array>
  /** How many blocks there are, each an object. */
  blocks: number
  /** Names of objects below a prefix. */
  objects (prefix: string): Promise<string[]>
  /** Check that a node reads everything, and that what nothing pins can be collected. */
  check (node: string): Promise<void>
}

const it = base.extend<{ setup: Setup }>({
  setup: async ({ sandbox }, use) => { await use(await setUp(sandbox)) }
})

async function setUp (sandbox: Sandbox): Promise<Setup> {
  const store = join(sandbox.directory, 'store')
  const contents = new Map<string, Uint8Array>()
  const repo = (node: string): string => join(sandbox.directory, node)
  const run: Setup['run'] = async (node, ...args) => sandbox.run([...args, '--repo', repo(node)])
  await mkdir(store)
  expectSuccess(await run('a', 'init', '--store', store))
  const mark = join(store, 'ipfsz-store.json.data')
  const { leaseTimeout: _, ...rest } = JSON.parse(await readFile(mark, 'utf8')) as Record<string, unknown>
  await writeFile(mark, JSON.stringify({ ...rest, leaseTimeout: LEASE_TIMEOUT }))
  expectSuccess(await run('b', 'init', '--store', store))

  for (let i = 0; i < 30; i++) {
    const bytes = i % 3 === 0 ? noise(30_000, i) : text(3000 * i, i)
    const added = await run('a', 'add', '-Q', await sandbox.write(`file ${i}`, bytes))
    contents.set(added.stdout.toString().trim(), bytes)
  }

  const blocks = await makeOlder(store)

  return {
    store,
    repo,
    run,
    contents,
    blocks,
    objects: async prefix => (await readdir(join(store, prefix), { recursive: true }).catch(() => []))
      .filter(name => name.endsWith('.data')),

    async check (node) {
      for (const [cid, bytes] of contents) {
        expect((await run(node, 'cat', cid)).stdout.equals(bytes)).toBe(true)
      }

      expectSuccess(await run(node, 'verify', '--all'))
      const [{ removed }] = parseLines((await run(node, 'gc', '--json')).stdout) as Array<{ removed: number }>
      expect(removed).toBe(0)
    }
  }
}

describe('ipfsz blockstore convert of a store that nodes share', () => {
  it('moves all blocks into packs, for all nodes', async ({ setup }) => {
    const { run, objects, check, blocks } = setup
    expect(await objects('blocks')).toHaveLength(blocks)
    expect(blocks).toBeGreaterThan(29)
    const result = await run('a', 'blockstore', 'convert', '--layout', 'packs', '--json')

    expect(parseLines(result.stdout)).toMatchObject([{ layout: 'packs', blocks, kept: 0 }])
    expect(await objects('blocks')).toEqual([])
    expect((await objects('packs')).length).toBeLessThan(3)
    await check('b')
    await check('a')
    expectSuccess(await run('b', 'add', '-Q', join(setup.store, 'ipfsz-store.json.data')))
    const again = await run('b', 'blockstore', 'convert', '--layout', 'packs', '--json')
    expect(parseLines(again.stdout)).toMatchObject([{ blocks: 0, kept: 0 }])
    expectFailure(await run('b', 'blockstore', 'convert', '--layout', 'files'), 1)
  })

  it('is needed to change an older store, which every node can read', async ({ setup, sandbox }) => {
    const { contents, run, store, objects } = setup
    const [[cid, bytes]] = contents
    const files = await objects('')
    const path = await sandbox.write('new', noise(100, 1))

    expect((await run('b', 'cat', cid)).stdout.equals(bytes)).toBe(true)

    for (const args of [['pin', 'ls'], ['verify', '--all'], ['stat', cid]]) {
      expectSuccess(await run('b', ...args))
    }

    for (const args of [
      ['add', path], ['pin', 'add', cid], ['pin', 'rm', cid], ['rm', cid], ['gc'], ['gc', '--dry-run'],
      ['daemon', '--listen', '/ip4/127.0.0.1/tcp/0'], ['init', '--store', store]
    ]) {
      const result = await run('b', ...args)
      expectFailure(result, 1)
      expect(result.stderr, args.join(' ')).toContain('keeps each block as an object')
      expect(result.stderr).toContain('ipfsz blockstore convert --layout packs')
    }

    expect(await objects('')).toEqual(files)
  })

  it('may be interrupted at any block: no node uses the store until another one completes it', async ({ setup }) => {
    const { repo, run, check, contents } = setup
    const [[cid]] = contents
    let isComplete = false

    for (let moved = 1; !isComplete; moved += 9) {
      const interruption = new AbortController()
      let count = 0
      isComplete = await convertLayout({
        repo: repo(moved % 2 === 0 ? 'a' : 'b'),
        signal: interruption.signal,
        bootstrap: [],
        onProgress () {
          if (++count > moved) {
            interruption.abort(new Error('killed'))
          }
        }
      }, 'packs').then(() => true, () => false)

      if (!isComplete && moved > 9) {
        for (const args of [['cat', cid], ['gc'], ['add', '-Q', setup.store], ['init', '--store', setup.store]]) {
          const result = await run('a', ...args)
          expectFailure(result, 1)
          expect(result.stderr).toContain('are being moved into packs')
        }
      }
    }

    await check('a')
  })

  it('refuses while an add or a daemon of any node runs, and names it', async ({ setup, sandbox }) => {
    const { contents, repo, run, store, objects } = setup
    const backend = await directoryBackend(store)
    const session = await StoreSession.open(backend.objects, { leaseTimeout: LEASE_TIMEOUT, command: 'a long add' })
    const busy = await run('a', 'blockstore', 'convert', '--layout', 'packs')
    await session.end()
    expectFailure(busy, 1)
    expect(busy.stderr).toContain(`a long add (process ${process.pid}`)

    // of an early version, which works on such a store
    await run('a', 'blockstore', 'convert', '--layout', 'packs')
    const daemon = await startDaemon(sandbox, { repo: repo('b') })
    await makeOlder(store)
    const served = await run('a', 'blockstore', 'convert', '--layout', 'packs')
    await daemon.stop()
    expectFailure(served, 1)
    expect(served.stderr).toContain('a daemon (')
    expect(await objects('packs')).toEqual([])
    expectSuccess(await run('a', 'ls', [...contents.keys()][29]))
  })

  it('leaves a damaged block where it is, and says which', async ({ setup }) => {
    const { run, store, objects } = setup
    const [name] = await objects('blocks')
    await writeFile(join(store, 'blocks', name), noise(100, 1))
    const result = await run('a', 'blockstore', 'convert', '--layout', 'packs')

    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/^ipfsz: baf\w+: .+\nipfsz: 1 could not be moved/)
    expect(await objects('blocks')).toEqual([name])
    // the others are in packs
    expect((await run('a', 'verify', '--all')).code).toBe(1)
    expectSuccess(await run('b', 'ls', [...setup.contents.keys()][29]))
  })
})
