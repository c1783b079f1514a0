/** @module-tag slow */
/** What a command printed survives a power cut, whatever else reached the disk. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { describe, expect } from 'vitest'
import { main } from '../../packages/cli/dist/main.js'
import { noise, random, text } from '../support/data.ts'
import { MODES, PowerCut } from '../support/power-cut.ts'
import { CLI, expectSuccess, it, parseLines } from './run-cli.ts'
import type { Mode } from '../support/power-cut.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

/** Cuts per test, besides those right after a line was printed. */
const MOMENTS = 14

/** Disks of mode `mixed` per cut. */
const MIXED = 2

/** Lock files are left out: after a power cut no process holds a lock. */
const LOCKS = /^repo\/locks\//

/** A CID that must be readable, and whether it must be pinned. */
interface Told {
  cid: string
  pinned: boolean
}

type Line = Record<string, unknown>
type Run = (args: readonly string[]) => Promise<RunResult>
type RecordedRun = (args: readonly string[], promised?: (line: Line) => boolean) => Promise<Line[]>

describe('after a power cut', () => {
  it('what add printed is readable, pinned and kept by gc, and adding again repairs the rest', async ({ sandbox }) => {
    const tree = join(sandbox.directory, 'tree')
    const big = await sandbox.write('big', text(2_500_000))
    await mkdir(tree)
    await Promise.all(
      Array.from({ length: 8 }, async (_, i) => writeFile(join(tree, `${i}.txt`), text(2000 + i, i + 1)))
    )

    const cut = await record(sandbox, async run => {
      // the files of a tree have no pins of their own
      await run(['add', tree], ({ name }) => name === 'tree')
      await run(['add', big], () => true)
    })

    await expectKept(sandbox, cut, { again: async run => run(['add', '-Q', tree, big]) })
  })

  it('what add printed is readable even if an earlier add wrote the same blocks unsynced', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const file = await sandbox.write('file', text(1_500_000))

    const cut = await record(sandbox, async run => {
      await run(['add', '--no-sync', '--no-pin', file])
      await run(['add', file], () => true)
    })

    await expectKept(sandbox, cut, { again: async run => run(['add', '-Q', file]) })
  })

  it('what add --base printed is readable even if its base was unsynced', { tags: 'nightly' }, async ({ sandbox }) => {
    const [first, second] = await Promise.all([
      sandbox.write('first', noise(70_000)),
      sandbox.write('second', Buffer.concat([noise(70_000), text(100)]))
    ])

    const cut = await record(sandbox, async run => {
      // what was fetched is not synced either
      const [{ cid }] = await run(['add', '--no-sync', '--no-pin', first])
      await run(['add', '--base', String(cid), second], () => true)
    })

    await expectKept(sandbox, cut)
  })

  it('the base of what add --base printed is on the disk even if it was pinned unsynced', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const [first, second] = await Promise.all([
      sandbox.write('first', noise(70_000)),
      sandbox.write('second', Buffer.concat([noise(70_000), text(100)]))
    ])

    const cut = await record(sandbox, async run => {
      const [{ cid }] = await run(['add', '--no-sync', first])
      await run(['add', '--base', String(cid), second])
    })

    // a block of its own: it does not shrink
    expect([...cut.at(cut.length, 'lost').values()].map(bytes => bytes?.byteLength)).toContain(70_000)
  })

  it('what pin add and car import printed is readable even if its blocks were unsynced', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const file = await sandbox.write('file', text(1_500_000))
    const other = await sandbox.write('other', text(10_000, 7))
    await sandbox.run(['car', 'export', '-o', 'other.car', await sandbox.add(text(10_000, 7))])
    await rm(sandbox.repo, { recursive: true })

    const cut = await record(sandbox, async run => {
      const [{ cid }] = await run(['add', '--no-sync', '--no-pin', file])
      await run(['pin', 'add', String(cid)], () => true)
      await run(['car', 'import', join(sandbox.directory, 'other.car')], () => true)
    })

    await expectKept(sandbox, cut, { again: async run => run(['add', '-Q', file, other]) })
  })

  it('every root that car import printed is readable', async ({ sandbox }) => {
    const files = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => sandbox.write(`${i}`, text(100 + i, i + 1)))
    )
    const cids = (await sandbox.run(['add', '-Q', ...files])).stdout.toString().trim().split('\n')
    expectSuccess(await sandbox.run(['car', 'export', ...cids, '-o', 'many.car']))
    await rm(sandbox.repo, { recursive: true })

    const cut = await record(sandbox, async run => {
      await run(['car', 'import', join(sandbox.directory, 'many.car')], () => true)
    })

    expect(cut.notes(cut.length)).toHaveLength(8)
    await expectKept(sandbox, cut, { again: async run => run(['add', '-Q', ...files]) })
  })

  it('a repo stores blocks with the codec given to init', { tags: 'nightly' }, async ({ sandbox }) => {
    const file = await sandbox.write('file', text(10_000))

    const cut = await record(sandbox, async run => {
      await run(['add', '--codec', 'none', file], () => true)
    }, ['--blockstore-codec', 'zstd'])

    await expectKept(sandbox, cut, { again: async run => run(['add', '-Q', '--codec', 'none', file]) })

    for (const mode of MODES) {
      const setting = String(cut.at(cut.length - 1, mode, chance(1)).get('repo/blockstore.json'))
      expect(setting).toBe('{"layout":"files","codec":"zstd"}\n')
    }
  })

  it('what migrate has copied is readable and pinned', { tags: 'nightly' }, async ({ sandbox }) => {
    const source = join(sandbox.directory, 'source')
    const file = await sandbox.write('file', text(1_500_000))
    expectSuccess(await sandbox.run(['add', '-Q', '--repo', source, file]))

    const cut = await record(sandbox, async run => {
      await run(['migrate', source, join(sandbox.directory, 'disk', 'repo')])
      await run(['pin', 'ls'], () => true)
    })

    expect(cut.notes(cut.length)).toHaveLength(1)
    await expectKept(sandbox, cut, { again: async run => run(['add', '-Q', file]) })
  })

  it('a removed pin does not come back once gc has deleted its blocks', { tags: 'nightly' }, async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    const [kept, gone] = [await sandbox.add(text(300_000, 1)), await sandbox.add(text(300_000, 2))]

    const cut = await record(sandbox, async run => {
      await run(['pin', 'rm', gone])
      await run(['gc'])
    })

    await expectKept(sandbox, cut, { safe: [kept] })
  })

  it('pinned files are readable, whatever the moment of a blockstore conversion', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    const safe = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => sandbox.add(text(20_000, i + 1), '--codec', 'none'))
    )

    const cut = await record(sandbox, async run => {
      await run(['blockstore', 'convert', '--codec', 'zstd'])
      await run(['blockstore', 'convert', '--codec', 'none'])
    })

    await expectKept(sandbox, cut, { safe, again: async run => run(['blockstore', 'convert', '--codec', 'gzip']) })
  })
})

