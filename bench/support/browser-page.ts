/** The program of the page that `bench/browser.ts` builds and measures in. */
import { IDBBlockstore } from 'blockstore-idb'
import { MemoryBlockstore } from 'blockstore-core'
import { FILE_SYSTEMS, readAll } from './file-systems.ts'
import { FLOOR } from './floor/names.ts'
import { pageFloor } from './page-floor.ts'
import type { Files } from './file-systems.ts'
import type { Blockstore } from 'interface-blockstore'

export interface PageMeasurement {
  store: 'memory' | 'IndexedDB'
  side: string
  cid: string
  /** Milliseconds of each round. */
  add: number[]
  cat: number[]
}

/** The compared sides. What the floor does besides storing is the same on every store. */
const SIDES: Record<PageMeasurement['store'], typeof FILE_SYSTEMS> = {
  memory: { ...FILE_SYSTEMS, [FLOOR]: pageFloor },
  IndexedDB: FILE_SYSTEMS
}

/** Measures every side on every store once a round. */
export async function measurePage (bytes: Uint8Array, rounds: number): Promise<PageMeasurement[]> {
  const measurements: PageMeasurement[] = (['memory', 'IndexedDB'] as const).flatMap(store => (
    Object.keys(SIDES[store]).map(side => ({ store, side, cid: '', add: [], cat: [] }))
  ))

  for (let round = 0; round < rounds; round++) {
    for (const measurement of measurements) {
      const open = SIDES[measurement.store][measurement.side]
      await warmUp(open, bytes)

      const { blockstore, remove } = await openStore(measurement.store)
      const files = open(blockstore)
      const start = performance.now()
      const cid = await files.addByteStream(stream(bytes))
      const added = performance.now()
      await readAll(files, cid, bytes.byteLength)
      const read = performance.now()

      measurement.add.push(added - start)
      measurement.cat.push(read - added)
      measurement.cid = cid.toString()
      await remove()
    }
  }

  return measurements
}

/** Warm up, because workers of this codec replace those of the previous one and start cold. */
async function warmUp (open: (blockstore: Blockstore) => Files, bytes: Uint8Array): Promise<void> {
  const files = open(new MemoryBlockstore())

  await readAll(files, await files.addByteStream(stream(bytes)), bytes.byteLength)
}

/** A stream of the bytes, as a page reads a file. */
async function * stream (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield * new Blob([new Uint8Array(bytes)]).stream() as unknown as AsyncIterable<Uint8Array>
}

async function openStore (
  store: PageMeasurement['store']
): Promise<{ blockstore: Blockstore, remove: () => Promise<void> }> {
  if (store === 'memory') {
    return { blockstore: new MemoryBlockstore(), remove: async () => {} }
  }

  const blockstore = new IDBBlockstore('bench')
  await blockstore.open()

  return {
    blockstore,
    remove: async () => {
      // an open database cannot be deleted
      await blockstore.close()
      await blockstore.destroy()
    }
  }
}
