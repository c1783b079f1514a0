import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CarReader } from '@ipld/car'
import * as dagPb from '@ipld/dag-pb'
import { unmark } from '@ipfsz/core'
import { PackStorage } from '@ipfsz/shared-store/packs'
import { MemoryBlockstore } from 'blockstore-core'
import { encode } from 'cborg'
import fc from 'fast-check'
import { Key } from 'interface-datastore'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { BriefReached } from '../src/repo/brief-reached.ts'
import { findGarbage, removeGarbage } from '../src/repo/collect-garbage.ts'
import { walkDag } from '../src/dag/dag-walk.ts'
import { Reached } from '../src/dag/reached.ts'
import { RepoPins } from '../src/repo/repo-pins.ts'
import { openRepo } from '../src/repo/repo.ts'
import { writeCar } from '../src/car/write-car.ts'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import { cidOf, encodeNode, makeBlocks, nameOf, putBlocks, randomDag, reachable } from './dags.ts'
import type { WalkOptions } from '../src/dag/dag-walk.ts'
import type { Pin } from '../src/repo/pin-records.ts'
import type { Repo } from '../src/repo/repo.ts'
import type { RandomDag } from './dags.ts'

const { signal } = new AbortController()

async function withRepo (work: (repo: Repo) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-walk-'))

  try {
    await work(await openRepo(join(directory, 'repo')))
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function stored (repo: Repo): Promise<string[]> {
  return (await Array.fromAsync(repo.storage.blocks())).flat().map(
    ({ multihash }) => Buffer.from(multihash.bytes).toString('hex')
  ).toSorted()
}

function pinOf (cid: CID, depth: number): Pin {
  return { plainCid: unmark(cid), cid, depth }
}

async function walked (root: CID, blockstore: MemoryBlockstore, options: Partial<WalkOptions> = {}): Promise<string[]> {
  return (await Array.fromAsync(walkDag(root, blockstore, { signal, leaves: 'read', ...options }))).map(
    ({ cid }) => nameOf(cid)
  )
}

describe('garbage collection', () => {
  it('deletes exactly the blocks that no path from a pin reaches', { tags: 'slow' }, async () => {
    await fc.assert(fc.asyncProperty(randomDag, async dag => {
      await withRepo(async repo => {
        const made = await makeBlocks(dag)
        const pins = dag.pins.map(pin => pinOf(cidOf(pin, made), pin.depth))
        await putBlocks(made, repo.blockstore)
        const before = await stored(repo)

        const garbage = await findGarbage(repo, pins, { signal })
        await removeGarbage(repo, garbage, { signal })

        const found = new Set(pins.flatMap(({ plainCid, depth }) => [...reachable(plainCid, depth, made)]))
        expect(await stored(repo)).toEqual(before.filter(name => found.has(name)))
        expect(garbage).toMatchObject({ pins: pins.length, kept: found.size, unwanted: before.length - found.size })
      })
    }), { numRuns: 60 })
  })
})

describe('what the walks of a collection have reached', () => {
  it('is what a walk that remembers everything reaches, though it forgets nodes that it has walked', async () => {
    await fc.assert(fc.asyncProperty(randomDag, fc.constantFrom(1, 3, undefined), async (dag, maxRecent) => {
      const made = await makeBlocks(dag)
      const blockstore = new MemoryBlockstore()
      await putBlocks(made, blockstore)
      const [exact, brief] = [new Reached(), new BriefReached(maxRecent)]

      for (const pin of dag.pins) {
        const root = cidOf(pin, made)
        const options = { leaves: 'skip', depth: pin.depth } as const
        const yielded = await walked(root, blockstore, { ...options, reached: exact })
        expect((await walked(root, blockstore, { ...options, reached: brief })).toSorted()).toEqual(yielded.toSorted())
      }

      for (const { cid: { multihash } } of made) {
        expect(brief.has(multihash.bytes)).toBe(exact.has(multihash.bytes))
      }
    }), { numRuns: 100 })
  })

  it('does not walk a node with nodes below it again, however much it forgets', async () => {
    // each node links to the two before: 46,000 paths
    const made = await makeBlocks({
      blocks: Array.from({ length: 24 }, () => ({
        leaf: false, inline: false, links: [{ to: 0, twin: 'own' }, { to: 1, twin: 'own' }]
      })),
      pins: []
    })
    const blockstore = new MemoryBlockstore()
    await putBlocks(made, blockstore)
    const get = vi.spyOn(blockstore, 'get')
    await walked(made[23].cid, blockstore, { leaves: 'skip', reached: new BriefReached(1) })

    expect(get.mock.calls.length).toBeLessThan(3 * made.length)
  })
})

describe('RepoPins.blocks', () => {
  it('yields the blocks down to the depth of a pin by Helia, and all blocks of a CID without a pin', async () => {
    await withRepo(async repo => {
      const made = await makeBlocks({
        blocks: [0, 1, 2, 3].map(
          i => ({ leaf: i === 0, inline: false, links: [{ to: 0, twin: 'own' }, { to: 0, twin: 'raw' }] })
        ),
        pins: []
      })
      const pins = new RepoPins(repo)
      const root = made[3].cid
      await putBlocks(made, repo.blockstore)

      for (const depth of [0, 1, 2, Infinity]) {
        await repo.datastore.put(new Key(`/pin/${root.toString(base36)}`), encode({ depth, metadata: {} }))

        const blocks = (await Array.fromAsync(pins.blocks(root, signal))).map(nameOf)
        expect(blocks.toSorted()).toEqual([...reachable(root, depth, made)].toSorted())
      }

      await pins.rm(root)
      expect(await Array.fromAsync(pins.blocks(root, signal))).toHaveLength(4)
    })
  })
})

describe('an exported CAR', () => {
  it('holds exactly the blocks that a path from a root reaches, each once', async () => {
    await fc.assert(fc.asyncProperty(randomDag, async dag => {
      const made = await makeBlocks(dag)
      const blockstore = new MemoryBlockstore()
      const roots = dag.pins.map(pin => unmark(cidOf(pin, made)))
      await putBlocks(made, blockstore)

      const reader = await CarReader.fromIterable(writeCar(roots, blockstore, signal))

      expect((await reader.getRoots()).map(String)).toEqual(roots.map(String))
      const held = (await Array.fromAsync(reader.cids())).map(nameOf)
      const found = new Set(roots.flatMap(root => [...reachable(root, Infinity, made)]))
      expect(held.toSorted()).toEqual([...found].toSorted())
    }), { numRuns: 200 })
  })
})

describe('walkDag', () => {
  it('continues where earlier walks ended, and does not repeat what they walked', async () => {
    const made = await makeBlocks({
      blocks: [0, 1, 2, 3].map(i => ({ leaf: i === 0, inline: false, links: [{ to: 0, twin: 'own' }] })),
      pins: []
    })
    const [leaf, low, middle, top] = made.map(({ cid }) => cid)
    const names = [top, middle, low, leaf].map(nameOf)
    const blockstore = new MemoryBlockstore()
    const reached = new Reached()
    await putBlocks(made, blockstore)

    expect(await walked(top, blockstore, { depth: 0, reached })).toEqual(names.slice(0, 1))
    expect(await walked(top, blockstore, { depth: 2, reached })).toEqual(names.slice(1, 3))
    expect(await walked(top, blockstore, { depth: 1, reached })).toEqual([])
    expect(await walked(top, blockstore, { reached })).toEqual(names.slice(3))
    await blockstore.delete(low)
    expect(await walked(top, blockstore, { reached })).toEqual([])
  })

  it('reaches the same by what packs of a store say, and reads no block for it', async () => {
    await fc.assert(fc.asyncProperty(randomDag, async dag => {
      const made = await makeBlocks(dag)
      const packs = new PackStorage({ objects: new MemoryObjects() })

      for (const { cid, bytes } of made.filter(({ cid }) => cid.multihash.code !== identity.code)) {
        await packs.writer.put(cid, bytes)
      }

      await packs.sync()
      const get = vi.fn<PackStorage['get']>()
      const walk = async (pin: RandomDag['pins'][number], options: Partial<WalkOptions>): Promise<string[]> => {
        const walk = walkDag(unmark(cidOf(pin, made)), 'knownLinks' in options ? { get, has: get as never } : packs, {
          signal, leaves: 'skip', depth: pin.depth, ...options
        })

        return (await Array.fromAsync(walk)).map(({ cid }) => nameOf(cid))
      }

      for (const pin of dag.pins.filter(({ depth }) => depth > 0)) {
        expect(await walk(pin, { knownLinks: async cid => packs.links.of(cid) })).toEqual(await walk(pin, {}))
      }

      expect(get).not.toHaveBeenCalled()
    }), { numRuns: 50 })
  })

  it('does not follow the links of a node that is named by a raw CID', async () => {
    const [, node] = await makeBlocks({
      blocks: [
        { leaf: true, inline: false, links: [] },
        { leaf: false, inline: false, links: [{ to: 0, twin: 'own' }] }
      ],
      pins: []
    })
    const blockstore = new MemoryBlockstore()
    await putBlocks([node], blockstore)

    expect(await walked(CID.createV1(raw.code, node.cid.multihash), blockstore)).toEqual([nameOf(node.cid)])
    await expect(walked(node.cid, blockstore))
      .rejects.toMatchObject({ name: 'DamagedDagError', cause: { name: 'NotFoundError' } })
  })

  it('refuses an unknown codec even when the same bytes were walked as dag-pb', async () => {
    const bytes = encodeNode(1, [])
    const node = CID.createV1(dagPb.code, await sha256.digest(bytes))
    const other = CID.createV1(0x71, node.multihash)
    const blockstore = new MemoryBlockstore()
    const reached = new Reached()
    await putBlocks([{ cid: node, bytes }], blockstore)

    await walked(node, blockstore, { reached })

    await expect(walked(other, blockstore, { reached }))
      .rejects.toMatchObject({ cause: { name: 'NotUnixFSError', cid: other } })
    expect(await walked(other, blockstore, { depth: 0 })).toEqual([nameOf(node)])
  })

  it('refuses damaged blocks, invalid dag-pb, short digests, and long identity CIDs with links', async () => {
    const blockstore = new MemoryBlockstore()
    const damaged = CID.createV1(dagPb.code, await sha256.digest(Buffer.from('a')))
    const short = CID.createV1(dagPb.code, createDigest(sha256.code, new Uint8Array(0)))
    const long = CID.createV1(dagPb.code, identity.digest(encodeNode(1, [damaged, damaged, damaged])))
    const garbage = CID.createV1(dagPb.code, await sha256.digest(Buffer.from('b')))
    await putBlocks([damaged, short, garbage].map(cid => ({ cid, bytes: Buffer.from('b') })), blockstore)

    for (
      const [cid, name] of [
        [damaged, 'CorruptBlockError'],
        [short, 'DigestLengthError'],
        [long, 'DigestLengthError'],
        [garbage, 'NotUnixFSError']
      ] as const
    ) {
      for (const leaves of ['read', 'has', 'skip'] as const) {
        await expect(walked(cid, blockstore, { leaves }))
          .rejects.toMatchObject({ name: 'DamagedDagError', cause: { name } })
      }
    }
  })
})
