/** @module-tag long */
import { execFileSync } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { noise, text } from '../support/data.ts'
import { listen } from '../support/listen.ts'
import { expectSuccess, it } from './run-cli.ts'
import { startGateway } from './run-gateway.ts'
import { runOnPseudoTerminal, runOnTerminal } from './terminal.ts'
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
    result: /^b\w+\s+good\s/
  },
  'verify, of a plain file': {
    prepare: async sandbox => ['verify', await add(sandbox, '--codec', 'none')],
    bars: [ANY_CID],
    result: /^b\w+\s+good\s/
  },
  'verify --all': {
    prepare: async sandbox => {
      await add(sandbox)
      return ['verify', '--all']
    },
    bars: [/^1 pin {2}.*\d %/],
    result: /^b\w+\s+good\s/
  },
  'blockstore convert': {
    prepare: async sandbox => {
      expectSuccess(await sandbox.run(['init', '--layout', 'files']))
      await add(sandbox, '--codec', 'none')
      return ['blockstore', 'convert', '--codec', 'zstd']
    },
    bars: [/^converting {2}.*\d %/],
    result: /^Converted \d+ of \d+ blocks/
  },
  'car export': {
    prepare: async sandbox => ['car', 'export', await add(sandbox), '-o', `${'long-'.repeat(20)}name.car`],
    bars: [/^(?:long-)*.*name.car {2}/],
    result: /^b\w+\s+b\w+\s/
  },
  'car import': {
    prepare: async sandbox => {
      expectSuccess(await sandbox.run(['car', 'export', await add(sandbox), '-o', 'file.car', '--repo', sandbox.repo]))
      return ['car', 'import', 'file.car', '--repo', 'other']
    },
    bars: [/^file\.car {2}/, /^checking file\.car {2}\d+ block/],
    result: /^b\w+\s+b\w+/
  },
  repair: {
    prepare: async sandbox => ['repair', await add(sandbox), '--offline'],
    bars: [ANY_CID],
    result: /^b\w+\s+good\s/
  },
  stats: {
    // packs know how many blocks they have
    prepare: async sandbox => {
      expectSuccess(await sandbox.run(['init', '--layout', 'files']))
      await add(sandbox)
      return ['stats']
    },
    bars: [/^counting blocks {2}\d+ block/, /^finding compressed files {2}\d+ block/],
    result: /^Codec +Blocks /
  },
  stat: {
    prepare: async sandbox => ['stat', await add(sandbox)],
    bars: [ANY_CID],
    result: /^Plain CID/
  },
  'pin ls': {
    prepare: async sandbox => {
      await add(sandbox)
      return ['pin', 'ls', '-l']
    },
    bars: [/^listing pins {2}1 pin/],
    result: /^(?:CID\s+)?ORIGINAL\s+STORED\s+PINNED\s+NAME\s.*\bb\w{40,}/
  },
  'pin add': {
    prepare: async sandbox => ['pin', 'add', await add(sandbox, '--no-pin')],
    bars: [/^checking .*block/],
    result: /^b\w+\s+pinned/
  }
}

describe.concurrent.for(Object.entries(WORKS))('the progress of %s', ([, { prepare, bars, result }]) => {
  it.for(WIDTHS)('fits %i columns, and is gone before a result is printed', {
    tags: 'slow'
  }, async (columns, { sandbox }) => {
    const screen = await runOnTerminal(sandbox, await prepare(sandbox), columns)

    expect(screen.code).toBe(0)
    expect(screen.lines.join(' ')).toMatch(result)

    for (const bar of bars) {
      expect(screen.bars).toContainEqual(expect.stringMatching(bar))
    }

    // in the last column, some terminals wrap
    expect(Math.max(...screen.bars.map(bar => bar.length))).toBeLessThan(columns)
  })
})

describe.skipIf(process.platform !== 'linux')('the progress on a pseudo terminal', () => {
  it.for(WIDTHS)('fits %i columns, and is gone before a result is printed', async (columns, { sandbox }) => {
    const pipe = join(sandbox.directory, 'p')
    const cid = await sandbox.add(text(10_000))
    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'file.car']))
    const car = await readFile(join(sandbox.directory, 'file.car'))
    execFileSync('mkfifo', [pipe])

    // a pipe that is open for reading too does not wait for a reader
    const stdin = await open(pipe, 'r+')
    await stdin.writeFile(car.subarray(0, -1))

    const { code, lines, bars } = await runOnPseudoTerminal(sandbox, '"$NODE" "$CLI" car import - <p', columns, {
      shown: /B\/s/,
      onShown: async () => {
        await stdin.writeFile(car.subarray(-1))
        await stdin.close()
      }
    })

    expect(code).toBe(0)
    expect(bars[0]).toMatch(/^stdin {2}/)
    expect(Math.max(...bars.map(bar => bar.length))).toBeLessThan(columns)
    expect(lines.join(' ')).toMatch(/^b\w+\s+b\w+$/)
  })

  it.for([
    ['get', /^[\d.]+ .?i?B\/s from 127\.\S+ {2}\d+ s left$/, 40],
    ['cat', /^b\w+…\w+ {2}\d+ % {2}[\d.]+ .?i?B\/s from 127\.0\.0\.1:\d+ {2}\d+ s left$/, 80],
    ['ls', /^b\w+…\w+ {2}waiting for the first block$/, 40]
  ] as const)('of %s says where it fetches from', async ([command, bar, columns], { sandbox }) => {
    const bytes = noise(3_000_000)
    const cid = await sandbox.add(bytes, '--codec', 'none')
    const gateway = await startSlowGateway((await startGateway(sandbox)).url, command === 'ls' ? 0 : -100)
    const elsewhere = { ...sandbox, repo: join(sandbox.directory, 'elsewhere') }
    const line = `"$NODE" "$CLI" ${command} ${cid} --gateway ${gateway.url}${command === 'cat' ? ' >got' : ''}`

    const { code, bars } = await runOnPseudoTerminal(elsewhere, line, columns, {
      shown: new RegExp(bar.source.slice(1), 'm'),
      onShown: async () => { gateway.release() }
    })

    expect(code).toBe(0)
    expect(bars).toContainEqual(expect.stringMatching(bar))
    expect(Math.max(...bars.map(bar => bar.length))).toBeLessThan(columns)
  })
})

/**
 * A gateway in front of another. It sends each body only as far as `end` until it is released.
 *
 * @param end - as `slice` takes it
 */
async function startSlowGateway (url: string, end: number): Promise<{ url: string, release: () => void }> {
  const released = Promise.withResolvers<void>()

  const server = createServer(({ url: path = '', headers: { accept = '' } }, response) => {
    void (async () => {
      const answer = await fetch(new URL(path, url), { headers: { accept } })
      const body = Buffer.from(await answer.arrayBuffer())

      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.write(body.subarray(0, end))
      await released.promise
      response.end(body.subarray(end))
    })()
  })
  const { port, close } = await listen(server)
  onTestFinished(close)

  return { url: `http://127.0.0.1:${port}`, release: released.resolve }
}
