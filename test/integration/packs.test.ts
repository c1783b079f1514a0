/** @module-tag long */
/** Packs of repos, through the command: processes at once, damage, read-only and full disks. */
import { appendFile, copyFile, cp, mkdir, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { noise } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectIntact } from './repo.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

const SIZE = 300_000

describe.concurrent('packs, with processes at once', () => {
  it('have what two processes add at once, and have it once after gc', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), smallFiles(1))
    expectSuccess(await sandbox.run(['init']))

    const added = await Promise.all([1, 2].map(async () => sandbox.spawn(['add', '-Q', 'in'])))

    added.forEach(expectSuccess)
    expect(added[0].stdout).toEqual(added[1].stdout)
    await expectGood(sandbox)
    expect(await sizeOfPacks(sandbox)).toBeLessThan(2.1 * SIZE)
    expectSuccess(await sandbox.run(['gc', '--max-unused', '0']))
    await expectGood(sandbox)
    expect(await sizeOfPacks(sandbox)).toBeLessThan(1.1 * SIZE)
  })

  // a conversion refuses to begin beside a daemon
  it.for(['a daemon', 'conversions'])('lose nothing that was acknowledged while gc, add, get and %s run', {
    tags: 'slow'
  }, async (beside, { sandbox }) => {
    const first = await fill(sandbox)
    const adding = new AbortController()
    const added: string[] = []
    const layouts = ['files', 'packs']
    let collections = 0
    let conversions = 0
    // on stderr they may say for whom they wait
    const ok = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await sandbox.spawn(args)
      expect(code, stderr).toBe(0)

      return String(stdout).trim()
    }
    const until = async (work: () => Promise<void>): Promise<void> => {
      do {
        await work()
      } while (!adding.signal.aborted)
    }
    const addAll = async (): Promise<void> => {
      for (let seed = 10; seed < 16; seed++) {
        await makeTree(join(sandbox.directory, `${seed}`), smallFiles(seed))
        added.push(await ok('add', '-Q', `${seed}`))
      }
    }

    const daemon = beside === 'a daemon' ? sandbox.start(['daemon', '--listen', '/ip4/127.0.0.1/tcp/0']) : undefined
    await Promise.all([
      addAll().finally(() => { adding.abort() }),
      until(async () => {
        await ok('gc', '--max-unused', '0')
        collections++
      }),
      until(async () => {
        await ok('get', first, '-o', 'out')
        await expectWhole(sandbox)
      }),
      daemon ?? until(async () => {
        await ok('blockstore', 'convert', '--layout', layouts[conversions++ % 2])
      })
    ])
    daemon?.kill('SIGTERM')

    expect(collections).toBeGreaterThan(0)
    await expectGood(sandbox)
    expectSuccess(await sandbox.run(['verify', first, ...added]))
  })
})

describe.concurrent('an index', () => {
  it.for<[string, (index: string, others: string) => Promise<void>]>([
    ['that is missing', async index => rm(index)],
    ['that is cut', async index => truncate(index, 100)],
    ['of another repo', async (index, others) => copyFile(others, index)],
    ['whose directory is gone', async index => rm(join(index, '..'), { recursive: true })]
  ])('%s changes nothing that a command says', async ([, damage], { sandbox }) => {
    const cid = await fill(sandbox)
    const before = await sandbox.run(['stats', '--json'])
    await damage(await only(sandbox.repo, 'index'), await only(await otherRepo(sandbox), 'index'))

    await expectGood(sandbox)
    expect((await sandbox.run(['stats', '--json'])).stdout).toEqual(before.stdout)
    expectSuccess(await sandbox.run(['gc', '--max-unused', '0']))
    expectSuccess(await sandbox.run(['add', 'in', '--no-cache']))
    expectSuccess(await sandbox.run(['get', cid, '-o', 'out']))
    await expectWhole(sandbox)
  })
})

