import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { allCodecs } from '@ipfsz/codecs/all'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, finish, it, parseLines } from './run-cli.ts'

const CODECS = allCodecs().map(({ name }) => name)
/** Progress is shown only on a terminal. */
const STDERR_IS_TERMINAL = '--import=data:text/javascript,process.stderr.isTTY=true'

interface Row {
  codec: string
  level: number
  measured: number
  stored: number
  ratio: number
  compress: number
  decompress: number
}

describe('ipfsz bench', () => {
  it('prints a table of every codec', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('words', text(300_000))

    const result = await sandbox.run(['bench', 'words', '--time', '60'])
    const [head, ...rows] = result.stdout.toString().trimEnd().split('\n').map(line => line.split('\t'))

    expectSuccess(result)
    expect(head).toEqual(['CODEC', 'LEVEL', 'RUNS', 'RATIO', 'COMPRESS', 'DECOMPRESS', 'MEASURED'])
    expect([...new Set(rows.map(([name]) => name))]).toEqual(CODECS)

    for (const [, level, runs, ratio, compress, decompress, measured] of rows) {
      expect([level, runs, ratio].join(' ')).toMatch(/^\d+ (native|wasm|js) [01]\.\d{3}$/)
      expect(Math.min(Number(compress), Number(decompress))).toBeGreaterThan(0)
      expect(measured).toBe('300000')
    }
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
    const rows = objects.slice(0, -1) as unknown as Row[]
    expect(rows.map(({ codec, level }) => [codec, level])).toEqual([['zstd', 1], ['lz4', 1]])

    for (const { measured, stored, ratio, compress, decompress } of rows) {
      expect(measured).toBe(400_000)
      expect(ratio).toBe(stored / measured)
      expect(ratio).toBeLessThan(0.8)
      expect(Math.min(compress, decompress)).toBeGreaterThan(0)
    }

    expect(objects.at(-1)).toMatchObject({
      files: ['words', 'more', 'empty'],
      size: 400_000,
      sampled: 400_000,
      frameSize: 4_194_304
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
      .toEqual(['gzip 2', 'gzip 4', 'gzip 5', 'zstd 2', 'zstd 4', 'zstd 5'])
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
    const [zstd] = parseLines(result.stdout) as unknown as Row[]
    // frames and nothing else: no seek table, no header
    expect(zstd.stored).toBeLessThan(storedSize)
    expect(zstd.stored).toBeGreaterThan(storedSize * 0.99)

    async function statOf (cid: string): Promise<{ storedSize: number }> {
      const [stat] = parseLines((await sandbox.run(['stat', cid, '--json'])).stdout)

      return stat as { storedSize: number }
    }
  })

  it('says which levels it had no time for', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('words', text(16_000_000))

    const args = ['--time', '4', '--frame-size', '16MiB', '--codec', 'zstd,brotli', '--level', '1,2,3,11']
    const result = await sandbox.run(['bench', '--json', ...args, 'words'])

    expectSuccess(result)
    const rows = parseLines(result.stdout).slice(0, -1)
    expect(rows.some(({ measured }) => measured === 16_000_000)).toBe(true)
    expect(rows.at(-1)).toEqual({ codec: 'brotli', level: 11, implementation: 'native', measured: 0 })
  })

  it('creates no repo', async ({ sandbox }) => {
    await sandbox.write('words', text(1000))
    expectSuccess(await sandbox.run(['bench', '--codec', 'lz4', 'words']))

    await expect(access(sandbox.repo)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('shows progress on a terminal and exits on Ctrl-C', { tags: 'slow' }, async ({ sandbox }) => {
    await sandbox.write('words', text(12_000_000))
    const child = sandbox.start(
      ['bench', '--time', '600', '--frame-size', '64KiB', '--codec', 'brotli', '--level', '11', 'words'],
      { env: { NODE_OPTIONS: STDERR_IS_TERMINAL } }
    )

    child.stderr.once('data', () => { child.kill('SIGINT') })
    const { code, stdout } = await finish(child)

    expect(code).toBe(130)
    expect(stdout.byteLength).toBe(0)
  })
})

describe('ipfsz bench of a directory', () => {
  it('tells what options of add save on its files', async ({ sandbox }) => {
    const words = text(3000)
    await mkdir(join(sandbox.directory, 'site/pages'), { recursive: true })

    for (let i = 0; i < 40; i++) {
      await sandbox.write(`site/pages/${i}.html`, Buffer.concat([words, text(100 + i, i + 1)]))
    }

    const options = ['--codec', 'zstd', '--level', '1', 'site']
    const result = await sandbox.run(['bench', '--json', ...options])
    expectSuccess(result)
    const { saves, files } = parseLines(result.stdout).at(-1) as { saves: Record<string, number>, files: string[] }

    expect(files).toEqual(['site'])
    expect(saves.dictionaries).toBeGreaterThan(0.3)
    expect(saves.filters).toBe(0)
    expect(Math.abs(saves.cut)).toBeLessThan(0.1)

    const percent = Math.round(saves.dictionaries * 100)
    expect((await sandbox.run(['bench', ...options])).stderr.toString())
      .toContain(`saves ${percent} % with --dictionaries, `)
  })
})

describe('ipfsz bench with invalid arguments', () => {
  it.for<[string, number, string[]]>([
    ['a missing file', 1, ['words', 'missing']],
    ['a directory without files', 2, ['nothing']],
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
    await mkdir(join(sandbox.directory, 'nothing'))

    expectFailure(await sandbox.run(['bench', ...args]), code)
  })
})
