import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { claimedSize, fetchDag } from '../src/dag/fetch-dag.ts'
import type { FetchDagOptions } from '../src/dag/fetch-dag.ts'
import type { BlocksBelow } from '@ipfsz/core'

const MIB = 1024 * 1024

interface Link {
  cid: CID
  size: number
}

/** Blocks of another node. Those in `local` are here already. */
class Remote implements BlocksBelow {
  readonly blocks = new Map<string, Uint8Array>()
  readonly local = new Set<string>()
  /** What was asked for, in order. */
  readonly asked: string[] = []
  /** The same from the end of the DAG. */
  readonly askedFarAhead: string[] = []
  most = 0
  #running = 0

  async leaf (bytes: Uint8Array): Promise<Link> {
    return this.#put(raw.code, bytes, bytes.byteLength)
  }

  async node (links: readonly Link[], name = ''): Promise<Link> {
    const Links = links.map(({ cid, size }) => ({ Name: name, Hash: cid, Tsize: size }))
    const bytes = dagPb.encode({ Links })

    return this.#put(dagPb.code, bytes, links.reduce((sum, { size }) => sum + size, bytes.byteLength))
  }

  async damagedNode (bytes: Uint8Array): Promise<Link> {
    return this.#put(dagPb.code, bytes, bytes.byteLength)
  }

  async #put (code: number, bytes: Uint8Array, size: number): Promise<Link> {
    const cid = CID.createV1(code, await sha256.digest(bytes))
    this.blocks.set(cid.toString(), bytes)

    return { cid, size }
  }

  async * get (cid: CID, { isFarAhead = false }: { isFarAhead?: boolean } = {}): AsyncGenerator<Uint8Array> {
    const bytes = this.blocks.get(cid.toString())
    const asked = isFarAhead ? this.askedFarAhead : this.asked
    asked.push(cid.toString())
    this.most = Math.max(this.most, ++this.#running)

    // answers come after all that is asked for at a time
    await new Promise(resolve => { setImmediate(resolve) })
    this.#running--

    if (bytes == null) {
      throw new Error('lost')
    }

    yield bytes
  }

  async has (cid: CID): Promise<boolean> {
    return this.local.has(cid.toString())
  }
}

/** Fetch a DAG. Returns what was reported. */
async function fetchAll (
  root: Link,
  blocks: Remote,
  options: Partial<FetchDagOptions> = {}
): Promise<{ found: number, bytes: number }> {
  const report = { found: 0, bytes: 0 }

  await fetchDag(root.cid, {
    blocks,
    onFound: () => { report.found++ },
    onBytes: bytes => { report.bytes += bytes },
    maxBytes: Infinity,
    signal: new AbortController().signal,
    ...options
  })

  return report
}

/** A directory of small files, each a node with one leaf. */
async function smallFiles (remote: Remote, count: number): Promise<{ root: Link, files: Link[] }> {
  const files: Link[] = []

  for (let i = 0; i < count; i++) {
    files.push(await remote.node([await remote.leaf(Buffer.from(`file ${i}`))]))
  }

  return { root: await remote.node(files), files }
}

