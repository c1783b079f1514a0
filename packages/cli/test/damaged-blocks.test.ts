import { writeFile } from 'node:fs/promises'
import { FetchStalledError, ipfsz } from '@ipfsz/core'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NetworkBlockstore } from '../src/network/blockstore.ts'
import { repairDag } from '../src/dag/repair-dag.ts'
import { fakeNetwork } from './fake-network.ts'
import { makeStore, removeStore } from './temporary.ts'
import type { Network } from '../src/network/network.ts'
import type { Blockstore } from 'interface-blockstore'

const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const bytes = new TextEncoder().encode('a block of some bytes '.repeat(1000))

interface Damaged {
  cid: CID
  repo: Blockstore
  store: NetworkBlockstore
}

/** A repo with one block, which is damaged on disk. */
async function damaged (fetch: Network['fetch'], compressed = false): Promise<Damaged> {
  const disk = await makeStore()
  onTestFinished(async () => { await removeStore(disk) })
  const repo = compressed ? new CompressedBlockstore(disk, { codec: 'zstd' }) : disk
  const cid = CID.createV1(raw.code, await sha256.digest(bytes))
  await repo.put(cid, bytes)

  for await (const [{ path }] of disk.files()) {
    await writeFile(path, compressed ? 'no envelope, and no block' : bytes.slice(0, 100))
  }

  const store = new NetworkBlockstore({
    blockstore: repo,
    network: async () => fakeNetwork({ fetch }),
    root: cid,
    timeout: 1000,
    signal: new AbortController().signal
  })

  return { cid, repo, store }
}

async function read (source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source))
}

describe.each([['uncompressed', false], ['compressed', true]])('a damaged block in a repo that stores blocks %s', (
  _,
  compressed
) => {
  it('is fetched again by a command that may use the network', async () => {
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes, peerId: PEER }))
    const { cid, store } = await damaged(fetch, compressed)

    const content = await read(ipfsz({ blockstore: store }).cat(cid))

    expect(content.equals(bytes)).toBe(true)
    expect(fetch).toHaveBeenCalledOnce()
    expect(store.fetched).toMatchObject({ blocks: 1, replaced: 1 })
  })

  it('is reported as damaged when no peer sends it', async () => {
    const { cid, store } = await damaged(
      async (cid, { timeout }) => { throw new FetchStalledError(cid, timeout, { providers: 2 }) },
      compressed
    )

    await expect(read(ipfsz({ blockstore: store }).cat(cid)))
      .rejects.toMatchObject({ name: 'CorruptBlockError', cid, cause: { name: 'FetchStalledError', providers: 2 } })
  })

  it('is refused when peers send other bytes', async () => {
    const { cid, store } = await damaged(async () => ({ bytes: bytes.slice(1), peerId: PEER }), compressed)

    await expect(read(ipfsz({ blockstore: store }).cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })

  it('is refused by a command that may not use the network', async () => {
    const { cid, repo } = await damaged(async () => ({ bytes, peerId: PEER }), compressed)

    await expect(read(ipfsz({ blockstore: repo }).cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })
})

describe('a block that the disk cannot read', () => {
  it('is fetched again, and stays damaged in a repair when no peer sends it', async () => {
    const { cid, repo } = await damaged(async () => ({ bytes, peerId: PEER }))
    const unreadable = {
      get: () => {
        throw Object.assign(new Error('could not read'), {
          name: 'GetFailedError',
          cause: Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
        })
      },
      put: repo.put.bind(repo),
      has: async () => true
    } as unknown as Blockstore
    const signal = new AbortController().signal
    const store = new NetworkBlockstore({
      blockstore: unreadable,
      network: async () => fakeNetwork({ fetch: async () => ({ bytes, peerId: PEER }) }),
      root: cid,
      timeout: 1000,
      signal
    })

    expect((await read(ipfsz({ blockstore: store }).cat(cid))).equals(bytes)).toBe(true)
    expect(await Array.fromAsync(repairDag(cid, unreadable, { signal, fetch: async () => undefined })))
      .toMatchObject([{ cid, found: 'damaged', good: false }])
  })
})
