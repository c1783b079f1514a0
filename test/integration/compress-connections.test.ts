/** @module-tag long */
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { countingProxy } from '../support/counting-proxy.ts'
import { longText } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

const FLAG = '--compress-connections'
const BYTES = longText(3_000_000)

interface Side {
  /** Options of its daemon. */
  args: readonly string[]
}

/** Let a daemon fetch an original from another one, and return how many bytes it received for it. */
async function fetchOriginal (sandbox: Sandbox, from: Side, to: Side): Promise<number> {
  const repo = join(sandbox.directory, 'fetching')
  await sandbox.add(BYTES, '--link')
  const indexed = await sandbox.run(['originals', 'index', '--json'])
  expectSuccess(indexed)
  const { original } = parseLines(indexed.stdout)[0] as { original: string }
  const [provider, fetching] = [
    await startDaemon(sandbox, { args: ['--serve-originals', ...from.args] }),
    await startDaemon(sandbox, { repo, args: to.args })
  ]
  const proxy = await countingProxy(Number(provider.address.split('/')[4]))
  onTestFinished(async () => { await proxy.close() })

  expectSuccess(
    await sandbox.run(['connect', `/ip4/127.0.0.1/tcp/${proxy.port}/p2p/${provider.peerId}`, '--repo', repo])
  )
  const { code, stdout, stderr } = await sandbox.run(['cat', original, '--repo', repo])

  expect(code, stderr).toBe(0)
  expect(Buffer.compare(stdout, BYTES)).toBe(0)
  await Promise.all([provider.stop(), fetching.stop()])

  return proxy.received
}

describe('ipfsz daemon --compress-connections', () => {
  it('sends originals in fewer bytes to a daemon that has it too', async ({ sandbox }) => {
    expect(await fetchOriginal(sandbox, { args: [FLAG] }, { args: [FLAG] })).toBeLessThan(BYTES.byteLength / 2)
  })

  it('sends them as they are to a daemon without it', async ({ sandbox }) => {
    expect(await fetchOriginal(sandbox, { args: [FLAG] }, { args: [] })).toBeGreaterThan(BYTES.byteLength)
  })
})
