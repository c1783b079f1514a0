/**
 * What must not lose or hold up anything in a store that nodes share: objects of others, wrong clocks, processes that
 * stand still.
 *
 * @module-tag slow
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { feed, waitForFiles } from './repo.ts'
import { expectSuccess, finish, it as base } from './run-cli.ts'
import type { RunResult, Sandbox, SpawnOptions } from './run-cli.ts'

const ID = '0'.repeat(32)
const HOUR = 60 * 60 * 1000

/** Two nodes, `a` and `b`, and their store. */
interface Site {
  store: string
  /** Run a command of a node in this process. */
  run (node: string, ...args: string[]): Promise<RunResult>
  /** The same, but it must succeed. Returns what it prints. */
  ok (node: string, ...args: string[]): Promise<string>
  /** The same in a process of its own. */
  spawn (node: string, args: readonly string[], options?: SpawnOptions): Promise<string>
  /** Set after how many milliseconds a process counts as dead. */
  setLease (milliseconds: number): Promise<void>
}

const it = base.extend<{ site: Site }>({
  site: async ({ sandbox }, use) => { await use(await makeSite(sandbox)) }
})

/** What a command printed that must have succeeded. */
function printed (result: RunResult): string {
  expectSuccess(result)

  return result.stdout.toString().trim()
}

async function makeSite (sandbox: Sandbox): Promise<Site> {
  const store = join(sandbox.directory, 'store')
  const run: Site['run'] = async (node, ...args) => sandbox.run([...args, '--repo', node])
  const ok: Site['ok'] = async (...args) => printed(await run(...args))
  await mkdir(store)
  await ok('a', 'init', '--store', store)
  await ok('b', 'init', '--store', store)

  return {
    store,
    run,
    ok,
    spawn: async (node, args, options) => printed(await sandbox.spawn([...args, '--repo', node], options)),
    async setLease (milliseconds) {
      const mark = join(store, 'ipfsz-store.json.data')
      const content = JSON.parse(await readFile(mark, 'utf8')) as object
      await writeFile(mark, JSON.stringify({ ...content, leaseTimeout: milliseconds }))
    }
  }
}

/** The objects of sessions and collections that are there. */
async function processObjects (store: string): Promise<string[]> {
  const directories = ['sessions', 'leases', 'collections', 'rounds', 'acks']

  return (await Promise.all(directories.map(async name => readdir(join(store, name)).catch(() => [])))).flat()
}

async function garbage (file: string): Promise<void> {
  await writeFile(file, '{"command":')
}

async function large (file: string): Promise<void> {
  await writeFile(file, Buffer.alloc(5_000_000))
}

async function endless (file: string): Promise<void> {
  await symlink('/dev/zero', file)
}

/** A clock that is so many milliseconds ahead, or jumps ahead and back after so many. */
function withClock (offset: number, jump?: number): SpawnOptions {
  return {
    preload: 'wrong-clock.ts',
    env: { CLOCK_OFFSET: String(offset), CLOCK_JUMP: jump == null ? undefined : String(jump) }
  }
}

describe('objects in a store that are not what their keys say', () => {
  it.for<[string, (file: string) => Promise<void>]>([
    [`sessions/${ID}`, garbage],
    [`sessions/${ID}`, large],
    [`sessions/${ID}`, endless],
    [`leases/${ID}`, endless],
    [`collections/${ID}`, garbage],
    [`collections/${ID}`, large],
    [`collections/${ID}`, endless],
    [`rounds/${ID}-00000000.old`, large],
    [`acks/${ID}-00000000-${ID}`, garbage],
    ['nodes/12%44', garbage],
    // the keys `sessions/..`, `records/pin/../../etc` and `leases/../../x`
    ['sessions/%2e.', garbage],
    ['records/pin/%2e.%2f..%2fetc', garbage],
    ['leases/%2e%2e/%2e%2e/x', garbage]
  ])('hold up no collection, which deletes nothing that is pinned: %s', async ([key, write], { site, sandbox }) => {
    const [kept, gone] = await Promise.all([1, 2].map(async seed =>
      site.ok('a', 'add', '-Q', await sandbox.write(`${seed}`, text(50_000, seed)))))
    await site.ok('b', 'pin', 'rm', gone)
    await site.setLease(200)
    const file = join(site.store, `${key}.data`)
    await mkdir(dirname(file), { recursive: true })
    await write(file)

    expect(JSON.parse(await site.ok('b', 'gc', '--json'))).toMatchObject({ pins: 1 })
    expect(await site.ok('a', 'verify', '--all')).toContain('good')
    expect((await site.run('b', 'cat', kept)).stdout.equals(text(50_000, 1))).toBe(true)
    expect(await site.run('b', 'cat', gone)).toMatchObject({ code: 1 })
  })

  it.for<[string, (file: string) => Promise<void>, string]>([
    // of a session, of a collection, and a pin
    [`leases/${ID}`, endless, `leases/${ID}`],
    [`rounds/${ID}-00000000`, garbage, `rounds/${ID}-00000000`],
    ['records/pin/%2e.', garbage, 'records/pin/..']
  ])('end a collection by name, which deletes nothing: %s', async ([key, write, named], { site, sandbox }) => {
    await site.ok('a', 'add', '-Q', await sandbox.write('kept', text(50_000, 1)))
    const gone = await site.ok('a', 'add', '-Q', await sandbox.write('gone', text(50_000, 2)))
    await site.ok('b', 'pin', 'rm', gone)
    const file = join(site.store, `${key}.data`)
    await mkdir(join(site.store, 'sessions'), { recursive: true })
    await writeFile(join(site.store, 'sessions', `${ID}.data`), '')
    await mkdir(dirname(file), { recursive: true })
    await write(file)

    expect(await site.run('b', 'gc')).toMatchObject({ code: 1, stderr: expect.stringContaining(named) })
    expect((await site.run('a', 'cat', gone)).code).toBe(0)
    await rm(file)
    await site.setLease(200)
    await site.ok('b', 'gc')
    expect(await processObjects(site.store)).toEqual([])
  })
})

