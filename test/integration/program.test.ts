import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CODES } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks } from '../support/stored-blocks.ts'

/** An empty UnixFS file, and an empty directory, as dag-pb. */
const FILE = CID.parse('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
const DIRECTORY = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')

describe.concurrent('ipfsz cid', () => {
  it.for(
    Object.entries({ ...CODES, tree: 0x3f5a00 })
  )('marks a plain CID with the code of %s and removes the mark', async ([codec, code], { sandbox }) => {
    const marked = await sandbox.run(['cid', 'mark', DIRECTORY.toString(), '--codec', codec])
    const cid = marked.stdout.toString().trim()
    const plain = await sandbox.run(['cid', 'plain', cid])

    expectSuccess(marked)
    expectSuccess(plain)
    expect(cid).toBe(CID.createV1(code, DIRECTORY.multihash).toString())
    expect(plain.stdout.toString()).toBe(`${DIRECTORY}\n`)
  })

  it('marks a CIDv0', async ({ sandbox }) => {
    const result = await sandbox.run(['cid', 'mark', FILE.toString(), '--codec', 'zstd', '--json'])

    expectSuccess(result)
    expect(parseLines(result.stdout)).toEqual([{ cid: CID.createV1(CODES.zstd, FILE.multihash).toString() }])
  })

  it('creates no repo', async ({ sandbox }) => {
    await sandbox.run(['cid', 'mark', DIRECTORY.toString(), '--codec', 'zstd'])

    await expect(access(sandbox.repo)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it.for<[string, string[]]>([
    ['a raw CID', ['cid', 'mark', 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku', '--codec', 'zstd']],
    ['a marked CID', ['cid', 'mark', CID.createV1(CODES.gzip, DIRECTORY.multihash).toString(), '--codec', 'zstd']],
    ['to mark without a codec', ['cid', 'mark', DIRECTORY.toString()]],
    ['to mark with an unknown codec', ['cid', 'mark', DIRECTORY.toString(), '--codec', 'lzma']],
    ['to mark with the codec none', ['cid', 'mark', DIRECTORY.toString(), '--codec', 'none']],
    ['to mark an invalid CID', ['cid', 'mark', 'hello', '--codec', 'zstd']],
    ['to remove the mark of an invalid CID', ['cid', 'plain', 'hello']]
  ])('refuses %s', async ([, args], { sandbox }) => {
    expectFailure(await sandbox.run(args), 2)
  })
})

describe.concurrent('ipfsz codecs', () => {
  it('shows each codec with its implementation, levels and marker code', async ({ sandbox }) => {
    const result = await sandbox.run(['codecs'])

    expectSuccess(result)
    const rows = result.stdout.toString().trimEnd().split('\n').map(line => line.split('\t'))
    expect(rows.slice(1).map(([name, , , , code]) => [name, Number(code)]))
      .toEqual(allCodecs().map(({ name, code }) => [name, code]))
    expect(rows.find(([name]) => name === 'zstd')).toEqual(['zstd', 'native', '1-19', '3', '0x3f5a05'])
  })

  it('prints JSON with --json', async ({ sandbox }) => {
    const result = await sandbox.run(['codecs', '--json'])

    expectSuccess(result)
    expect(parseLines(result.stdout)).toContainEqual({
      name: 'gzip',
      implementation: 'native',
      levels: { min: 1, max: 9, default: 6 },
      code: '0x3f5a01'
    })
  })
})

describe.concurrent('the repo', () => {
  it('is ~/.ipfsz by default', async ({ sandbox }) => {
    const result = await sandbox.spawn(['add', '-'], { stdin: text(10_000), env: { IPFSZ_PATH: undefined } })

    expectSuccess(result)
    expect(await listBlocks(join(sandbox.directory, '.ipfsz'))).toHaveLength(1)
  })

  it('is the directory that IPFSZ_PATH names', async ({ sandbox }) => {
    const path = join(sandbox.directory, 'not', 'there', 'yet')

    expectSuccess(await sandbox.run(['add', '-'], { stdin: text(10_000), env: { IPFSZ_PATH: path } }))
    expect(await listBlocks(path)).toHaveLength(1)
  })

  it('is the usual one when --repo is empty', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    expectSuccess(await sandbox.run(['cat', '--repo', '', cid]))
  })

  it('is the directory of --repo, even if IPFSZ_PATH names another', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['--repo', 'here', 'add', '-'], { stdin: text(10_000) }))
    expect(await listBlocks(join(sandbox.directory, 'here'))).toHaveLength(1)
    expect(await listBlocks(sandbox.repo)).toEqual([])
  })

  it('is the directory of --repo after the command too', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['add', '-', '--repo', 'here'], { stdin: text(10_000) }))
    expect(await listBlocks(join(sandbox.directory, 'here'))).toHaveLength(1)
  })

  it('holds only what was added to it', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    expectFailure(await sandbox.run(['cat', cid, '--repo', 'other']), 1)
    expectSuccess(await sandbox.run(['cat', cid]))
  })
})

