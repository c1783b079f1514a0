import { ipfsz } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect, vi } from 'vitest'
import { longText } from '../support/data.ts'
import { heliaClient, openFiles, peakMemory } from '../support/network-clients.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectSuccess, it } from './run-cli.ts'

const CLIENTS = 20
const FILES = 40

describe('a daemon', () => {
  it(`serves ${FILES} files to ${CLIENTS} stock Helia nodes at one time, in bounded memory, and closes what they opened`, async ({ sandbox }) => {
    const daemon = await startDaemon(sandbox)
    const originals = Array.from({ length: FILES }, (_, i) => longText(1_500_000 + i * 10_000, i + 1))
    const paths = await Promise.all(originals.map(async (bytes, i) => sandbox.write(`${i}.txt`, bytes)))
    const added = await sandbox.run(['add', '-Q', ...paths])
    expectSuccess(added)
    const files = added.stdout.toString().trim().split('\n').map((cid, i) => ({ cid: CID.parse(cid), bytes: originals[i] }))
    const before = await openFiles(daemon.pid)

    await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
      const helia = await heliaClient(daemon.address)

      try {
        const fs = ipfsz(helia)

        // each begins with another one
        for (let i = 0; i < FILES; i++) {
          const { cid, bytes } = files[(i + client * 2) % FILES]
          const fetched = Buffer.concat(await Array.fromAsync(fs.cat(cid)))

          expect(fetched.equals(bytes), `client ${client}, file ${cid}`).toBe(true)
        }
      } finally {
        await helia.stop()
      }
    }))

    expect(await peakMemory(daemon.pid)).toBeLessThan(600 * 1024 * 1024)
    await vi.waitFor(async () => { expect(await openFiles(daemon.pid)).toBeLessThanOrEqual(before) }, { timeout: 30_000 })
    expect((await sandbox.run(['peers'])).stdout.toString()).toBe('')
    expect(await daemon.stop()).toEqual({ code: 0, stderr: '' })
  })
})
