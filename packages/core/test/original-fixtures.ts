import { MemoryDatastore } from 'datastore-core'
import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { LAYOUTS } from '../src/content-cid/content-layouts.ts'
import { ipfsz } from '../src/index.ts'
import { DerivedBlockstore, Originals } from '../src/originals/index.ts'
import { collect, CountingBlockstore } from './fixtures.ts'
import type { DerivedBlockstoreInit, OriginalsDatastore, OriginalsInit } from '../src/originals/index.ts'
import type { AddFileOptions, Ipfsz } from '../src/index.ts'
import type { Layout } from '../src/content-cid/content-layouts.ts'
import type { MemoryBlockstore } from 'blockstore-core'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** A store of compressed files, its links, and the index of their originals. */
export interface Shelf {
  blockstore: CountingBlockstore
  links: MemoryDatastore
  datastore: MemoryDatastore
  fs: Ipfsz
  originals: Originals
  derived: DerivedBlockstore
  /** The errors by which blocks were not found. */
  errors: Error[]
}

export function makeShelf (
  init: OriginalsInit = {},
  derivedInit: Partial<DerivedBlockstoreInit> = {},
  index: (datastore: MemoryDatastore) => OriginalsDatastore = datastore => datastore
): Shelf {
  const blockstore = new CountingBlockstore()
  const [links, datastore] = [new MemoryDatastore(), new MemoryDatastore()]
  const errors: Error[] = []

  return {
    blockstore,
    links,
    datastore,
    fs: ipfsz({ blockstore, datastore: links }),
    originals: new Originals({ blockstore, links, datastore: index(datastore) }, init),
    derived: new DerivedBlockstore(blockstore, {
      datastore,
      onError: err => { errors.push(err as Error) },
      ...derivedInit
    }),
    errors
  }
}

/** Options that compress whatever the bytes are, and link the file. */
export function linked (frameSize?: number): AddFileOptions {
  return { link: true, compression: { codec: 'zstd', detect: false, ...frameSize == null ? {} : { frameSize } } }
}

/** The blocks that an importer makes of bytes, by CID, the root last. */
export async function imported (bytes: Uint8Array, layout: string): Promise<{ root: CID, blocks: Block[] }> {
  const { cidVersion, rawLeaves, leafSize, maxLinks } = LAYOUTS.find(({ name }) => name === layout) as Layout
  const blockstore = new CountingBlockstore()
  const cids = new Map<string, CID>()
  const store = {
    get: blockstore.get.bind(blockstore),
    put: async (...args: Parameters<Blockstore['put']>): Promise<CID> => {
      cids.set(args[0].toString(), args[0])

      return blockstore.put(...args)
    }
  }
  const { cid: root } = await importFile({ content: bytes }, store as unknown as Blockstore, {
    cidVersion,
    rawLeaves,
    reduceSingleLeafToSelf: true,
    chunker: fixedSize({ chunkSize: leafSize }),
    layout: balanced({ maxChildrenPerNode: maxLinks })
  })

  return { root, blocks: await blocksOf(cids.values(), blockstore) }
}

export interface Block {
  cid: CID
  bytes: Uint8Array
}

async function blocksOf (cids: Iterable<CID>, blockstore: Pick<Blockstore, 'get'>): Promise<Block[]> {
  return Promise.all(Array.from(cids, async cid => ({ cid, bytes: await blockOf(cid, blockstore) })))
}

export async function blockOf (cid: CID, blockstore: Pick<Blockstore, 'get'>): Promise<Uint8Array> {
  return collect((async function * () { yield * blockstore.get(cid) })())
}

/** All blocks of a store. */
export async function allBlocks (blockstore: MemoryBlockstore): Promise<Block[]> {
  const blocks: Block[] = []

  for await (const { cid } of blockstore.getAll()) {
    blocks.push({ cid, bytes: await blockOf(cid, blockstore) })
  }

  return blocks
}

/** The CIDs of those blocks that a store does not have, or has otherwise. */
export async function missing (
  blocks: readonly Block[],
  blockstore: Pick<Blockstore, 'has' | 'get'>
): Promise<string[]> {
  const wrong: string[] = []

  for (const { cid, bytes } of blocks) {
    const found = await blockstore.has(cid) ? await blockOf(cid, blockstore) : undefined

    if (found == null || Buffer.compare(found, bytes) !== 0) {
      wrong.push(cid.toString())
    }
  }

  return wrong
}
