import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PeerGateways } from '../src/fetch/libp2p/index.ts'
import { ipfsz } from '../src/index.ts'
import { encodeCar as encode, encodeSection, startGateway } from './fake-gateway.ts'
import { collect, CountingBlockstore, getBlock, leavesOf, noise } from './fixtures.ts'
import { putDirectory } from './trees.ts'
import type { Asked, FakeGateway } from './fake-gateway.ts'
import type { ReadPlan } from '../src/fetch/http/index.ts'
import type { HttpPeer, HttpPeers } from '../src/fetch/libp2p/index.ts'
import type { BlockSource } from '../src/index.ts'
import type { CID } from 'multiformats/cid'

const MIB = 1024 * 1024
const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const SURE: HttpPeer = { id: PEER, isSure: true }

interface Setup {
  /** Whether the peer is known at first, or only after the root was fetched. */
  known?: boolean
  plan?: ReadPlan
  /** A plan that the peers are made with, in place of one for each block. */
  always?: ReadPlan
  answer?: (asked: Asked) => Promise<void>
  peers?: HttpPeers['find']
  ask?: HttpPeers['fetch']
  /** Whether the next source is asked for the root at the same time. */
  races?: boolean
}

interface Reader {
  fs: ReturnType<typeof ipfsz>
  gateway: FakeGateway
  peers: PeerGateways
  /** Forget the plan. */
  dropPlan: () => void
  /** What Bitswap was asked for. */
  others: CID[]
  /** Who sent blocks, by peer id. */
  senders: Array<string | undefined>
}

/** Reads below a root from a peer over HTTP, and from another source. */
async function readerOf (root: CID, blocks: CountingBlockstore, setup: Setup = {}): Promise<Reader> {
  const { known = false, answer } = setup
  let { plan } = setup
  const gateway = await startGateway(blocks, answer)
  const others: CID[] = []
  const senders: Array<string | undefined> = []
  const find = setup.peers ?? (async () => known || others.length > 0 ? [SURE] : [])
  const bitswap: BlockSource = {
    fetch: async cid => {
      others.push(cid)

      return { bytes: await getBlock(cid, blocks) }
    }
  }
  const peers = new PeerGateways({
    root,
    plan: setup.always,
    next: setup.races === true ? bitswap : undefined,
    peers: {
      find,
      // what stands for libp2p has the same path on loopback
      fetch: setup.ask ?? (async (id, url, init) => {
        expect(id).toBe(PEER)
        expect(url.host).toMatch(/^k51/)

        return fetch(new URL(`${url.pathname}${url.search}`, gateway.url), init)
      })
    }
  })
  const noting: BlockSource = {
    fetch: async (cid, options) => {
      const block = await peers.fetch(cid, { ...options, plan })
      senders.push(block.sender)

      return block
    }
  }

  onTestFinished(() => { peers.close() })

  return {
    fs: ipfsz({ blockstore: new MemoryBlockstore(), sources: [noting, bitswap] }),
    gateway,
    peers,
    dropPlan: () => { plan = undefined },
    others,
    senders
  }
}

interface File {
  cid: CID
  bytes: Uint8Array
  blockstore: CountingBlockstore
  leaves: CID[]
}

/** A plain file with 5 leaves of 1 MiB, made once. */
let file: Promise<File> | undefined

async function plainFile (): Promise<File> {
  return file ??= (async () => {
    const blockstore = new CountingBlockstore()
    const bytes = noise(5 * MIB)
    const cid = await ipfsz({ blockstore }).addBytes(bytes, { compression: { codec: 'none' } })

    return { cid, bytes, blockstore, leaves: await leavesOf(cid, blockstore) }
  })()
}