/**
 * Runs commands and records their disk operations, and when they print each line. An existing
 * repo counts as synced.
 *
 * `promised` says for each line that is printed whether its CID must be pinned. Without
 * it a command promises nothing.
 */
async function record (
  { directory, repo }: Sandbox,
  work: (run: RecordedRun) => Promise<void>,
  init: string[] = ['--layout', 'files']
): Promise<PowerCut> {
  const disk = join(directory, 'disk')
  await mkdir(disk)
  await rename(repo, join(disk, 'repo')).catch(() => {})
  const cut = new PowerCut(disk)

  try {
    // a file for each block: packs have a simulated disk of their own, in packages/blockstore-packed/test
    await runIn(join(disk, 'repo'), directory, ['init', ...init], () => {})
    await work(async (args, promised) => {
      const lines: Line[] = []
      const result = await runIn(join(disk, 'repo'), directory, ['--json', ...args], chunk => {
        for (const line of parseLines(chunk)) {
          lines.push(line)

          if (promised != null) {
            cut.note(JSON.stringify({ cid: line.cid, pinned: promised(line) }))
          }
        }
      })

      expectSuccess({ ...result, stderr: '' })

      return lines
    })
  } finally {
    cut.stop()
  }

  return cut
}

interface Expected {
  /** CIDs that were readable and pinned before. */
  safe?: readonly string[]
  /** The last command, after which every CID must be readable. */
  again?: (run: Run) => Promise<RunResult>
}

