import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import type { RunOptions, RunResult, Sandbox } from './run-cli.ts'

async function codecOf ({ run }: Sandbox, ...args: string[]): Promise<unknown> {
  const result = await run(['add', '--json', '-', ...args], { stdin: text(10_000) })
  expectSuccess(result)

  return parseLines(result.stdout)[0].codec
}

/** Fetch what nobody has: the error names the gateways that were asked. */
async function fetchFrom ({ run }: Sandbox, args: string[], env?: RunOptions['env']): Promise<RunResult> {
  return run(
    ['cat', 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi', '--timeout', '5s', ...args],
    { env }
  )
}

describe.concurrent('ipfsz config', () => {
  it('changes the default of an option, which the command line changes again', async ({ sandbox }) => {
    const { run } = sandbox
    expect(await codecOf(sandbox)).toBe('zstd')
    expectSuccess(await run(['config', 'set', 'add.codec', 'lz4']))

    expect(await codecOf(sandbox)).toBe('lz4')
    expect(await codecOf(sandbox, '--codec', 'gzip')).toBe('gzip')
    expect(await codecOf(sandbox, '--codec', 'zstd')).toBe('zstd')
    expect(await codecOf(sandbox, '--no-config')).toBe('zstd')
    expect(await codecOf(sandbox, '--repo', 'other')).toBe('zstd')
    expectSuccess(await run(['config', 'rm', 'add.codec']))
    expect(await codecOf(sandbox)).toBe('zstd')
  })

  it('keeps what several processes set at once', async ({ sandbox }) => {
    const keys = ['add.codec=lz4', 'add.hidden=true', 'daemon.provide=all', 'gateway.cache=1GiB', 'add.gitignore=true']
    const results = await Promise.all(keys.map(async key => sandbox.spawn(['config', 'set', ...key.split('=')])))
    results.forEach(result => { expectSuccess(result) })

    const rows = parseLines((await sandbox.run(['config', 'ls', '--json'])).stdout)
    expect(rows.map(({ key }) => key).toSorted()).toEqual(keys.map(key => key.split('=')[0]).toSorted())
  })

  it('uses the level only for the codec that is set with it', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['config', 'set', 'add.level', '19']))

    // gzip has at most 9
    expect(await codecOf(sandbox, '--codec', 'gzip')).toBe('gzip')
    expectFailure(await sandbox.run(['add', '-', '--codec', 'gzip', '--level', '19'], { stdin: text(10) }), 2)
  })

  it('sets nothing that needs an option that is not there', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['config', 'set', 'gateway.cache', '1GiB']))
    expectSuccess(await sandbox.run(['config', 'set', 'gateway.listen', 'no address']))

    const result = await sandbox.run(['gateway'])
    expectFailure(result, 2)
    expect(result.stderr).toContain('no address')
  })

  it('takes gateways from the command line, then from the environment, then from the settings', async ({ sandbox }) => {
    await sandbox.add(text(10))
    expectSuccess(await sandbox.run(['config', 'set', 'gateways', 'http://127.0.0.1:1']))

    expect((await fetchFrom(sandbox, [])).stderr).toContain('127.0.0.1:1/')
    expect((await fetchFrom(sandbox, [], { IPFSZ_GATEWAYS: 'http://127.0.0.1:2' })).stderr).toContain('127.0.0.1:2/')
    const env = { IPFSZ_GATEWAYS: 'http://127.0.0.1:2' }
    expect((await fetchFrom(sandbox, ['--gateway', 'http://127.0.0.1:3'], env)).stderr).toContain('127.0.0.1:3/')
  })

  it('creates the directory of a repo, which is then created in it', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['config', 'set', 'add.codec', 'brotli']))
    expect(JSON.parse(await readFile(join(sandbox.repo, 'config.json'), 'utf8'))).toEqual({ 'add.codec': 'brotli' })
    expect(await codecOf(sandbox)).toBe('brotli')
    expectSuccess(await sandbox.run(['init']))
    expectSuccess(await sandbox.run(['verify', '--all']))
  })

  it.for<[string, string, string]>([
    ['a damaged file', '{', 'config.json'],
    ['a list', '[]', 'config.json'],
    ['a value of another type', '{"add.codec":{}}', 'add.codec'],
    ['an unknown setting', '{"add.codek":"zstd"}', 'add.codec'],
    ['a value that the option does not take', '{"add.codec":"lzma"}', 'add.codec']
  ])('refuses %s, but not to mend it', async ([, content, named], { sandbox }) => {
    await sandbox.add(text(10))
    await writeFile(join(sandbox.repo, 'config.json'), content)
    const result = await sandbox.run(['add', '-', '--json'], { stdin: text(10) })

    expect(result.code).toBe(2)
    expect(JSON.parse(result.stderr)).toMatchObject({ name: 'ConfigError', message: expect.stringContaining(named) })
    expectSuccess(await sandbox.run(['add', '-', '--no-config'], { stdin: text(10) }))
    expectSuccess(await sandbox.run(['version']))

    if (content.includes('"add') && !content.includes('{}')) {
      expectSuccess(await sandbox.run(['config', 'rm', ...Object.keys(JSON.parse(content) as object)]))
      expectSuccess(await sandbox.run(['add', '-'], { stdin: text(10) }))
    }
  })
})

describe.concurrent('ipfsz add --dry-run', () => {
  it('tells what would be newly stored, and stores nothing', async ({ sandbox }) => {
    const { run, repo } = sandbox
    await sandbox.write('file', text(50_000))
    const dry = parseLines((await run(['add', '--json', '--dry-run', 'file'])).stdout)
    expectFailure(await run(['stats']), 1)

    const real = parseLines((await run(['add', '--json', 'file'])).stdout)
    expect(dry[0]).toMatchObject({ cid: real[0].cid, storedSize: real[0].storedSize })
    expect(dry[0].newSize).toBeGreaterThanOrEqual(Number(real[0].storedSize))

    await sandbox.write('file', text(60_000))
    const before = await run(['stats', '--json', '--repo', repo])
    const again = parseLines((await run(['add', '--json', '--dry-run', 'file'])).stdout)
    expect(Number(again[0].newSize)).toBeGreaterThan(0)
    expect((await run(['stats', '--json'])).stdout).toEqual(before.stdout)
    await sandbox.write('file', text(50_000))
    expect(parseLines((await run(['add', '--json', '--dry-run', 'file'])).stdout)[0]).toMatchObject({ newSize: 0 })
  })

  it('counts only the differences to an earlier version, and adds none to its history', async ({ sandbox }) => {
    const { run } = sandbox
    await sandbox.write('file', text(300_000))
    expectSuccess(await run(['add', '--base', 'latest', 'file']))
    await sandbox.write('file', Buffer.concat([text(300_000), Buffer.from('more')]))
    const [dry] = parseLines((await run(['add', '--json', '--dry-run', '--base', 'latest', 'file'])).stdout)

    expect(dry.newSize).toBeLessThan(2000)
    expect(parseLines((await run(['log', '--json', 'file'])).stdout)).toHaveLength(1)
    const [real] = parseLines((await run(['add', '--json', '--base', 'latest', 'file'])).stdout)
    expect(dry).toMatchObject({ cid: real.cid, newSize: real.newSize })
  })
})
