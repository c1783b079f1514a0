/** @module-tag slow */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { longText, text } from '../support/data.ts'
import { expectIntact } from './repo.ts'
import { expectFailure, expectSuccess, it } from './run-cli.ts'

const MIB = 1024 * 1024

describe('a full disk', () => {
  it.for([0, 1, 2, 5])('is reported in one line after %d writes, and the repo stays usable', async (
    writes,
    { sandbox }
  ) => {
    const before = await sandbox.add(text(100_000))
    const bytes = longText(20 * MIB)

    const result = await sandbox.spawn(
      ['add', '-'],
      { stdin: bytes, preload: 'full-disk.ts', env: { WRITES_LEFT: String(writes) } }
    )

    expectFailure(result, 1)
    expect(result.stderr).toContain('disk is full')
    await expectIntact(sandbox.repo)
    expect((await sandbox.run(['cat', before])).stdout.equals(text(100_000))).toBe(true)
    expect((await sandbox.run(['cat', await sandbox.add(bytes)])).stdout.equals(bytes)).toBe(true)
  })

  it('is reported when add creates the repo', async ({ sandbox }) => {
    expectFailure(
      await sandbox.spawn(['add', '-'], { stdin: text(1000), preload: 'full-disk.ts', env: { WRITES_LEFT: '0' } }),
      1
    )
    expect(await sandbox.add(text(1000))).not.toBe('')
  })

  it('is reported by get, which keeps the target and leaves no temporary file', async ({ sandbox }) => {
    await sandbox.write('out', text(1000))
    const cid = await sandbox.add(longText(20 * MIB))

    const result = await sandbox.spawn(['get', cid, '-o', 'out', '--force'], {
      preload: 'full-disk.ts',
      env: { WRITES_LEFT: '2' }
    })

    expectFailure(result, 1)
    expect(result.stderr).toContain('disk is full')
    expect(await readdir(sandbox.directory)).toEqual(['out', 'repo'])
    expect((await readFile(join(sandbox.directory, 'out'))).equals(text(1000))).toBe(true)
  })

  it('is reported when stdout is redirected to it', async ({ sandbox }) => {
    const cid = await sandbox.add(text(100_000))

    expectFailure(await sandbox.shell(`ipfsz cat ${cid} > /dev/full`), 1)
    expectFailure(await sandbox.shell(`ipfsz stat ${cid} > /dev/full`), 1)
  })
})

describe('a script', () => {
  it('goes on to write where the command has written', async ({ sandbox }) => {
    // to sockets, of which those of the shell are made by Node
    const result = await sandbox.shell('ipfsz --version && ipfsz nothing; echo next; echo next >&2; ipfsz --version')

    expect(result).toMatchObject({ code: 0, signal: null })
    expect(String(result.stdout).split('\n')[1]).toBe('next')
    expect(String(result.stdout).split('\n')).toHaveLength(4)
    expect(result.stderr).toMatch(/^ipfsz: .*\n(.*\n)*next\n$/)
  })
})

describe('stdout closed early', () => {
  it('ends cat quietly', async ({ sandbox }) => {
    const bytes = longText(20 * MIB)
    const cid = await sandbox.add(bytes)

    const result = await sandbox.shell(`ipfsz cat ${cid} | head -c 10`)

    expectSuccess(result)
    expect(result.stdout.equals(bytes.subarray(0, 10))).toBe(true)
  })

  it.for([
    ['stat', 'stat CID'],
    ['codecs', 'codecs'],
    ['help', 'add --help']
  ])('ends %s quietly', async ([, line], { sandbox }) => {
    await sandbox.write('a', text(100_000))
    const cid = await sandbox.add(text(100_000))

    expectSuccess(await sandbox.shell(`ipfsz ${line.replace('CID', cid)} | true`))
  })

  it('does not keep add from adding the rest, and from saying that a path failed', async ({ sandbox }) => {
    await sandbox.write('a', text(100_000))
    // its size has the first one printed before it is read
    await sandbox.write('b', longText(2 * MIB))
    await sandbox.write('c', text(50_000))

    const result = await sandbox.shell(
      '{ ipfsz add a b c; echo "exit $?" >&2; ipfsz add b lost a; echo "exit $?" >&2; } | true'
    )
    const pins = await sandbox.run(['pin', 'ls'])

    expect(result.stderr).toMatch(/^exit 0\nipfsz: lost: no such file [^\n]+\nipfsz: 1 of 3 [^\n]+\nexit 1\n$/)
    expect(pins.stdout.toString().trim().split('\n')).toHaveLength(3)
  })

  it('ends get and car export that print a file', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(20 * MIB))

    for (const line of [`get ${cid} -o -`, `car export ${cid} -o -`]) {
      const { stderr } = await sandbox.shell(`{ ipfsz ${line}; echo "exit $?" >&2; } | true`)

      expect(stderr).toBe('exit 0\n')
    }
  })
})
