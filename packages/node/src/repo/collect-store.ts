import { ipfsz, mark } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { keyOf, walkDag } from '../dag/dag-walk.ts'
import { collect } from '@ipfsz/shared-store/collect'
import { BriefReached } from './brief-reached.ts'
import type { Pin } from './pin-records.ts'
import type { ReachedBlocks } from '../dag/reached.ts'
import type { RepoPins } from './repo-pins.ts'
import type { Repo } from './repo.ts'
import type { PackStorage } from '@ipfsz/shared-store/packs'
import type { StoredBlock } from '@ipfsz/shared-store/storage'
import type { SharedStore } from '@ipfsz/shared-store'
import type { CollectionInit, CollectionResult, CollectOptions } from '@ipfsz/shared-store/collect'
import type { Links } from '@ipfsz/core'

export interface StoreGarbageInit {
  repo: Repo & { shared: SharedStore }
  pins: Pick<RepoPins, 'ls'>
  links: Links
  /** Called when the pins are walked, before anything is deleted. What it throws ends the collection. */
  beforeRounds?: (found: { pins: number }) => Promise<void>
}

/** A block to delete, or the root of a linked file that is gone already. */
interface Candidate {
  multihash: Uint8Array
  size: number
  block?: StoredBlock
}

/**
 * Delete the blocks of a store that no pin reaches and no node is adding, and the links to files that are gone. Other
 * nodes may add and pin meanwhile.
 *
 * @returns also how many files were unlinked, and how many packs the next collection deletes
 */
export async function collectStore (
  { repo, pins, links, beforeRounds }: StoreGarbageInit,
  options: CollectOptions
): Promise<CollectionResult & { links: number, left: number }> {
  const { objects, leaseTimeout, clock, packs } = repo.shared

  if (packs != null) {
    return collectStoredPacks({ repo, pins, packs, beforeRounds }, options)
  }

  const reached = new BriefReached()
  const linked = await linkedRoots(links, options.signal)
  let gone = 0
  let unlinked = 0

  const result = await collect({
    store: objects,
    leaseTimeout,
    clock,
    reached,
    beforeRounds,
    readPins: options => readPins(pins, options),
    walk: ({ plainCid, depth }, { signal }) =>
      walkDag(plainCid, repo.blockstore, { signal, leaves: 'skip', depth, reached }),
    blocks: {
      async * list ({ signal }): AsyncGenerator<Candidate[]> {
        for await (const blocks of repo.storage.blocks({ signal })) {
          yield await Promise.all(blocks.map(async block => candidateOf(block, repo, reached)))
        }

        // a file that is gone is condemned again, so that no node adds it while its link is deleted
        for (const cid of linked.values()) {
          if (!reached.has(cid.multihash.bytes) && !await repo.storage.has(cid, { signal })) {
            gone++
            yield [{ multihash: cid.multihash.bytes, size: 0 }]
          }
        }
      },
      validFor: milliseconds => repo.storage.validFor?.(milliseconds),
      async delete (candidates, options) {
        // given up when the store takes so long that nodes could take the collection for dead
        await repo.storage.remove(candidates.flatMap(({ block }) => block ?? []), options)
      }
    },
    async deleteLinks (candidates, { signal, validity }) {
      // links that are good no longer than the look at the round: a node may write the same ones again
      const datastore = repo.links.open({ writes: true, signal, validity })
      const deletable = ipfsz({ blockstore: repo.blockstore, datastore }).links

      for (const { multihash } of candidates) {
        const cid = linked.get(keyOf({ multihash: Digest.decode(multihash) } as CID))

        if (cid != null) {
          await deletable.delete(mark(cid, 'tree'), { signal })
          unlinked++
        }
      }
    }
  } satisfies CollectionInit<Pin & { id: string }, Candidate>, options)

  return { ...result, removed: Math.max(0, result.removed - gone), links: unlinked, left: 0 }
}

/**
 * The same in a store of packs. Links to files that are gone stay: they take little, and lead to the file again when it
 * is added again.
 */
async function collectStoredPacks (
  { repo, pins, packs, beforeRounds }: Omit<StoreGarbageInit, 'links'> & { packs: PackStorage },
  options: CollectOptions
): Promise<CollectionResult & { links: number, left: number }> {
  const { objects: store, leaseTimeout, clock } = repo.shared
  const reached = new BriefReached()
  const { collectPacks, keyOf: keyInPacks } = await import('@ipfsz/shared-store/packs')
  // the index of packs has keys of 32 bytes in the place of multihashes
  const byKey = (cid: CID): CID => CID.createV1(cid.code, Digest.create(0, keyInPacks(cid.multihash).bytes))

  const result = await collectPacks({
    store,
    leaseTimeout,
    clock,
    storage: packs,
    reached,
    beforeRounds,
    readPins: options => readPins(pins, options),
    walk: ({ plainCid, depth }, { signal }) => walkDag(plainCid, repo.blockstore, {
      signal,
      leaves: 'skip',
      depth,
      reached: {
        add: (cid, levels) => reached.add(byKey(cid), levels),
        keep: (cid, levels) => { reached.keep(byKey(cid), levels) },
        isKept: (cid, levels) => reached.isKept(byKey(cid), levels),
        has: multihash => reached.has(multihash)
      }
    })
  }, options)

  return { ...result, links: 0 }
}

/** All pins, but for those that are known to reach what was walked. */
async function * readPins (
  pins: Pick<RepoPins, 'ls'>,
  { signal, isWalked }: { signal: AbortSignal, isWalked: (id: string) => boolean }
): AsyncGenerator<Pin & { id: string }> {
  // whatever the record of such a pin says by now, it reaches no more than all that is below its root
  const isLeftOut = (plainCid: CID): boolean => isWalked(idOf({ plainCid, depth: Infinity }))

  for await (const pin of pins.ls(signal, undefined, isLeftOut)) {
    yield { ...pin, id: idOf(pin) }
  }
}

function idOf ({ plainCid, depth }: Pick<Pin, 'plainCid' | 'depth'>): string {
  return `${plainCid} ${depth}`
}

/** The sizes of blocks that are kept are not asked for. */
async function candidateOf (block: StoredBlock, { storage }: Repo, reached: ReachedBlocks): Promise<Candidate> {
  const { bytes: multihash } = block.multihash

  return { multihash, block, size: reached.has(multihash) ? 0 : await storage.sizeOf(block) }
}

/** The plain CIDs of the files that have links, by their multihashes. */
async function linkedRoots (links: Links, signal: AbortSignal): Promise<Map<string, CID>> {
  const roots = new Map<string, CID>()

  for await (const { compressed: { multihash } } of links.list({ signal })) {
    const cid = CID.createV1(dagPb.code, multihash)
    roots.set(keyOf(cid), cid)
  }

  return roots
}
