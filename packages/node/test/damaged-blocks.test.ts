import { mkdir, rm, writeFile } from 'node:fs/promises'
import { ipfsz } from '@ipfsz/core'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FetchedStats } from '../src/network/fetched-stats.ts'
import { PeerSource } from '../src/network/sources/peer-source.ts'
import { repairDag } from '../src/dag/repair-dag.ts'
import { fakeNetwork, fetchNothing } from '../../../test/support/fake-network.ts'
import { makeStore, removeStore } from './temporary.ts'
import type { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import type { Ipfsz } from '@ipfsz/core'
import type { Network } from '../src/network/network.ts'
import type { Blockstore } from 'interface-blockstore'

const { signal } = new AbortController()
const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const bytes = new TextEncoder().encode('a block of some bytes '.repeat(1000))

interface Damaged {
  cid: CID
  repo: Blockstore
  files: Ipfsz
  fetched: FetchedStats
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

  const fetched = new FetchedStats()
  const network = fakeNetwork({ fetch, providerCount: async () => 2 })

  return { cid, repo, fetched, files: filesOf(repo, network, cid, fetched) }
}

function filesOf (blockstore: Blockstore, network: Network, root: CID, fetched = new FetchedStats()): Ipfsz {
  const source = fetched.count(new PeerSource({ network: async () => network, root, store: false }), signal)

  return ipfsz({ blockstore, sources: [source] }, { fetch: { timeout: 1000 } })
}

async function read (source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source))
}

describe.each([['uncompressed', false], ['compressed', true]])('a damaged block in a repo that stores blocks %s', (
  _,
  compressed
) => {
  it('is fetched again by a command that may use the network', async () => {
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes, sender: PEER }))
    const { cid, repo, files, fetched } = await damaged(fetch, compressed)

    const content = await read(files.cat(cid))

    expect(content.equals(bytes)).toBe(true)
    expect(fetch).toHaveBeenCalledOnce()
    expect(fetched).toMatchObject({ blocks: 1, replaced: 1 })
    expect((await read(ipfsz({ blockstore: repo }).cat(cid))).equals(bytes)).toBe(true)
  })

  it('is reported as damaged when no peer sends it', async () => {
    const { cid, files } = await damaged(fetchNothing, compressed)

    await expect(read(files.cat(cid)))
      .rejects.toMatchObject({ name: 'CorruptBlockError', cid, cause: { name: 'FetchStalledError', providers: 2 } })
  })

  it('is refused when peers send other bytes', async () => {
    const { cid, files } = await damaged(async () => ({ bytes: bytes.slice(1), sender: PEER }), compressed)

    await expect(read(files.cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })

  it('is refused by a command that may not use the network', async () => {
    const { cid, repo } = await damaged(async () => ({ bytes, sender: PEER }), compressed)

    await expect(read(ipfsz({ blockstore: repo }).cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })
})

describe('a directory in the place of a block', () => {
  it('counts as a damaged block, and is replaced by the one that is fetched', async () => {
    const { cid, repo, files } = await damaged(async () => ({ bytes, sender: PEER }))

    for await (const [{ path }] of (repo as SharedFsBlockstore).files()) {
      await rm(path)
      await mkdir(path)
    }

    expect((await read(files.cat(cid))).equals(bytes)).toBe(true)
    expect((await read(ipfsz({ blockstore: repo }).cat(cid))).equals(bytes)).toBe(true)
  })
})

describe('a block that the disk cannot read', () => {
  it('is fetched again, and stays damaged in a repair when no peer sends it', async () => {
    const { cid, repo } = await damaged(async () => ({ bytes, sender: PEER }))
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
    const network = fakeNetwork({ fetch: async () => ({ bytes, sender: PEER }) })

    expect((await read(filesOf(unreadable, network, cid).cat(cid))).equals(bytes)).toBe(true)
    expect(await Array.fromAsync(repairDag(cid, unreadable, { signal, fetch: async () => undefined })))
      .toMatchObject([{ cid, found: 'damaged', good: false }])
  })
})