describe('fetchDag', () => {
  it('fetches every block once, many at a time', async () => {
    const remote = new Remote()
    const { root } = await smallFiles(remote, 300)
    const { bytes, found } = await fetchAll(root, remote)

    expect(remote.asked.toSorted()).toEqual([...remote.blocks.keys()].toSorted())
    expect(remote.most).toBe(128)
    expect(bytes).toBe(root.size)
    expect(found).toBe(0)
  })

  it('asks in the order of the DAG, depth first, as far ahead as the blocks of 4 MiB', async () => {
    const remote = new Remote()
    const leaves = await Promise.all(Array.from({ length: 12 }, async (_, i) => remote.leaf(Buffer.alloc(MIB, i))))
    const files = [await remote.node(leaves.slice(0, 6)), await remote.node(leaves.slice(6))]
    const root = await remote.node(files)
    await fetchAll(root, remote)

    expect(remote.asked).toEqual(
      [root, files[0], ...leaves.slice(0, 6), files[1], ...leaves.slice(6)].map(({ cid }) => cid.toString())
    )
    expect(remote.most).toBe(4)
  })

  it('asks from both ends of the DAG, for each block once', async () => {
    const remote = new Remote()
    const leaves = await Promise.all(Array.from({ length: 20 }, async (_, i) => remote.leaf(Buffer.alloc(MIB, i))))
    const files = [await remote.node(leaves.slice(0, 4)), await remote.node(leaves.slice(4))]
    const root = await remote.node(files)
    await fetchAll(root, remote, { fromBothEnds: true })
    const { asked, askedFarAhead } = remote

    expect([...asked, ...askedFarAhead.toReversed()])
      .toEqual([root, files[0], ...leaves, files[1]].map(({ cid }) => cid.toString()))
    expect(askedFarAhead[0]).toBe(files[1].cid.toString())
    expect(asked.length - 2 - leaves.length / 2).toBeLessThanOrEqual(4)
    expect(askedFarAhead.length).toBeGreaterThanOrEqual(leaves.length / 2 - 4)
  })

  it('fetches a block once that is linked many times', async () => {
    const remote = new Remote()
    const leaf = await remote.leaf(Buffer.from('twice'))
    const root = await remote.node([await remote.node([leaf, leaf], 'a'), await remote.node([leaf], 'b')])
    const { found } = await fetchAll(root, remote)

    expect(remote.asked).toHaveLength(4)
    expect(found).toBe(0)
  })

  it('tells once that part of the DAG is here', async () => {
    const remote = new Remote()
    const { root, files } = await smallFiles(remote, 5)
    files.slice(1, 4).forEach(({ cid }) => { remote.local.add(cid.toString()) })

    expect((await fetchAll(root, remote)).found).toBe(1)
  })

  it('does not read the leaves that are here', async () => {
    const remote = new Remote()
    const { root } = await smallFiles(remote, 5)
    const { asked, blocks, local } = remote
    blocks.forEach((_, cid) => { local.add(cid) })
    const { bytes } = await fetchAll(root, remote)

    // the root and a node for each file
    expect(asked).toHaveLength(6)
    expect(bytes).toBe(root.size)
  })

  it('stops after as many bytes as it may fetch', async () => {
    const remote = new Remote()
    const root = await remote.node(
      await Promise.all(Array.from({ length: 50 }, async (_, i) => remote.leaf(Buffer.alloc(MIB, i))))
    )
    const { bytes } = await fetchAll(root, remote, { maxBytes: 10 * MIB })

    expect(bytes).toBeGreaterThan(10 * MIB)
    expect(bytes).toBeLessThan(16 * MIB)
  })

  it('fails as a fetch fails, and asks for nothing more', async () => {
    const remote = new Remote()
    const { root, files } = await smallFiles(remote, 1000)
    remote.blocks.delete(files[0].cid.toString())

    await expect(fetchAll(root, remote)).rejects.toThrow('lost')
    const { length } = remote.asked
    expect(length).toBeLessThan(500)
    await new Promise(resolve => { setImmediate(resolve) })
    expect(remote.asked).toHaveLength(length)
  })

  it('ends when the signal aborts', async () => {
    const remote = new Remote()
    const { root } = await smallFiles(remote, 10)
    const controller = new AbortController()
    const never: BlocksBelow = {
      get: async function * (_, { signal } = {}) {
        yield await new Promise<Uint8Array>((_, reject) => {
          signal?.addEventListener('abort', () => { reject(signal.reason as Error) })
          controller.abort(new Error('enough'))
        })
      },
      has: async () => false
    }

    await expect(fetchAll(root, remote, { blocks: never, signal: controller.signal })).rejects.toThrow('enough')
  })

  it('leaves to the reader what is no dag-pb node, and what a CID holds itself', async () => {
    const remote = new Remote()
    const inline = { cid: CID.createV1(raw.code, identity.digest(Buffer.from('inline'))), size: 6 }
    const root = await remote.node([await remote.damagedNode(Buffer.from('no node')), inline])

    await fetchAll(root, remote)
    expect(remote.asked).toHaveLength(2)
  })
})

describe('claimedSize', () => {
  it('is the size of the root and of what its links claim', async () => {
    const blocks = new Remote()
    const { root } = await smallFiles(blocks, 5)
    const { signal } = new AbortController()

    expect(await claimedSize(root.cid, { blocks, signal })).toBe(root.size)
    expect(await claimedSize((await blocks.leaf(new Uint8Array(5))).cid, { blocks, signal })).toBe(5)
  })
})
