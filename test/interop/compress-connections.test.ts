import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { expectSuccess, it } from '../integration/run-cli.ts'
import { longText } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { startKubo } from '../support/network-kubo.ts'
import type { KuboNode } from '../support/network-kubo.ts'

const ARGS = ['--compress-connections']

let kubo: KuboNode

beforeAll(async () => { kubo = await startKubo() })
afterAll(async () => { await kubo.stop() })

// Kubo cannot compress: what goes over its connections was plain
describe('Kubo and an ipfsz daemon that compresses connections', () => {
  it('Kubo dials it, and fetches an uncompressed file', async ({ sandbox }) => {
    const bytes = longText(3_000_000)
    const added = await sandbox.run(['add', '-Q', '--codec', 'none', await sandbox.write('file', bytes)])
    expectSuccess(added)
    const daemon = await startDaemon(sandbox, { args: ARGS })

    await kubo.ipfs(['swarm', 'connect', daemon.address])
    const got = await kubo.ipfs(['cat', added.stdout.toString().trim()], undefined, AbortSignal.timeout(60_000))

    expect(Buffer.compare(got, bytes)).toBe(0)
  })

  it('it dials Kubo, and fetches a file', async ({ sandbox }) => {
    const bytes = longText(3_100_000)
    const cid = (await kubo.ipfs(['add', '-Q', '--cid-version=1'], bytes)).toString().trim()
    const copy = join(sandbox.directory, 'copy')
    await startDaemon(sandbox, { args: ARGS })

    expectSuccess(await sandbox.run(['connect', kubo.address]))
    expectSuccess(await sandbox.run(['get', cid, '-o', copy]))

    expect(Buffer.compare(await readFile(copy), bytes)).toBe(0)
  })
})
