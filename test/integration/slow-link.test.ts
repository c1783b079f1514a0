/** @module-tag nightly */
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, onTestFinished } from 'vitest'
import { noise } from '../support/data.ts'
import { heliaProvider } from '../support/network-clients.ts'
import { networkProxy } from '../support/network-proxy.ts'
import { it } from './run-cli.ts'

const MB = 1e6

/** Bytes per second. The file takes twice as long as libp2p waits for the answer to a ping. */
const RATE = MB
const SIZE = 10 * MB

/** A blockstore that counts the bytes read from it. */
class ReadBlockstore extends MemoryBlockstore {
  read = 0

  override async * get (...args: Parameters<MemoryBlockstore['get']>): AsyncGenerator<Uint8Array> {
    for await (const block of super.get(...args)) {
      this.read += block.byteLength
      yield block
    }
  }
}

describe('a file from a stock Helia node over a slow link', () => {
  it('arrives over one connection, with at most 2 seconds of blocks requested ahead', async ({ sandbox }) => {
    const blockstore = new ReadBlockstore()
    const bytes = noise(SIZE)
    const cid = await ipfsz({ blockstore }).addBytes(bytes)
    blockstore.read = 0

    const { helia, port, peerId } = await heliaProvider(blockstore)
    const ahead: number[] = []
    const proxy = await networkProxy(port, {
      rate: RATE,
      onReceived: received => { ahead.push(blockstore.read - received) }
    })
    onTestFinished(async () => {
      await proxy.close()
      await helia.stop()
    })

    const result = await sandbox.run([
      'cat',
      cid.toString(),
      '--peer',
      `/ip4/127.0.0.1/tcp/${proxy.port}/p2p/${peerId}`
    ])

    expect(result.code, result.stderr).toBe(0)
    expect(result.stdout.equals(bytes)).toBe(true)
    expect(proxy.connections).toBe(1)
    // what arrives in 2 seconds, and one block more
    expect(Math.max(...ahead)).toBeLessThan(RATE * 2 + 1.1 * MB)
  })
})