/** Cut the power at many moments, and check the repo on each disk that may result. */
async function expectKept (sandbox: Sandbox, cut: PowerCut, { safe = [], again }: Expected = {}): Promise<void> {
  const seen = new Set<string>()
  const all = told(cut, cut.length, safe)

  for (const moment of momentsOf(cut)) {
    for (const [i, mode] of [...MODES, ...Array<Mode>(MIXED - 1).fill('mixed')].entries()) {
      const disk = new Map([...cut.at(moment, mode, chance(moment * 100 + i))].filter(([path]) => !LOCKS.test(path)))
      const now = told(cut, moment, safe)
      const key = `${PowerCut.key(disk)} ${now.length}`

      if (!seen.has(key)) {
        seen.add(key)
        await expectKeptOn(disk, { moment, mode, now, all, again }, sandbox)
      }
    }
  }
}

interface Expectations extends Pick<Expected, 'again'> {
  moment: number
  mode: Mode
  now: readonly Told[]
  all: readonly Told[]
}

async function expectKeptOn (
  disk: Map<string, Buffer | null>,
  { moment, mode, now, all, again }: Expectations,
  { directory }: Sandbox
): Promise<void> {
  const after = join(directory, `after-${moment}-${mode}`)
  const steps: unknown[] = []
  const run: Run = async args => {
    const result = await runIn(join(after, 'repo'), directory, args)
    steps.push({ args, code: result.code, stderr: result.code === 0 ? '' : result.stderr })

    return result
  }
  const verify = async (cids: readonly Told[]): Promise<void> => {
    await run(['verify', ...cids.map(({ cid }) => cid)])
  }
  const pinned = now.filter(({ pinned }) => pinned)

  await PowerCut.build(disk, after)

  if (now.length > 0) {
    await verify(now)
    const { stdout } = await run(['pin', 'ls'])
    expect(stdout.toString().split('\n').map(line => line.split('\t')[0]), `pins at moment ${moment}, ${mode}`)
      .toEqual(expect.arrayContaining(pinned.map(({ cid }) => cid)))
  }

  if (pinned.length > 0) {
    await run(['gc'])
    await verify(pinned)
  }

  if (again != null) {
    await again(run)
    await verify(all)
  }

  expect(steps.filter(step => (step as RunResult).code !== 0), `moment ${moment}, ${mode}`).toEqual([])
  await rm(after, { recursive: true })
}

function told (cut: PowerCut, moment: number, safe: readonly string[]): Told[] {
  return [...safe.map(cid => ({ cid, pinned: true })), ...cut.notes(moment).map(text => JSON.parse(text) as Told)]
}

/** A sample of all moments, and each one right after a line was printed. */
function momentsOf (cut: PowerCut): number[] {
  const moments = Array.from({ length: cut.length }, (_, moment) => moment)
  const every = Math.ceil(cut.length / MOMENTS)

  return moments.filter(
    moment => moment % every === 0 || moment === cut.length - 1 || (
      moment > 0 && cut.notes(moment).length > cut.notes(moment - 1).length
    )
  )
}

/** A generator of numbers from 0 to 1, the same for the same seed. */
function chance (seed: number): () => number {
  const next = random(seed + 1)

  // a small seed gives small first numbers
  for (let i = 0; i < 16; i++) {
    next()
  }

  return () => next() / 2 ** 24
}

function collecting (chunks: Buffer[], onChunk?: (chunk: Buffer) => void): Writable {
  return new Writable({
    write (chunk: Buffer, _encoding, done) {
      // a copy: the command may free what was written
      chunks.push(Buffer.from(chunk))
      onChunk?.(chunk)
      done()
    }
  })
}

/** Run the built command in this process; `onStdout` gets each chunk as it is printed. */
async function runIn (
  repo: string,
  directory: string,
  args: readonly string[],
  onStdout?: (chunk: Buffer) => void
): Promise<RunResult> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
  const code = await main(['node', CLI, '--repo', repo, ...args], {
    stdin: Readable.from([]),
    stdinIsPiped: false,
    stdout: collecting(stdout, onStdout),
    stderr: collecting(stderr),
    env: { HOME: directory, IPFSZ_BOOTSTRAP: 'none' },
    cwd: directory,
    now: Date.now,
    signal: new AbortController().signal
  })

  return { code, signal: null, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }
}
