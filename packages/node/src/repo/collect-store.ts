import { collect } from '@ipfsz/shared-store/collect'
import { keyOf } from '@ipfsz/shared-store/packs'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { walkDag } from '../dag/dag-walk.ts'
import { BriefReached } from './brief-reached.ts'
import type { Pin } from './pin-records.ts'
import type { RepoPins } from './repo-pins.ts'
import type { Repo } from './repo.ts'
import type { SharedStore } from '@ipfsz/shared-store'
import type { CollectionResult, CollectOptions } from '@ipfsz/shared-store/collect'
import type { PackStorage } from '@ipfsz/shared-store/packs'

export interface StoreGarbageInit {
  repo: Pick<Repo, 'blockstore'>
  shared: Pick<SharedStore, 'clock' | 'leaseTimeout' | 'objects'>
  packs: PackStorage
  pins: Pick<RepoPins, 'ls'>
  /** Called when the pins are walked, before anything is deleted. What it throws ends the collection. */
  beforeRounds?: (found: { pins: number }) => Promise<void>
}

/**
 * Delete the packs of a store of which no pin reaches anything and which no node needs, and copy what is needed of
 * those that are mostly unused. Other nodes may add and pin meanwhile. Links to files that are gone stay: they take
 * little, and lead to the file again when it is added again.
 *
 * @returns also how many packs the next collection deletes
 */
export async function collectStore (
  { repo, shared, packs, pins, beforeRounds }: StoreGarbageInit,
  options: CollectOptions
): Promise<CollectionResult> {
  const { objects: store, leaseTimeout, clock } = shared
  const reached = new BriefReached()
  return collect({
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
      knownLinks: async cid => packs.links.of(cid, true),
      reached: {
        add: (cid, levels) => reached.add(byKey(cid), levels),
        keep: (cid, levels) => { reached.keep(byKey(cid), levels) },
        isKept: (cid, levels) => reached.isKept(byKey(cid), levels),
        has: multihash => reached.has(multihash)
      }
    })
  }, options)
}

/** The index of packs has keys of 32 bytes in the place of multihashes. */
function byKey ({ code, multihash }: CID): CID {
  return CID.createV1(code, Digest.create(0, keyOf(multihash).bytes))
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
