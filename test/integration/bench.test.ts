import { access } from 'node:fs/promises'
import { allCodecs } from '@ipfsz/codecs/all'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, finish, it, parseLines } from './run-cli.ts'

const CODECS = allCodecs().map(({ name }) => name)
/** Begins every colour and cursor movement. */
const ESCAPE = '\u001b'
/** Progress is shown only on a terminal. */
const STDERR_IS_TERMINAL = '--import=data:text/javascript,process.stderr.isTTY=true'

interface Row {
  codec: string
  level?: number
  measured: number
  stored: number
  ratio: number
  compress: number
  decompress: number
  rounds: number
  seconds: Record<string, number>
  partial: boolean
}

describe('ipfsz bench', () => {
  it('prints a table of every codec, a chart, and the choice with the command that uses it', { tags: 'slow' }, async ({
    sandbox
  }) => {
    await sandbox.write('words', text(300_000))

    const result = await sandbox.run(['bench', 'words', '--time', '5'])
    const lines = result.stdout.toString().split('\n')

    expectSuccess(result)
    expect(lines[0]).toBe('words, 293 KiB')

    const table = lines.filter(line => /^[a-z0-9]+ +[0-9-]+ +(native|wasm|js|-) /.test(line)).map(
      line => line.split(/ +/)
    )
    const [none, ...rows] = table
    expect(none.slice(0, 6)).toEqual(['none', '-', '-', '1.000', '-', '-'])
    expect([...new Set(rows.map(([name]) => name))]).toEqual(CODECS)

    // the uncompressed file has the longest bar
    const bars = lines.map(line => /^[ >] ([a-z0-9]+(?: \d+)?) +(#+) +\d/.exec(line)).filter(match => match != null)
    expect(bars).toHaveLength(table.length)
    expect(Math.max(...bars.map(([, , bar]) => bar.length))).toBe(bars[0][2].length)

    const chosen = lines.filter(line => line.startsWith('> '))
    expect(chosen).toHaveLength(1)
    const [, label] = /^Recommended: (.+)$/m.exec(result.stdout.toString()) ?? []
    expect(chosen[0].startsWith(`> ${label} `)).toBe(true)
    expect(lines.at(-2)).toMatch(/^ {2}ipfsz add --codec [a-z0-9]+( --level \d+)? words$/)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80)
    expect(result.stdout.toString()).not.toContain(ESCAPE)
  })

  it('prints a command that adds the file with the chosen codec', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('some words', text(300_000))
    const bench = await sandbox.run(['bench', 'some words', '--json', '--codec', 'zstd', '--time', '2'])
    expectSuccess(bench)
    const { command } = parseLines(bench.stdout).at(-1) ?? {}

    const result = await sandbox.shell(`${String(command)} --json`)

    expectSuccess(result)
    expect(parseLines(result.stdout)).toEqual([expect.objectContaining({ name: 'some words', codec: 'zstd' })])
  })

  it('prints consistent figures with --json', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('words', text(300_000))
    await sandbox.write('more', text(100_000, 2))
    await sandbox.write('empty', new Uint8Array(0))

    const result = await sandbox.run([
      'bench',
      '--json',
      '--codec',
      'zstd,lz4',
      '--level',
      '1',
      'words',
      'more',
      'empty'
    ])

    expectSuccess(result)
    const objects = parseLines(result.stdout)
    const [none, ...rows] = objects.slice(0, -1) as unknown as Row[]
    expect(none).toMatchObject({
      codec: 'none',
      ratio: 1,
      seconds: { '10 Mbit/s': 0.32, '100 Mbit/s': 0.032, '1 Gbit/s': 0.0032 }
    })
    expect(rows.map(({ codec, level }) => [codec, level])).toEqual([['zstd', 1], ['lz4', 1]])

    for (const { measured, stored, ratio, compress, decompress, rounds, seconds, partial } of rows) {
      expect({ measured, partial }).toEqual({ measured: 400_000, partial: false })
      expect(ratio).toBe(stored / measured)
      expect(ratio).toBeLessThan(0.8)
      expect(rounds).toBeGreaterThan(0)
      expect(seconds['10 Mbit/s']).toBeCloseTo(Math.max(stored * 8 / 10e6, 400_000 / compress, 400_000 / decompress), 6)
    }

    expect(objects.at(-1)).toMatchObject({
      files: ['words', 'more', 'empty'],
      size: 400_000,
      sampled: 400_000,
      frameSize: 4_194_304,
      reason: expect.any(String),
      choice: { codec: expect.any(String) }
    })
  })

  it('compares the levels given with --level', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('words', text(10_000))

    const result = await sandbox.run([
      'bench',
      '--json',
      '--codec',
      'gzip',
      '--codec',
      'zstd',
      '--level',
      '2',
      '--level',
      '4,5',
      'words'
    ])

    expectSuccess(result)
    expect(parseLines(result.stdout).slice(0, -1).map(({ codec, level }) => `${codec} ${level}`).toSorted())
      .toEqual(['gzip 2', 'gzip 4', 'gzip 5', 'none undefined', 'zstd 2', 'zstd 4', 'zstd 5'])
  })

  it('measures frames of the size given with --frame-size', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('words', text(200_000))

    const result = await sandbox.run([
      'bench',
      '--json',
      '--codec',
      'zstd',
      '--level',
      '3',
      '--frame-size',
      '64KiB',
      'words'
    ])

    expectSuccess(result)
    const { storedSize } = await statOf(await sandbox.add(text(200_000), '--level', '3', '--frame-size', '64KiB'))
    const [, zstd] = parseLines(result.stdout) as unknown as Row[]
    // frames and nothing else: no seek table, no header
    expect(zstd.stored).toBeLessThan(storedSize)
    expect(zstd.stored).toBeGreaterThan(storedSize * 0.99)

    async function statOf (cid: string): Promise<{ storedSize: number }> {
      const [stat] = parseLines((await sandbox.run(['stat', cid, '--json'])).stdout)

      return stat as { storedSize: number }
    }
  })

  it('chooses none for a file that does not compress', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('noise', noise(300_000))

    const result = await sandbox.run(['bench', '--json', '--time', '5', 'noise'])

    expectSuccess(result)
    expect(parseLines(result.stdout).at(-1)).toMatchObject({
      choice: { codec: 'none' },
      command: 'ipfsz add --codec none noise',
      reason: expect.stringContaining('does not help')
    })
  })

  it('creates no repo', async ({ sandbox }) => {
    await sandbox.write('words', text(1000))
    expectSuccess(await sandbox.run(['bench', '--codec', 'lz4', 'words']))

    await expect(access(sandbox.repo)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('draws bars of block characters in a UTF-8 locale', async ({ sandbox }) => {
    await sandbox.write('words', text(1000))

    const result = await sandbox.run(['bench', '--codec', 'lz4', 'words'], { env: { LANG: 'C.UTF-8' } })

    expectSuccess(result)
    expect(result.stdout.toString()).toContain('███')
  })

  it('shows progress on a terminal and exits on Ctrl-C', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('words', text(3_000_000))
    const child = sandbox.start(
      ['bench', '--time', '600', '--frame-size', '64KiB', '--codec', 'brotli', '--level', '11', 'words'],
      { env: { NODE_OPTIONS: STDERR_IS_TERMINAL } }
    )

    child.stderr.once('data', () => { child.kill('SIGINT') })
    const { code, stdout, stderr } = await finish(child)

    expect(code).toBe(130)
    expect(stdout.byteLength).toBe(0)
    expect(stderr).toMatch(/^\r.{3}brotli 11 \.\.\. {2}0 of at most 600 s.*\r.{3}ipfsz: [^\n]+\n$/)
  })
})

describe('ipfsz bench with invalid arguments', () => {
  it.for<[string, number, string[]]>([
    ['a missing file', 1, ['words', 'missing']],
    ['a directory', 1, ['.']],
    ['an empty file', 2, ['empty']],
    ['stdin', 2, ['-']],
    ['a call without files', 2, []],
    ['an unknown codec', 2, ['--codec', 'zstd,lzma', 'words']],
    ['a level that no codec has', 2, ['--level', '99', 'words']],
    ['a level that is not a number', 2, ['--level', 'high', 'words']],
    ['a frame size that is too small', 2, ['--frame-size', '1', 'words']],
    ['a --time of 0', 2, ['--time', '0', 'words']]
  ])('refuses %s', async ([, code, args], { sandbox }) => {
    await sandbox.write('words', text(1000))
    await sandbox.write('empty', new Uint8Array(0))

    expectFailure(await sandbox.run(['bench', ...args]), code)
  })
})
