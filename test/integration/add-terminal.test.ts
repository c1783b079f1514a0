import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { describe, expect } from 'vitest'
import { main } from '../../packages/cli/dist/main.js'
import { noise, text } from '../support/data.ts'
import { announceGateway } from '../../packages/node/dist/gateway/gateway-file.js'
import { it } from './run-cli.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

const WIDTHS = [40, 80, 200]

/** Run the command in this process, with a terminal of this width as stdout. Returns the lines on it. */
async function onTerminal ({ directory, repo }: Sandbox, columns: number, ...args: string[]): Promise<string[]> {
  const [stdout, stderr] = [collector(), collector()]

  const code = await main(['node', 'ipfsz', ...args], {
    stdin: Readable.from([text(20_000)]),
    stdinIsPiped: true,
    stdout: Object.assign(stdout.stream, { isTTY: true, columns }),
    stderr: stderr.stream,
    env: { HOME: directory, IPFSZ_PATH: repo, IPFSZ_BOOTSTRAP: 'none' },
    cwd: directory,
    now: Date.now,
    signal: new AbortController().signal
  })

  expect({ code, stderr: stderr.text() }).toEqual({ code: 0, stderr: '' })

  return stdout.text().trimEnd().split('\n')
}

function collector (): { stream: Writable, text: () => string } {
  const chunks: Buffer[] = []

  return {
    stream: new Writable({
      write (chunk: Buffer, _encoding, done) {
        chunks.push(chunk)
        done()
      }
    }),
    text: () => Buffer.concat(chunks).toString()
  }
}

describe.concurrent('ipfsz add on a terminal', () => {
  it('names sizes, what is saved, both CIDs and the next command', async ({ sandbox }) => {
    await sandbox.write('a.txt', text(100_000))
    const cid = (await sandbox.run(['add', '-Q', 'a.txt'])).stdout.toString().trim()
    const plain = (await sandbox.run(['cid', 'plain', cid])).stdout.toString().trim()

    expect(await onTerminal(sandbox, 80, 'add', 'a.txt')).toEqual([
      expect.stringMatching(/^a\.txt: 97\.7 KiB -> [\d.]+ KiB, \d\d(\.\d)? % saved$/),
      `  for IPFSz   ${cid}`,
      `  for others  ${plain}`,
      '  Others can pin it, and read it with zstd -dc',
      `  ipfsz cat ${cid}`
    ])
  })

  it.for(WIDTHS)('fits %i columns: only CIDs, commands and URLs may be longer', async (columns, { sandbox }) => {
    const directory = await makeTree(join(sandbox.directory, 'a directory with a name'), {
      a: text(10_000),
      b: noise(1000),
      '.hidden': ''
    })
    await chmod(join(directory, 'a'), 0o755)
    await sandbox.run(['init'])
    const release = await announceGateway(sandbox.repo, 'http://127.0.0.1:8080')

    const lines = await onTerminal(sandbox, columns, 'add', 'a directory with a name').finally(release)

    expect(lines.join(' ')).toMatch(/for IPFSz\s+bagalj\w+\s+for others\s+bafy\w+\s+Others can pin it, /)
    expect(lines.join(' '))
      .toMatch(/ read all 2\s+files: 1 with zstd -dc, 1 as stored\s+ipfsz get bagalj\w+\s+http:\S+/)
    expect(lines.join(' ')).toMatch(/2 files, 1 compressed .* 1 hidden entry .* executable bit of 1 file /)
    for (const line of lines) {
      // at its beginning, so that it can be copied
      expect(/^(?:(?:ipfsz get )?ba\w{50,}|http:\S+)$/.test(line) || line.length < columns, line).toBe(true)
    }
  })

  it('prints one summary for each path, and none for the files in a directory', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { 'x/one': text(10_000), two: text(20_000) })
    await sandbox.write('b.bin', noise(2000))

    const lines = await onTerminal(sandbox, 200, 'add', 'in', 'b.bin')

    expect(lines.filter(line => /^\S/.test(line)).map(line => line.split(':')[0])).toEqual(['in', 'b.bin'])
    expect(lines).toContain('')
    expect(lines[1]).toBe('  2 files, 2 compressed')
    // a file that is stored uncompressed has one CID
    expect(lines.slice(-3)).toEqual([
      'b.bin: 1.95 KiB, stored uncompressed',
      expect.stringMatching(/^ {2}for all {5}bafk\w+$/),
      expect.stringMatching(/^ {2}ipfsz cat bafk\w+$/)
    ])
  })

  it('has no percentage for a few bytes', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: 'a', b: 'b' })
    await sandbox.write('small', text(100))

    const [tree] = await onTerminal(sandbox, 80, 'add', 'in')
    const [file] = await onTerminal(sandbox, 80, 'add', '--no-detect', 'small')

    expect(tree).toMatch(/^in: 2 B -> \d+ B$/)
    expect(file).toMatch(/^small: 100 B -> \d+ B$/)
  })

  it('escapes control characters in a name', async ({ sandbox }) => {
    await sandbox.write('a\nb\u001b[1m', text(10_000))

    const [title] = await onTerminal(sandbox, 80, 'add', 'a\nb\u001b[1m')

    expect(title).toMatch(/^a\\x0ab\\x1b\[1m: /)
  })

  it('names the repo in the next command if it is not the usual one', async ({ sandbox }) => {
    await sandbox.write('a', text(10_000))
    const lines = await onTerminal(sandbox, 200, 'add', '--repo', 'another repo', 'a')

    expect(lines.at(-1)).toMatch(/^ {2}ipfsz --repo '.*\/another repo' cat \w+$/)
  })

  it('says that --only-hash stored nothing', async ({ sandbox }) => {
    const lines = await onTerminal(sandbox, 80, 'add', '-n')

    expect(lines[0]).toMatch(/^stdin: 19\.5 KiB -> /)
    expect(lines.at(-1)).toMatch(/^ {2}Nothing was stored/)
    expect(lines.join()).not.toContain('ipfsz cat')
  })

  it.for(['-q', '-Q', '--json'])('prints what a pipe gets with %s', async (option, { sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000) })
    // what is told must not depend on whether the files were added before
    const piped = await sandbox.run(['add', '--no-cache', option, 'in'])
    const lines = piped.stdout.toString().trimEnd().split('\n')

    expect(await onTerminal(sandbox, 80, 'add', '--no-cache', option, 'in')).toEqual(lines)
  })
})