describe.concurrent('a pack', () => {
  it.for<[what: string, damage: (pack: string, others: string) => Promise<void>, state: string]>([
    ['that is missing', async pack => rm(pack), 'incomplete'],
    ['in whose place is one of another repo', async (pack, others) => copyFile(others, pack), 'damaged']
  ])('%s fails its pins alone, stops gc, and is repaired by CARs, adding again and other repos', async (
    [, damage, state],
    { sandbox }
  ) => {
    const cid = await fill(sandbox)
    const kept = await sandbox.add(noise(15_000, 50))
    // in a process of its own: this one would keep the pack open
    expectSuccess(await sandbox.spawn(['car', 'export', cid, '-o', 'in.car']))
    await cp(sandbox.repo, join(sandbox.directory, 'whole'), { recursive: true })
    await damage(await packOf(sandbox), await only(await otherRepo(sandbox), 'packs'))
    await cp(sandbox.repo, join(sandbox.directory, 'damaged'), { recursive: true })

    const verified = await sandbox.run(['verify', '--all', '--json'])
    expect(verified.code).toBe(1)
    expect(parseLines(verified.stdout)).toEqual(expect.arrayContaining([
      expect.objectContaining({ cid, state }), expect.objectContaining({ cid: kept, state: 'good' })
    ]))
    expect((await sandbox.run(['cat', kept])).stdout).toEqual(Buffer.from(noise(15_000, 50)))
    expectSuccess(await sandbox.run(['stats']))
    expect(await sandbox.run(['get', cid, '-o', 'out'])).toMatchObject({
      code: 1, stderr: expect.stringMatching(/^ipfsz: (?:The|Could not read the) block \w+/)
    })
    const before = await readdir(join(sandbox.repo, 'blocks/packs'))
    expect(await sandbox.run(['gc', '--max-unused', '0'])).toMatchObject({
      code: 1, stderr: expect.stringContaining(`${cid} is not complete`)
    })
    expect(await readdir(join(sandbox.repo, 'blocks/packs'))).toEqual(before)
    // it is told as lost, and not as something that could not be checked
    expect((await sandbox.run(['repair', '--offline', '--json'])).stderr).not.toContain('could not be checked')

    const commands = [
      ['car', 'import', 'in.car'], ['add', '--no-cache', 'in'], ['migrate', '--verify', 'whole', 'repo']
    ]

    for (const command of commands) {
      await rm(sandbox.repo, { recursive: true })
      await cp(join(sandbox.directory, 'damaged'), sandbox.repo, { recursive: true })
      expectSuccess(await sandbox.run(command))
      expectSuccess(await sandbox.run(['verify', '--all']))
      expectSuccess(await sandbox.run(['gc', '--max-unused', '0']))
      await expectGood(sandbox)
    }
  })

  it('of another repo is repaired from a peer', { tags: 'slow' }, async ({ sandbox }) => {
    const cid = await fill(sandbox)
    await cp(sandbox.repo, join(sandbox.directory, 'whole'), { recursive: true })
    const { address } = await startDaemon(sandbox, { repo: join(sandbox.directory, 'whole') })
    await copyFile(await only(await otherRepo(sandbox), 'packs'), await packOf(sandbox))

    expect(await sandbox.spawn(['repair', cid, '--peer', address])).toMatchObject({
      code: 0, stderr: expect.stringMatching(/^ipfsz: \d+ damaged blocks were fetched again and replaced\n$/)
    })
    expectSuccess(await sandbox.spawn(['verify', '--all']))
  })

  it('that has grown by other bytes loses nothing, and gc writes it anew', async ({ sandbox }) => {
    await fill(sandbox)
    await appendFile(await packOf(sandbox), noise(5000, 60))

    await expectGood(sandbox)
    expectSuccess(await sandbox.run(['gc', '--max-unused', '0']))
    await expectGood(sandbox)
  })
})