describe.concurrent('the command line', () => {
  it.for([['--help'], ['add --help'], ['cid mark --help'], [
    'help add'
  ]])('shows help on stdout for %s', async ([line], { sandbox }) => {
    const result = await sandbox.run(line.split(' '))

    expectSuccess(result)
    expect(result.stdout.toString()).toContain('Usage: ipfsz')
  })

  it('shows its version', async ({ sandbox }) => {
    const { version } = JSON.parse(
      await readFile(new URL('../../packages/cli/package.json', import.meta.url), 'utf8')
    ) as { version: string }

    const result = await sandbox.run(['--version'])

    expectSuccess(result)
    expect(result.stdout.toString()).toBe(`${version}\n`)
  })

  it('tells its version, with --json that of Node too', async ({ sandbox }) => {
    const [plain, short, json] = await Promise.all(
      [['version'], ['--version'], ['version', '--json']].map(async args => sandbox.run(args))
    )

    expect(plain.stdout.toString()).toBe(`ipfsz ${short.stdout}`)
    expect(parseLines(json.stdout)).toEqual([{
      version: short.stdout.toString().trim(),
      node: process.versions.node,
      platform: process.platform,
      arch: process.arch
    }])
  })

  it.for<[string, string[]]>([['ipfsz', []], [
    'ipfsz cid',
    ['cid']
  ]])('shows help on stderr for %s alone, and exits with 2', async ([, args], { sandbox }) => {
    const result = await sandbox.run(args)

    expect(result).toMatchObject({ code: 2, stdout: Buffer.alloc(0) })
    expect(result.stderr).toContain('Usage: ipfsz')
  })

  it.for<[string, string[]]>([
    ['an unknown command', ['frobnicate']],
    ['a misspelled command', ['ad', 'a']],
    ['an unknown option', ['add', '--frobnicate', 'a']],
    ['a misspelled option', ['cat', 'x', '--ofset', '1']],
    ['add without a file', ['add']],
    ['cat without a CID', ['cat']],
    ['cat of two CIDs', ['cat', DIRECTORY.toString(), DIRECTORY.toString()]],
    ['get without a CID', ['get']],
    ['stat without a CID', ['stat']],
    ['an option without its value', ['cat', DIRECTORY.toString(), '--offset']]
  ])('refuses %s', async ([, args], { sandbox }) => {
    expectFailure(await sandbox.run(args), 2)
  })

  it.for([
    ['frobnicate', 'ipfsz --help'],
    ['get --forec x', 'ipfsz get --help'],
    ['pin frobnicate', 'ipfsz pin --help'],
    ['pin add', 'ipfsz pin add --help']
  ])('names the help that lists what ipfsz %s could be', async ([line, help], { sandbox }) => {
    expect((await sandbox.run(line.split(' '))).stderr).toMatch(new RegExp(` \\(see ${help}\\)\\n$`))
  })

  it('adds the stack to an error with --verbose', async ({ sandbox }) => {
    await sandbox.add(text(10_000))
    const result = await sandbox.run(['--verbose', 'cat', DIRECTORY.toString()])
    const [first, ...stack] = result.stderr.trimEnd().split('\n')

    expect(result.code).toBe(1)
    expect(first).toMatch(/^ipfsz: /)
    expect(stack[0]).toMatch(/^NotFoundError: /)
    expect(stack[1]).toMatch(/^ {4}at /)
    expect(stack.join('\n')).toContain('Caused by: ')
  })

  it('prints an error as one object on stderr with --json, and nothing on stdout', async ({ sandbox }) => {
    await sandbox.add(text(10_000))
    const { code, stdout, stderr } = await sandbox.run(['--json', 'cat', DIRECTORY.toString()])

    expect([code, stdout.toString()]).toEqual([1, ''])
    expect(parseLines(Buffer.from(stderr))).toEqual([{
      name: 'NotFoundError',
      message: expect.stringContaining('not in this repo'),
      cid: DIRECTORY.toString()
    }])
  })

  it('adds the stack to that object with --verbose', async ({ sandbox }) => {
    const { stderr } = await sandbox.run(['--json', '--verbose', 'cat', DIRECTORY.toString()])

    expect(parseLines(Buffer.from(stderr))).toEqual([
      expect.objectContaining({ name: 'RepoError', stack: expect.stringMatching(/^RepoError: .*\n {4}at /) })
    ])
  })

  it('prints an object for each path that fails, with the code of a system error', async ({ sandbox }) => {
    const { code, stderr } = await sandbox.run(['--json', 'add', 'missing', 'missing too'])

    expect(code).toBe(1)
    expect(parseLines(Buffer.from(stderr))).toMatchObject([
      { message: expect.stringContaining('missing: '), code: 'ENOENT' },
      { message: expect.stringContaining('missing too: '), code: 'ENOENT' },
      { name: 'IncompleteError' }
    ])
  })

  it.for([
    'frobnicate --json',
    'add --frobnicate a --json',
    '--json cat',
    'cat x --json',
    'add --level x a --json',
    'add --codec x a --json'
  ])('prints an object for the wrong arguments of "%s"', async (line, { sandbox }) => {
    const { code, stdout, stderr } = await sandbox.run(line.split(' '))

    expect([code, stdout.toString()]).toEqual([2, ''])
    expect(parseLines(Buffer.from(stderr))).toEqual([{ name: 'UsageError', message: expect.any(String) }])
  })

  it.for<[args: string[], suggested: string]>([
    [['help', 'verfy'], 'verify'],
    [['help', 'pin', 'lst'], 'ls'],
    [['verfy'], 'verify'],
    [['add', '--only-hsh', 'file'], '--only-hash']
  ])('suggests what %j may have meant', async ([args, suggested], { sandbox }) => {
    const result = await sandbox.run(args)

    expectFailure(result, 2)
    expect(result.stderr).toContain(`Did you mean ${suggested}?`)
  })

  it.for([['help', 'foo'], ['gc', '--only-hash'], ['pin', '--dry-run']])('suggests nothing far from %j', async (
    args,
    { sandbox }
  ) => {
    const result = await sandbox.run(args)

    expectFailure(result, 2)
    expect(result.stderr).not.toContain('Did you mean')
  })
})