describe('PeerGateways', () => {
  it('leaves the root to the next source, and then brings the file with one request', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const { fs, gateway, others, senders } = await readerOf(cid, blockstore)

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(others.map(String)).toEqual([cid.toString()])
    expect(gateway.requests).toEqual([expect.stringContaining('dag-scope=entity&entity-bytes=0:')])
    expect(new Set(senders)).toEqual(new Set([PEER]))
  })

  it('brings the root with the same request if a peer is known to have it', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const plan = { path: '', scope: 'entity' } as const
    const { fs, gateway, others } = await readerOf(cid, blockstore, { known: true, plan })

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(others).toEqual([])
    expect(gateway.requests).toHaveLength(1)
  })

  it('brings a file of one block with one request if it knows that all of it will be read', async () => {
    const blockstore = new CountingBlockstore()
    const bytes = Buffer.from(Buffer.from(noise(200_000)).toString('hex'))
    const cid = await ipfsz({ blockstore }).addBytes(bytes)
    const always = { path: '', scope: 'entity' } as const
    const { fs, gateway, others } = await readerOf(cid, blockstore, { known: true, always })

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(others).toEqual([])
    expect(gateway.requests).toEqual([expect.stringContaining('dag-scope=entity')])
    expect(await leavesOf(cid, blockstore)).toHaveLength(1)
  })

  it('asks for exactly the range that is read', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const { fs, gateway } = await readerOf(cid, blockstore)
    const range = { offset: 2 * MIB, length: 2 * MIB }

    const got = await collect(fs.cat(cid, range))
    expect(Buffer.compare(got, bytes.subarray(range.offset, range.offset + range.length))).toBe(0)
    expect(gateway.requests).toEqual([expect.stringContaining(`entity-bytes=${2 * MIB}:${4 * MIB - 1}`)])
  })

  it('leaves a block alone to the next source', async () => {
    const { cid, bytes, blockstore, leaves } = await plainFile()
    const { fs, gateway, others } = await readerOf(cid, blockstore)

    expect(Buffer.compare(await collect(fs.cat(cid, { offset: MIB, length: 10 })), bytes.subarray(MIB, MIB + 10)))
      .toBe(0)
    expect(others.map(String)).toEqual([cid, leaves[1]].map(String))
    expect(gateway.requests).toEqual([])
  })

  it('brings a tree with one request, although its root came from the next source', async () => {
    const blockstore = new CountingBlockstore()
    const files = await Promise.all([1, 2, 3].map(async seed =>
      ipfsz({ blockstore }).addBytes(noise(1000, seed), { compression: { codec: 'none' } })))
    const directory = await putDirectory(files.map((cid, i) => [`${i}`, cid]), blockstore)
    const { fs, gateway, others } = await readerOf(directory, blockstore, { plan: { path: '', scope: 'all' } })
    const blocks = fs.blocks(directory)

    for (const cid of [directory, ...files]) {
      await collect(blocks.get(cid))
    }

    expect(others.map(String)).toEqual([directory.toString()])
    expect(gateway.requests).toEqual([expect.stringContaining('dag-scope=all')])
  })

  it('asks for no tree of which much is here', async () => {
    const blockstore = new CountingBlockstore()
    const file = await ipfsz({ blockstore }).addBytes(noise(1000), { compression: { codec: 'none' } })
    const directory = await putDirectory([['a', file]], blockstore)
    const plan = { path: '', scope: 'all' } as const
    const { fs, gateway, others, dropPlan } = await readerOf(directory, blockstore, { plan })
    const blocks = fs.blocks(directory)

    await collect(blocks.get(directory))
    dropPlan()
    await collect(blocks.get(file))

    expect(others).toHaveLength(2)
    expect(gateway.requests).toEqual([])
  })

  it.each<[name: string, answer: (asked: Asked) => Promise<void>]>([
    ['has no gateway', async ({ response }) => { response.writeHead(404).end() }],
    ['sends a page', async ({ response }) => { response.writeHead(200, { 'content-type': 'text/html' }).end('<p>') }],
    ['breaks off', async ({ response }) => { response.destroy() }],
    ['is busy', async ({ response }) => { response.writeHead(503).end() }],
    ['lies', async asked => {
      const [{ cid }] = await asked.blocks()
      await asked.send(encode([{ cid, bytes: noise(1000) }]))
    }]
  ])('leaves all to the next source if the peer %s', async (_, answer) => {
    const { cid, bytes, blockstore } = await plainFile()
    const { fs, others } = await readerOf(cid, blockstore, { answer })

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(others.length).toBeGreaterThan(1)
  })

  it('goes on with the next source where a response is cut, and fetches nothing twice', async () => {
    const { cid, bytes, blockstore, leaves } = await plainFile()
    const { fs, others, senders } = await readerOf(cid, blockstore, {
      answer: async asked => {
        const sections = await asked.blocks()

        if (asked.number > 1) {
          asked.response.destroy()
          return
        }

        await asked.send(encode(sections.slice(0, 3)))
      }
    })

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(senders).toHaveLength(2)
    expect(others.map(String).toSorted()).toEqual([cid, ...leaves.slice(2)].map(String).toSorted())
  })

  it('asks a peer that may speak HTTP for all of the file, while the next source is asked for the root', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const plan = { path: '', scope: 'entity' } as const
    const { fs, gateway, others, senders } = await readerOf(cid, blockstore, {
      plan,
      peers: async () => [{ id: PEER, isSure: false }],
      races: true
    })

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(others.map(String)).toEqual([cid.toString()])
    expect(gateway.requests).toEqual([`/ipfs/${cid}?format=car&dag-scope=entity`])
    expect(senders).toEqual([undefined, ...Array.from({ length: 5 }, () => PEER)])
  })

  it('does not ask a peer again that turns out to speak no HTTP', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    let asked = 0
    const { fs, others } = await readerOf(cid, blockstore, {
      plan: { path: '', scope: 'entity' },
      peers: async () => [{ id: PEER, isSure: false }],
      races: true,
      ask: async () => {
        asked++
        throw Object.assign(new Error('no'), { name: 'UnsupportedProtocolError' })
      }
    })

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(others).toHaveLength(6)
    expect(asked).toBe(1)
  })

  it('leaves a block to the next source that comes before the first one that was asked for', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const { peers } = await readerOf(cid, blockstore, { known: true })
    const { signal } = new AbortController()
    const ask = async (leaf: number): Promise<unknown> => peers.fetch(leaves[leaf], {
      root: cid,
      size: MIB,
      part: { file: cid, start: leaf * MIB, end: 5 * MIB },
      signal
    })
    const later = [ask(2), ask(3)]

    await expect(ask(0)).rejects.toMatchObject({ name: 'GatewaysFailedError' })
    expect(await Promise.all(later)).toMatchObject([{ sender: PEER }, { sender: PEER }])
  })

  it('asks for what is missing up to a block that is here, and leaves one between to the next source', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const { peers, gateway } = await readerOf(cid, blockstore, { known: true })
    const { signal } = new AbortController()
    const ask = async (leaf: number, here: number): Promise<unknown> => peers.fetch(leaves[leaf], {
      root: cid,
      size: MIB,
      part: { file: cid, start: leaf * MIB, end: 5 * MIB, here: here * MIB },
      signal
    })
    const first = [ask(0, 2), ask(1, 2)]

    await expect(ask(3, 4)).rejects.toMatchObject({ name: 'GatewaysFailedError' })
    expect(await Promise.all(first)).toMatchObject([{ sender: PEER }, { sender: PEER }])
    expect(gateway.requests).toEqual([expect.stringContaining(`entity-bytes=0:${2 * MIB - 1}`)])
  })

  it('ends a response before a block that is found here while it comes', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const found = Promise.withResolvers<void>()
    const { peers, gateway } = await readerOf(cid, blockstore, {
      known: true,
      async answer ({ blocks, response }) {
        const sections = await blocks()
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
        response.write(encode(sections.slice(0, 2)))
        await found.promise
        response.write(encodeSection(sections[2]))
      }
    })
    const { signal } = new AbortController()
    let here: number | undefined
    const [first, second] = [0, 1].map(async leaf => peers.fetch(leaves[leaf], {
      root: cid,
      part: { file: cid, start: leaf * MIB, end: 5 * MIB, get here () { return here } },
      signal
    }))

    await first
    here = 2 * MIB
    found.resolve()
    await second

    await expect.poll(() => gateway.aborted).toBe(1)
    expect(gateway.requests).toEqual([expect.stringContaining(`entity-bytes=0:${5 * MIB - 1}`)])
  })

  it('is not in the way if looking for peers fails', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const failing = await readerOf(cid, blockstore, { peers: async () => { throw new Error('the daemon is old') } })

    expect(Buffer.compare(await collect(failing.fs.cat(cid)), bytes)).toBe(0)
    expect(failing.gateway.requests).toEqual([])
  })
})
