import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { expectSuccess, it, parseLines } from '../integration/run-cli.ts'
import { text } from '../support/data.ts'
import { startKubo } from '../support/network-kubo.ts'
import type { KuboNode } from '../support/network-kubo.ts'

let kubo: KuboNode

beforeAll(async () => { kubo = await startKubo() })
afterAll(async () => { await kubo.stop() })

describe('the gateway of Kubo', () => {
  it.for([
    ['as Kubo adds it by default', '--cid-version=0'],
    ['with raw leaves', '--cid-version=1'],
    ['as a trickle DAG', '--trickle']
  ])('sends a file %s', async ([, option], { sandbox }) => {
    const bytes = randomBytes(10_000_000)
    const cid = (await kubo.ipfs(['add', '-Q', option], bytes)).toString().trim()
    const whole = await sandbox.run(['cat', cid, '--gateway', kubo.gateway])
    const range = ['--offset', '5000000', '--length', '2000000']
    const part = await sandbox.run(['cat', cid, ...range, '--gateway', kubo.gateway], {
      env: { IPFSZ_PATH: join(sandbox.directory, 'other') }
    })

    expectSuccess(whole)
    expect(Buffer.compare(whole.stdout, bytes)).toBe(0)
    expect(Buffer.compare(part.stdout, bytes.subarray(5_000_000, 7_000_000))).toBe(0)
  })

  it('sends compressed files, by their marked CIDs', async ({ sandbox }) => {
    const bytes = text(20_000_000)
    const cid = await sandbox.add(bytes)
    await sandbox.run(['car', 'export', cid, '-o', 'a.car'])
    await kubo.ipfs(['dag', 'import', '--pin-roots=false', join(sandbox.directory, 'a.car')])
    const result = await sandbox.run(['cat', cid, '--gateway', kubo.gateway], {
      env: { IPFSZ_PATH: join(sandbox.directory, 'other') }
    })

    expectSuccess(result)
    expect(Buffer.compare(result.stdout, bytes)).toBe(0)
  })

  it('sends trees, sharded ones too, and answers by localhost', { tags: 'nightly' }, async ({ sandbox }) => {
    const tree = join(sandbox.directory, 'tree')
    await mkdir(join(tree, 'sub'), { recursive: true })
    await writeFile(join(tree, 'sub/file'), randomBytes(3_000_000))
    const name = 'a long name, so that the directory is sharded '.repeat(5)
    await Promise.all(Array.from({ length: 1200 }, async (_, i) => writeFile(join(tree, `${name}${i}`), `${i}`)))
    const cid = (await kubo.ipfs(['add', '-Qr', '--cid-version=1', tree])).toString().trim()
    const gateway = kubo.gateway.replace('127.0.0.1', 'localhost')

    const listed = await sandbox.run(['ls', cid, '--json', '--gateway', gateway])
    expect(parseLines(listed.stdout)).toHaveLength(1201)

    expectSuccess(await sandbox.run(['get', cid, '-o', 'got', '--gateway', gateway]).then(result => ({
      ...result,
      stdout: Buffer.alloc(0)
    })))
    expect(Buffer.compare(
      await readFile(join(sandbox.directory, 'got/sub/file')),
      await readFile(join(tree, 'sub/file'))
    )).toBe(0)
    expect(await readFile(join(sandbox.directory, `got/${name}7`), 'utf8')).toBe('7')
  })
})