describe.skipIf(process.platform !== 'linux')('packs on a disk', () => {
  it('that is read-only are read, with an index or without', async ({ sandbox }) => {
    const cid = await fill(sandbox)

    for (const _ of ['with', 'without']) {
      const { code, stderr } = await inMounts(sandbox, [
        'mount --bind repo disk', 'mount -o remount,ro,bind disk', 'ipfsz --repo disk verify --all',
        `ipfsz --repo disk ls ${cid}`, `ipfsz --repo disk get ${cid} -o out`, 'ipfsz --repo disk stats',
        '! touch disk/file 2>/dev/null'
      ])

      expect({ code, stderr }).toMatchObject({ code: 0, stderr: '' })
      await expectWhole(sandbox)
      await rm(join(sandbox.repo, 'blocks/index'), { recursive: true, force: true })
    }
  })

  it('that was full have what was added before, and take more once there is space', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), smallFiles(1))
    await makeTree(join(sandbox.directory, 'more'), smallFiles(2))

    const { code, stdout, stderr } = await inMounts(sandbox, [
      'mount -t tmpfs -o size=2m none disk', 'ipfsz --repo disk/repo add -Q in >/dev/null',
      'dd if=/dev/zero of=disk/filling bs=1000 2>/dev/null || true', 'truncate -s -100000 disk/filling',
      '! ipfsz --repo disk/repo add -Q more', 'ipfsz --repo disk/repo verify --all >/dev/null', 'rm disk/filling',
      'ipfsz --repo disk/repo add -Q more >/dev/null', 'ipfsz --repo disk/repo gc --max-unused 0 >/dev/null',
      'ipfsz --repo disk/repo verify --all'
    ])

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^ipfsz: the disk is full: [^\n]+\n$/) })
    expect(String(stdout).match(/\tgood\t/g)).toHaveLength(2)
  })
})

/** 30 files of 10 kB that are not compressed. */
function smallFiles (seed: number): Record<string, Uint8Array> {
  return Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}`, noise(SIZE / 30, seed * 100 + i)]))
}

/** Expect that `out` is the tree that `fill` has added, and remove it. */
async function expectWhole ({ directory }: Sandbox): Promise<void> {
  for (const [name, bytes] of Object.entries(smallFiles(1))) {
    expect((await readFile(join(directory, 'out', name))).equals(bytes), name).toBe(true)
  }

  await rm(join(directory, 'out'), { recursive: true })
}

/** A repo with a tree, in a pack. @returns its CID */
async function fill (sandbox: Sandbox): Promise<string> {
  await makeTree(join(sandbox.directory, 'in'), smallFiles(1))
  const added = await sandbox.run(['add', '-Q', 'in'])
  expectSuccess(added)

  return String(added.stdout).trim()
}

async function otherRepo (sandbox: Sandbox): Promise<string> {
  await sandbox.write('other-file', noise(30_000, 70))
  expectSuccess(await sandbox.run(['--repo', 'other', 'add', 'other-file']))

  return join(sandbox.directory, 'other')
}

async function only (repo: string, kind: 'packs' | 'index'): Promise<string> {
  const names = await readdir(join(repo, 'blocks', kind))
  expect(names).toHaveLength(1)

  return join(repo, 'blocks', kind, names[0])
}

/** The pack with the tree: the largest one. */
async function packOf (sandbox: Sandbox): Promise<string> {
  const packs = await readPacks(sandbox)

  return packs.toSorted((a, b) => b.size - a.size)[0].path
}

async function sizeOfPacks (sandbox: Sandbox): Promise<number> {
  return (await readPacks(sandbox)).reduce((sum, { size }) => sum + size, 0)
}

async function readPacks ({ repo }: Sandbox): Promise<Array<{ path: string, size: number }>> {
  const directory = join(repo, 'blocks/packs')
  const names = await readdir(directory)

  return Promise.all(names.map(async name => {
    const path = join(directory, name)

    return { path, size: (await readFile(path)).byteLength }
  }))
}

async function expectGood (sandbox: Sandbox): Promise<void> {
  expectSuccess(await sandbox.run(['verify', '--all']))
  await expectIntact(sandbox.repo)
}

/** Run lines of sh, in which `disk` is a directory to mount something on. They stop at the first that fails. */
async function inMounts (sandbox: Sandbox, lines: string[]): ReturnType<Sandbox['shell']> {
  await mkdir(join(sandbox.directory, 'disk'), { recursive: true })
  const user = process.getuid?.() === 0 ? '' : '--user --map-root-user'
  // again: unshare starts a shell of its own
  const script = ['ipfsz () { "$NODE" "$CLI" "$@"; }', 'set -e', ...lines.map(line => line.startsWith('! ')
    ? `if ${line.slice(2)}; then exit 9; fi`
    : line)].join('\n')

  return sandbox.shell(`unshare ${user} --mount sh -c '${script}'`)
}
