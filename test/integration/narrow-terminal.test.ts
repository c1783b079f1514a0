import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { it } from './run-cli.ts'
import { runOnPseudoTerminal, runOnTerminal } from './terminal.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

const COLUMNS = 40

/** A line that the terminal does not break, or one word, such as a CID, or a command, that no line has room for. */
function fits (line: string, columns = COLUMNS): boolean {
  const text = stripVTControlCharacters(line)

  return text.length <= columns || !/\S\s+\S/.test(text) || text.startsWith('  ipfsz add ')
}

/** Add a tree with links. Returns its CID, and that of an earlier one. */
async function prepare (sandbox: Sandbox): Promise<{ cid: string, earlier: string }> {
  const add = async (): Promise<string> =>
    (await sandbox.run(['add', '-Q', '--link', 'tree'])).stdout.toString().trim()

  await makeTree(join(sandbox.directory, 'tree'), {
    'a/one': text(100_000),
    'a file with a long name, in words': text(900_000, 2),
    small: text(20)
  })
  const earlier = await add()
  await writeFile(join(sandbox.directory, 'tree/small'), text(2000))

  return { cid: await add(), earlier }
}

describe.concurrent('a terminal of 40 columns', () => {
  it('breaks no word of any list or summary', async ({ sandbox }) => {
    const { cid, earlier } = await prepare(sandbox)
    const file = (await sandbox.run(['add', '-Q', '--link', 'tree/a/one'])).stdout.toString().trim()
    await sandbox.run(['add', '--base', 'latest', 'tree/a/one'])

    for (
      const args of [
        ['codecs'],
        ['stats'],
        ['stat', file],
        ['stat', cid],
        ['ls', '-l', '-R', cid],
        ['du'],
        ['du', cid],
        ['diff', earlier, cid],
        ['pin', 'ls', '-l'],
        ['pin', 'add', cid],
        ['log'],
        ['log', 'one'],
        ['link', 'ls'],
        ['originals', 'index', file],
        ['originals', 'ls'],
        ['verify', cid],
        ['verify', '--all'],
        ['repair'],
        ['car', 'export', cid, '-o', 'a.car'],
        ['car', 'import', 'a.car'],
        ['get', cid, '-o', 'out'],
        ['init'],
        ['blockstore', 'convert', '--layout', 'files'],
        ['blockstore', 'convert', '--codec', 'zstd'],
        ['pin', 'rm', earlier],
        ['rm', cid],
        ['gc'],
        ['bench', 'tree/a/one', '--codec', 'zstd,lz4', '--time', '1']
      ]
    ) {
      const { code, lines } = await runOnTerminal(sandbox, args, COLUMNS)

      expect(code, args.join(' ')).toBe(args[0] === 'diff' ? 1 : 0)
      expect(lines.filter(line => !fits(line)), args.join(' ')).toEqual([])
    }
  })

  it.for([40, 80])('shows what commands say of a store that nodes share, also in %i columns', async (
    columns, { sandbox }
  ) => {
    const [store, used, own] = ['a store of two nodes', 'used', 'own'].map(name => join(sandbox.directory, name))
    await mkdir(store)
    await mkdir(used)
    await writeFile(join(used, 'photo.jpg'), '')
    await sandbox.write('notes', text(100_000))
    await sandbox.run(['add', '--repo', own, 'notes'])

    for (
      const [expected, ...args] of [
        [1, 'init', '--store', used],
        [0, 'init', '--store', store],
        [0, 'init', '--store', store],
        [0, 'init'],
        [1, 'gc'],
        [0, 'gc', '--dry-run'],
        [0, 'migrate', own, sandbox.repo],
        [0, 'pin', 'ls', '-l'],
        [0, 'verify', '--all'],
        [0, 'stats'],
        [0, 'gc'],
        [1, 'blockstore', 'convert', '--codec', 'none'],
        [2, 'init', '--store', store, '--blockstore-codec', 'lz4']
      ] as const
    ) {
      if (expected === 1 && args[0] === 'gc') {
        // nothing is pinned yet
        await sandbox.run(['add', '--no-pin', 'notes'])
      }

      const { code, lines, bars } = await runOnTerminal(sandbox, args, columns)

      expect(code, args.join(' ')).toBe(expected)
      expect(lines.filter(line => !fits(line, columns)), args.join(' ')).toEqual([])
      expect(bars.filter(bar => stripVTControlCharacters(bar).length > columns), args.join(' ')).toEqual([])
    }

    await rename(store, `${store} away`)
    const { code, lines } = await runOnTerminal(sandbox, ['pin', 'ls'], columns)
    expect([code, lines.filter(line => !fits(line, columns))]).toEqual([1, []])
  })

  it('aligns the columns of lists', async ({ sandbox }) => {
    const { cid } = await prepare(sandbox)
    const { lines: usage } = await runOnTerminal(sandbox, ['du', cid], COLUMNS)
    const { lines: listed } = await runOnTerminal(sandbox, ['ls', cid], 200)
    const { lines: pins } = await runOnTerminal(sandbox, ['pin', 'ls', '-l'], 200)
    await sandbox.run(['add', '--base', 'latest', 'tree/a/one'])
    const { lines: names } = await runOnTerminal(sandbox, ['log'], COLUMNS * 2)

    const sizes = usage.filter(line => line.includes('KiB'))

    expect(usage[0]).toBe('ORIGINAL    STORED  NAME')
    expect(sizes).toHaveLength(4)
    expect(sizes.filter(line => !/^.{5}KiB.{7}KiB$/.test(line))).toEqual([])
    // sizes, the codec, and the name of each entry
    expect(listed.map(line => line.slice(64, 96))).toEqual([
      '  ORIGINAL    STORED  CODEC   NA',
      '         -         -  -       a/',
      expect.stringMatching(/^ {2}.{5}KiB {2}.{5}KiB {2}zstd {4}a /),
      expect.stringMatching(/^ {2}.{5}KiB {2}.{5}KiB {2}zstd {4}sm/)
    ])
    expect(pins.map(line => line.slice(64))).toEqual([
      '  ORIGINAL    STORED  PINNED                    NAME',
      expect.stringMatching(/^ {2}.{5}KiB {2}.{5}KiB {2}\d{4}-.{18}Z {2}tree$/),
      expect.stringMatching(/^ {2}.{5}KiB {2}.{5}KiB {2}\d{4}-.{18}Z {2}tree$/)
    ])
    expect(names).toEqual([
      'LAST ADDED        VERSIONS       NAME',
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}1 version {6}one$/)
    ])
  })

  it('shows the tables of stats and codecs, and the summary of a site, in a pseudo terminal', async ({ sandbox }) => {
    await prepare(sandbox)
    await makeTree(join(sandbox.directory, 'site'), { 'index.html': '<title>A</title>', 'data.csv': text(100_000) })
    const { code, lines } = await runOnPseudoTerminal(
      sandbox,
      'for words in stats codecs "site add site"; do "$NODE" "$CLI" $words || exit; done',
      COLUMNS,
      { shown: /./, async onShown () {} }
    )

    expect(code).toBe(0)
    expect(lines).toContainEqual(expect.stringMatching(/^Compressed +Original +Stored +Saved$/))
    expect(lines).toContainEqual(expect.stringMatching(/^Codec +Blocks +Size +On disk +Ratio$/))
    expect(lines).toContain('CODEC  RUNS   LEVELS DEFAULT MARKER')
    expect(lines).toContain('  open it: ipfsz gateway, then')
    expect(lines.filter(line => !fits(line))).toEqual([])
  })
})
