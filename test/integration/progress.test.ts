import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { CLI, expectSuccess, it } from './run-cli.ts'
import { read, runOnTerminal } from './terminal.ts'
import type { Sandbox } from './run-cli.ts'

const WIDTHS = [40, 80, 200]
const SIZE = 300_000

/** A CID, cut where a narrow terminal needs it. */
const ANY_CID = /^b\w+(?:…\w+)? {2}/

interface Work {
  /** What is done first. Returns the arguments of the command that shows progress. */
  prepare: (sandbox: Sandbox) => Promise<string[]>
  /** How its bars begin. */
  bars: RegExp[]
  /** How its first line of results begins. */
  result: RegExp
}

const add = async (sandbox: Sandbox, ...args: string[]): Promise<string> => sandbox.add(text(SIZE), ...args)

const WORKS: Record<string, Work> = {
  gc: {
    prepare: async sandbox => {
      await add(sandbox)
      await sandbox.add(text(SIZE, 2), '--codec', 'none', '--no-pin')
      return ['gc']
    },
    bars: [/^finding unpinned blocks {2}\d+ block/, /^deleting un.*ned blocks {2}.*\d %/],
    result: /^Deleted \d+ unpinned blocks?/
  },
  'verify, of a compressed file': {
    prepare: async sandbox => ['verify', await add(sandbox)],
    bars: [ANY_CID],
    result: /^b\w+\tgood\t/
  },
  'verify, of a plain file': {
    prepare: async sandbox => ['verify', await add(sandbox, '--codec', 'none')],
    bars: [ANY_CID],
    result: /^b\w+\tgood\t/
  },
  'verify --all': {
    prepare: async sandbox => {
      await add(sandbox)
      return ['verify', '--all']
    },
    bars: [/^1 pin {2}.*\d %/],
    result: /^b\w+\tgood\t/
  },
  'blockstore convert': {
    prepare: async sandbox => {
      await add(sandbox, '--codec', 'none')
      return ['blockstore', 'convert', '--codec', 'zstd']
    },
    bars: [/^converting {2}.*\d %/],
    result: /^Converted \d+ of \d+ blocks/
  },
  'car export': {
    prepare: async sandbox => ['car', 'export', await add(sandbox), '-o', `${'long-'.repeat(20)}name.car`],
    bars: [/^(?:long-)*.*name.car {2}/],
    result: /^b\w+\tb\w+\t/
  },
  'car import': {
    prepare: async sandbox => {
      expectSuccess(await sandbox.run(['car', 'export', await add(sandbox), '-o', 'file.car', '--repo', sandbox.repo]))
      return ['car', 'import', 'file.car', '--repo', 'other']
    },
    bars: [/^file\.car {2}/, /^checking file\.car {2}\d+ block/],
    result: /^b\w+\tb\w+/
  },
  repair: {
    prepare: async sandbox => ['repair', await add(sandbox), '--offline'],
    bars: [ANY_CID],
    result: /^b\w+\tgood\t/
  },
  'pin add': {
    prepare: async sandbox => ['pin', 'add', await add(sandbox, '--no-pin')],
    bars: [/^checking .*block/],
    result: /^b\w+\tpinned/
  }
}

describe.concurrent.for(Object.entries(WORKS))('the progress of %s', ([, { prepare, bars, result }]) => {
  it.for(WIDTHS)('fits %i columns, and is gone before a result is printed', async (columns, { sandbox }) => {
    const screen = await runOnTerminal(sandbox, await prepare(sandbox), columns)

    expect(screen.code).toBe(0)
    expect(screen.lines[0]).toMatch(result)

    for (const bar of bars) {
      expect(screen.bars).toContainEqual(expect.stringMatching(bar))
    }

    // in the last column, some terminals wrap
    expect(Math.max(...screen.bars.map(bar => bar.length))).toBeLessThan(columns)
  })
})

// `script` makes pseudo terminals, and is part of util-linux
describe.skipIf(process.platform !== 'linux')('the progress on a pseudo terminal', () => {
  it('fits it, and is gone before a result is printed', async ({ sandbox }) => {
    const { directory, repo } = sandbox
    const pipe = join(directory, 'p')
    const cid = await sandbox.add(text(10_000))
    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'file.car']))
    const car = await readFile(join(directory, 'file.car'))
    execFileSync('mkfifo', [pipe])

    // a pipe that is open for reading too does not wait for a reader
    const stdin = await open(pipe, 'r+')
    const terminal = spawn('script', ['-qec', 'stty cols 40; "$NODE" "$CLI" car import - <p', '/dev/null'], {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        SHELL: '/bin/sh',
        NODE: process.execPath,
        CLI,
        IPFSZ_PATH: repo,
        IPFSZ_BOOTSTRAP: 'none',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE
      },
      stdio: ['ignore', 'pipe', 'inherit']
    })
    const exit = once(terminal, 'exit')
    let shown = ''

    try {
      await stdin.writeFile(car.subarray(0, -1))

      // the bar appears while the command waits for the rest
      for await (const bytes of terminal.stdout.iterator({ destroyOnReturn: false })) {
        if ((shown += String(bytes)).includes('B/s')) {
          break
        }
      }

      await stdin.writeFile(car.subarray(-1))
      await stdin.close()

      for await (const bytes of terminal.stdout) {
        shown += String(bytes)
      }
    } finally {
      terminal.kill('SIGKILL')
    }

    const { lines, bars } = read(shown)

    expect(await exit).toEqual([0, null])
    expect(bars[0]).toMatch(/^stdin {2}/)
    expect(Math.max(...bars.map(bar => bar.length))).toBeLessThan(40)
    expect(lines).toEqual([expect.stringMatching(/^b\w+\tb\w+$/)])
  })
})
