import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NetworkBlockstore } from '../src/network/blockstore.ts'
import { GatewayBlocks } from '../src/network/gateway-blocks.ts'
import { fakeNetwork } from './fake-network.ts'
import { makeBlock } from './nodes.ts'
import { makeStore, removeStore } from './temporary.ts'
import type { HttpSource } from '@ipfsz/core/http'

const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const GATEWAY = 'http://127.0.0.1:8080/'

/** Gateways that send nothing. */
const silent: HttpSource['fetch'] = async (_, { signal } = {}) => new Promise((_resolve, reject) => {
  signal?.addEventListener('abort', () => { reject(signal.reason as Error) })
})

async function make (fetch: HttpSource['fetch'], patience: number): Promise<{
  gateways: GatewayBlocks
  store: Awaited<ReturnType<typeof makeStore>>
}> {
  const store = await makeStore()
  onTestFinished(async () => { await removeStore(store) })

  return { store, gateways: new GatewayBlocks({ fetch }, store, patience) }
}

function fakeTime (): void {
  vi.useFakeTimers()
  onTestFinished(() => { vi.useRealTimers() })
}

describe('GatewayBlocks', () => {
  it('are given up if no block arrives in time: then peers are asked', async () => {
    const { cid, bytes } = await makeBlock(1)
    const other = await makeBlock(2)
    const ask = vi.fn(silent)
    const { gateways, store } = await make(ask, 10)
    const blocks = new NetworkBlockstore({
      blockstore: store,
      gateways,
      network: async () => fakeNetwork({
        fetch: async wanted => ({ peerId: PEER, bytes: wanted.equals(cid) ? bytes : other.bytes })
      }),
      root: cid,
      timeout: 1000,
      signal: new AbortController().signal
    })

    expect(Buffer.concat(await Array.fromAsync(blocks.get(cid)))).toEqual(Buffer.from(bytes))
    expect(Buffer.concat(await Array.fromAsync(blocks.get(other.cid)))).toEqual(Buffer.from(other.bytes))
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('are waited for while other blocks arrive', async () => {
    const [late, soon] = [await makeBlock(1), await makeBlock(2)]
    const { gateways } = await make(async (cid, options) => cid.equals(late.cid)
      ? silent(cid, options)
      : { bytes: soon.bytes, gateway: GATEWAY }, 1000)
    const settled = vi.fn()

    fakeTime()
    void gateways.fetch(late.cid, {}).then(settled)
    await vi.advanceTimersByTimeAsync(900)
    const arrived = gateways.fetch(soon.cid, {})
    await vi.advanceTimersByTimeAsync(900)
    expect(settled).not.toHaveBeenCalled()

    await vi.advanceTimersByTimeAsync(200)
    expect(settled).toHaveBeenCalledWith(undefined)
    vi.useRealTimers()
    expect(await arrived).toMatchObject({ gateway: GATEWAY })
  })

  it('are not waited for longer if a read asks again', async () => {
    const { cid } = await makeBlock(1)
    const { gateways } = await make(silent, 1000)

    fakeTime()

    const attempt = new AbortController()
    const first = gateways.fetch(cid, { signal: attempt.signal })
    first.catch(() => {})
    await vi.advanceTimersByTimeAsync(900)
    attempt.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })

    const settled = vi.fn()
    void gateways.fetch(cid, {}).then(settled)
    await vi.advanceTimersByTimeAsync(200)
    expect(settled).toHaveBeenCalledWith(undefined)
  })
})
