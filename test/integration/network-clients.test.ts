/** @module-tag nightly */
import { ipfsz } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { longText } from '../support/data.ts'
import { heliaClient, openFiles, peakMemory } from '../support/network-clients.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectSuccess, it } from './run-cli.ts'
import type { Helia } from 'helia'

const CLIENTS = 100
const FILES = 100
/** How many files each client fetches, all at once. Together they fetch every file. */
const FETCHES = 4
/** A daemon accepts at most 100 connections per second from one address. */
const CONNECT_AT_ONCE = 20

describe('a daemon', () => {
  it(`serves ${FILES} files to ${CLIENTS} stock Helia nodes at once in bounded memory, and closes every file`, async ({
    sandbox
  }) => {
    const daemon = await startDaemon(sandbox)
    const originals = Array.from({ length: FILES }, (_, i) => longText(500_000 + i * 10_000, i + 1))
    const paths = await Promise.all(originals.map(async (bytes, i) => sandbox.write(`${i}.txt`, bytes)))
    const added = await sandbox.run(['add', '-Q', ...paths])
    expectSuccess(added)
    const files = added.stdout.toString().trim().split('\n').map(
      (cid, i) => ({ cid: CID.parse(cid), bytes: originals[i] })
    )
    // what stays open once something was read: packs and their index
    const first = await heliaClient(daemon.address)
    await Array.fromAsync(ipfsz(first).cat(files[0].cid))
    await first.stop()
    const hasNoPeers = async (): Promise<void> => {
      expect((await sandbox.run(['peers'])).stdout.toString()).toBe('')
    }
    await vi.waitFor(hasNoPeers, { timeout: 120_000 })
    const before = await openFiles(daemon.pid)
    const clients: Helia[] = []
    const stop = async (): Promise<void> => { await Promise.all(clients.splice(0).map(async helia => helia.stop())) }
    onTestFinished(stop)

    for (let i = 0; i < CLIENTS; i += CONNECT_AT_ONCE) {
      clients.push(
        ...await Promise.all(Array.from({ length: CONNECT_AT_ONCE }, async () => heliaClient(daemon.address)))
      )
    }

    await Promise.all(clients.map(async (helia, client) => {
      // on a busy machine, a client may wait long for its turn: the test's own time limit ends it
      const fs = ipfsz(helia, { fetch: { timeout: 600_000 } })

      await Promise.all(Array.from({ length: FETCHES }, async (_, i) => {
        const { cid, bytes } = files[(client + i * 13) % FILES]
        const fetched = Buffer.concat(await Array.fromAsync(fs.cat(cid)))

        expect(fetched.equals(bytes), `client ${client}, file ${cid}`).toBe(true)
      }))
    }))

    expect(await peakMemory(daemon.pid)).toBeLessThan(600 * 1024 * 1024)
    await stop()
    await vi.waitFor(
      async () => { expect(await openFiles(daemon.pid)).toBeLessThanOrEqual(before) },
      { timeout: 120_000 }
    )
    await hasNoPeers()
    expect(await daemon.stop()).toEqual({ code: 0, stderr: '' })
  })
})
