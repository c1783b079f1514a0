/** Repos of several nodes that keep their blocks in one store of packs. */
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectSuccess, it as base } from './run-cli.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

/** A store, and a folder. */
interface Setup {
  store: string
  folder: string
  run (node: string, args: readonly string[]): Promise<RunResult>
  /** Run a command that must succeed, and return what it prints. */
  ok (node: string, args: readonly string[]): Promise<string>
  /** The objects of packs. */
  packs (): Promise<string[]>
}

const it = base.extend<{ setup: Setup }>({
  setup: async ({ sandbox }, use) => {
    const store = join(sandbox.directory, 'store')
    await mkdir(store)
    const setup = setupIn(sandbox, store)
    await setup.ok('a', ['init', '--store', store])
    // as the store says
    await setup.ok('b', ['init', '--store', store])

    for (let i = 0; i < 60; i++) {
      await mkdir(join(sandbox.directory, `folder/part-${i % 7}`), { recursive: true })
      await sandbox.write(`folder/part-${i % 7}/file-${i}`, i % 5 === 0 ? noise(20_000, i) : text(5000 + i, i))
    }

    await use(setup)
  }
})

type Damage = (path: string, other: string) => Promise<void>

/** What may happen to the file of a pack. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  'is missing': async path => rm(path),
  'is empty': async path => writeFile(path, ''),
  'is cut in its table': async path => truncate(path, 200),
  'is cut in its frames': async path => truncate(path, (await stat(path)).size - 100_000),
  'was replaced by another one': async (path, other) => copyFile(other, path),
  'was swapped with another one': async (path, other) => {
    await rename(path, `${path}.tmp`)
    await rename(other, path)
    await rename(`${path}.tmp`, other)
  },
  'has zeros in its frames': async path => {
    const bytes = await readFile(path)
    await writeFile(path, bytes.fill(0, bytes.byteLength - 100_000, bytes.byteLength - 60_000))
  },
  'has another byte in its table': async path => {
    const bytes = await readFile(path)
    bytes[300] ^= 1
    await writeFile(path, bytes)
  }
}

function setupIn (sandbox: Sandbox, store: string): Setup {
  const run: Setup['run'] = async (node, args) =>
    sandbox.run([...args, '--repo', join(sandbox.directory, node)])

  return {
    store,
    folder: join(sandbox.directory, 'folder'),
    run,
    async ok (node, args) {
      const result = await run(node, args)
      expectSuccess(result)

      return result.stdout.toString()
    },
    packs: async () => readdir(join(store, 'packs')).catch(() => [])
  }
}

describe('a store of packs', () => {
  it('has one pack for a folder that two nodes add, and gives it to both', async ({ setup, sandbox }) => {
    const { folder, ok, packs, run } = setup
    const cid = (await ok('a', ['add', '-Q', folder])).trim()
    expect(await packs()).toHaveLength(1)
    expect((await ok('b', ['add', '-Q', folder])).trim()).toBe(cid)
    expect(await packs()).toHaveLength(1)
    await ok('b', ['get', cid, '-o', 'copy'])

    for (const name of ['part-0/file-0', 'part-3/file-59']) {
      expect(await readFile(join(sandbox.directory, 'copy', name))).toEqual(await readFile(join(folder, name)))
    }

    expect(await ok('b', ['verify', '--all'])).toContain('good')
    expect(await ok('a', ['stats'])).not.toBe('')
    expect(await run('c', ['init', '--store', setup.store, '--layout', 'packs', '--blockstore-codec', 'zstd']))
      .toMatchObject({ code: 2 })
  })

  it('is collected by any node, and keeps what is pinned', async ({ setup, sandbox }) => {
    const { folder, ok, packs, run } = setup
    const folderCid = (await ok('a', ['add', '-Q', folder])).trim()
    const kept = (await ok('b', ['add', '-Q', await sandbox.write('kept', text(50_000, 99))])).trim()
    expect(await packs()).toHaveLength(2)
    await ok('b', ['pin', 'rm', folderCid])
    expect(JSON.parse(await ok('b', ['gc', '--json', '--dry-run']))).toMatchObject({ pins: 1 })
    expect(await packs()).toHaveLength(2)
    expect(JSON.parse(await ok('b', ['gc', '--json'])).removed).toBeGreaterThan(60)
    expect(await packs()).toHaveLength(1)
    expect((await run('a', ['cat', kept])).stdout.equals(text(50_000, 99))).toBe(true)
    expect((await run('a', ['cat', '--offline', folderCid])).code).toBe(1)
    expect((await ok('a', ['add', '-Q', folder])).trim()).toBe(folderCid)
    expect(await ok('a', ['verify', '--all'])).not.toMatch(/missing|damaged/)
  })

  it.for(Object.keys(DAMAGES))('names a pack that %s, and is repaired by a peer that has its blocks', {
    tags: 'slow'
  }, async (what, { setup, sandbox }) => {
    const { folder, ok, packs, run, store } = setup
    await ok('b', ['add', '-Q', await sandbox.write('other', noise(60_000, 98))])
    const [other] = await packs()
    await ok('a', ['add', '-Q', folder])
    const [pack] = (await packs()).filter(name => name !== other)
    const [path, otherPath] = [pack, other].map(name => join(store, 'packs', name))
    await DAMAGES[what](path, otherPath)
    const { code, stdout, stderr } = await run('b', ['verify', '--all'])
    expect(code).toBe(1)
    expect(`${stdout.toString()}${stderr}`).toMatch(what.includes('frames') ? /the object packs\// : /not found/)

    // a node with a repo of its own
    await ok('peer', ['add', '-Q', folder, join(sandbox.directory, 'other')])
    const { address } = await startDaemon(sandbox, { repo: join(sandbox.directory, 'peer') })
    expect(await run('b', ['repair', '--peer', address])).toMatchObject({ code: 0, stderr: '' })
    expect(await ok('a', ['verify', '--all'])).toContain('good')
    // a collection counts on no copy that it cannot read, and names what it does not know
    const collected = await run('b', ['gc'])
    expect(collected.code).toBe(0)
    expect(collected.stderr).toMatch(what.includes('frames') || what === 'is missing' ? /^$/ : /the object packs\//)
    expect(await ok('a', ['verify', '--all'])).toContain('good')
    await ok('c', ['init', '--store', store])
    expect(await ok('c', ['verify', '--all'])).toContain('good')
  })

  it('takes no codec, as packs compress by themselves', async ({ setup }) => {
    const { run, store } = setup

    for (const options of [['--layout', 'files'], ['--blockstore-codec', 'zstd']]) {
      expect(await run('d', ['init', '--store', store, ...options]))
        .toMatchObject({ code: 2, stderr: expect.stringContaining('A shared store keeps blocks in packs') })
    }
  })

  it('lose nothing that was printed, and leave nothing that is not collected', { tags: 'slow' }, async (
    { setup, sandbox }
  ) => {
    const { folder, ok, packs, store } = setup
    const mark = join(store, 'ipfsz-store.json.data')
    await writeFile(mark, (await readFile(mark, 'utf8')).replace(/"leaseTimeout": \d+/, '"leaseTimeout": 1000'))
    const kept = (await ok('a', ['add', '-Q', await sandbox.write('kept', text(300_000, 7))])).trim()

    for (const delay of [100, 200, 300, 400, 600, 800]) {
      const added = (await ok('b', ['add', '-Q', folder])).trim()
      await ok('b', ['pin', 'rm', added])
      const children = [['gc'], ['add', '-Q', folder]].map(args =>
        sandbox.start([...args, '--repo', join(sandbox.directory, 'a')]))
      const printed: string[] = []
      children[1].stdout.on('data', (bytes: Buffer) => printed.push(bytes.toString().trim()))
      await setTimeout(delay)
      children.forEach(child => child.kill('SIGKILL'))
      await Promise.all(children.map(async child => child.exitCode == null && child.signalCode == null
        ? once(child, 'exit')
        : undefined))
      await ok('b', ['gc'])
      expect(await ok('b', ['verify', '--all'])).not.toMatch(/missing|damaged/)
      // a pin that was written just before may be complete or not, but what was printed is
      expect(printed.length === 0 || (await ok('b', ['pin', 'ls'])).includes(printed[0])).toBe(true)
      await ok('b', ['pin', 'ls']).then(async pins => pins.includes(added) ? ok('b', ['pin', 'rm', added]) : '')
    }

    await ok('b', ['gc'])
    expect(await packs()).toHaveLength(1)
    expect((await setup.run('b', ['cat', kept])).stdout.equals(text(300_000, 7))).toBe(true)
  })
})
