import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { ipfsz, MARKERS } from '../src/index.ts'
import { writeForward, writeReverse } from '../src/links/link-entries.ts'
import { CountingBlockstore } from './fixtures.ts'
import type { LinkDatastore, Links } from '../src/index.ts'
import type { LinkRecord } from '../src/links/link-entries.ts'
import type { MemoryDatastore } from 'datastore-core'

export const ZSTD = MARKERS.zstd
export const DAG_PB = 0x70
export const RAW = 0x55

/** A CID made from a number, for tests that never read its block. */
export async function cidOf (number: number, code: number): Promise<CID> {
  return CID.createV1(code, await sha256.digest(Uint8Array.of(number >> 8, number)))
}

/** CIDs of originals and of compressed files. All hashes differ. */
export const originals = await Promise.all(
  Array.from({ length: 8 }, async (_, i) => cidOf(i, i % 2 === 0 ? RAW : DAG_PB))
)
export const files = await Promise.all(Array.from({ length: 8 }, async (_, i) => cidOf(100 + i, ZSTD)))

/** The CIDv0 with the same hash. */
export function toV0 (cid: CID): CID {
  return CID.createV0(cid.multihash as Parameters<typeof CID.createV0>[0])
}

/** Write a link that nobody has compared, as earlier versions did. With `check`, as they did with `unchecked`. */
export async function writeLink (datastore: LinkDatastore, link: LinkRecord): Promise<void> {
  await writeReverse(datastore, link.compressed, [link.original])
  await writeForward(datastore, link)
}

/** Links on a blockstore that claims to have every block, but holds none. */
export function linksOn (datastore?: LinkDatastore): Links {
  const { links } = ipfsz({ blockstore: Object.assign(new CountingBlockstore(), { has: () => true }), datastore })

  return {
    add: async (original, compressed, options) => links.add(original, compressed, { unchecked: true, ...options }),
    get: async (...args) => links.get(...args),
    delete: async (...args) => links.delete(...args),
    list: (...args) => links.list(...args),
    prune: async (...args) => links.prune(...args)
  }
}

export async function listed (links: Links): Promise<string[]> {
  return (await Array.fromAsync(links.list())).map(({ original, compressed }) => `${original} ${compressed}`).toSorted()
}

/** A datastore that keeps this many writes and fails all later ones, as if the process were killed. */
export function mortal (datastore: MemoryDatastore, writes: number): LinkDatastore {
  let left = writes
  const dieOrWrite = (): void => {
    if (left-- === 0) {
      left = 0
      throw new Error('killed')
    }
  }

  return {
    get: async (...args) => datastore.get(...args),
    query: (...args) => datastore.query(...args),
    put: async (...args) => { dieOrWrite(); return datastore.put(...args) },
    delete: async (...args) => { dieOrWrite(); return datastore.delete(...args) }
  }
}

/** The number of entries in a datastore. */
export async function countEntries (datastore: MemoryDatastore): Promise<number> {
  return (await Array.fromAsync(datastore.queryKeys({}))).length
}