describe('nodes whose clocks are wrong', () => {
  it('lose nothing: clocks an hour ahead and behind, and one that jumps during a collection', async (
    { site, sandbox }
  ) => {
    const [kept, gone] = await Promise.all([1, 2].map(async seed =>
      site.ok('a', 'add', '-Q', await sandbox.write(`${seed}`, text(50_000, seed)))))
    await site.ok('a', 'pin', 'rm', gone)
    // a node with the right time is writing it
    const unfinished = randomUUID()
    await writeFile(join(site.store, '.tmp', unfinished), 'half')
    const [ahead, behind] = await Promise.all([3, 4].map(async seed => sandbox.write(`${seed}`, text(300_000, seed))))

    const [first, second, collected] = await Promise.all([
      site.spawn('a', ['add', '-Q', ahead], withClock(2 * HOUR)),
      site.spawn('b', ['add', '-Q', behind], withClock(-2 * HOUR)),
      site.spawn('b', ['gc', '--json'], withClock(2 * HOUR, 20))
    ])

    expect(JSON.parse(collected)).toMatchObject({ removed: 1 })
    expect(await site.ok('b', 'verify', '--all')).not.toMatch(/damaged|incomplete/)
    const pins = await site.ok('a', 'pin', 'ls')
    ;[kept, first, second].forEach(cid => { expect(pins).toContain(cid) })
    expect(await readdir(join(site.store, '.tmp'))).toEqual([unfinished])
    expect(await processObjects(site.store)).toEqual([])
  })
})

describe('processes that stand still for longer than every limit', () => {
  it('do no harm when they wake up: an add fails, and a collection finds its work done', async ({ site, sandbox }) => {
    await site.setLease(2000)
    await site.ok('a', 'add', '-Q', await sandbox.write('kept', text(50_000, 1)))
    const wanted = await sandbox.write('wanted', text(50_000, 2))
    const cid = await site.ok('a', 'add', '-Q', wanted)
    await site.ok('a', 'pin', 'rm', cid)

    const resume = Promise.withResolvers<void>()
    const adding = sandbox.start(['add', '-Q', '--repo', 'b', '-'])
    const added = finish(adding, (async function * () {
      yield * feed(11)
      await resume.promise
      yield * feed(1, { seed: 5 })
    })())
    await waitForFiles(join(site.store, 'sessions'), 1)
    adding.kill('SIGSTOP')
    const collecting = sandbox.start(['gc', '--repo', 'b'])
    const collected = finish(collecting)
    await waitForFiles(join(site.store, 'rounds'), 1)
    collecting.kill('SIGSTOP')

    // stores again what that was to delete, and then another collection takes both for dead
    expect(await site.ok('a', 'add', '-Q', wanted)).toBe(cid)
    await site.ok('a', 'gc')
    collecting.kill('SIGCONT')
    expect(await collected).toMatchObject({ code: 0, stderr: '' })
    adding.kill('SIGCONT')
    resume.resolve()
    expect(await added).toMatchObject({
      code: 1, stdout: Buffer.alloc(0), stderr: expect.stringContaining('considered this process dead')
    })

    expect((await site.run('b', 'cat', cid)).stdout.equals(text(50_000, 2))).toBe(true)
    await site.ok('b', 'gc')
    expect(await site.ok('b', 'verify', '--all')).not.toMatch(/damaged|incomplete/)
    expect(await processObjects(site.store)).toEqual([])
  })
})
