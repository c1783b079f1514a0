import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { it } from '../integration/run-cli.ts'
import { longText } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { startKubo } from '../support/network-kubo.ts'
import { pinningService } from './pinning-service.ts'
import type { KuboNode } from '../support/network-kubo.ts'
import type { PinningService } from './pinning-service.ts'

/** The node of a user of the service. */
let kubo: KuboNode
/** The node of the service. */
let theirs: KuboNode
let service: PinningService

beforeAll(async () => {
  kubo = await startKubo()
  theirs = await startKubo({ bootstrap: [kubo.address] })
  service = await pinningService(theirs)
  await kubo.ipfs(['pin', 'remote', 'service', 'add', 'service', service.url, 'key'])
})
afterAll(async () => {
  await service.close()
  await Promise.all([kubo.stop(), theirs.stop()])
})

describe('a pinning service', () => {
  it('pins a file of an ipfsz daemon by its plain CID, and another ipfsz reads it from there', async ({ sandbox }) => {
    const bytes = longText(5_000_000)
    const daemon = await startDaemon(sandbox, { bootstrap: [kubo.address] })
    const marked = await sandbox.add(bytes)
    const plain = (await sandbox.run(['cid', 'plain', marked])).stdout.toString().trim()

    await kubo.ipfs(['pin', 'remote', 'add', '--service=service', '--name=a name', plain])
    await daemon.stop()

    expect((await kubo.ipfs(['pin', 'remote', 'ls', '--service=service'])).toString())
      .toMatch(new RegExp(`^${plain}\\s+pinned\\s+a name`))
    expect(zstdDecompressSync(await theirs.ipfs(['--offline', 'cat', plain])).equals(bytes)).toBe(true)

    const env = { IPFSZ_BOOTSTRAP: theirs.address }
    expect(
      (await sandbox.run(['cat', marked, '--repo', join(sandbox.directory, 'other')], { env })).stdout.equals(bytes)
    ).toBe(true)
  })

  it('fails to pin a marked CID', async ({ sandbox }) => {
    await startDaemon(sandbox, { bootstrap: [kubo.address] })
    const marked = await sandbox.add(longText(1_000_000, 3))

    await expect(kubo.ipfs(['pin', 'remote', 'add', '--service=service', marked])).rejects.toThrow('ended with 1')
    expect(service.asked).toContain(marked)
  })
})
