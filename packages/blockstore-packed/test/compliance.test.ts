import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { interfaceBlockstoreTests } from 'interface-blockstore-tests'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { PackedBlockstore } from '../src/index.ts'
import type { Durability } from '../src/index.ts'

// the suite uses mocha's globals
Object.assign(globalThis, { afterEach, beforeEach, describe, it })

const DURABILITIES: Durability[] = ['put', 'sync']
const directories = new WeakMap<PackedBlockstore, string>()

for (const durability of DURABILITIES) {
  describe(`PackedBlockstore, durable with ${durability}, in the blockstore compliance suite`, () => {
    interfaceBlockstoreTests({
      async setup () {
        const directory = await mkdtemp(join(tmpdir(), 'ipfsz-packed-'))
        const store = new PackedBlockstore(directory, { durability })
        directories.set(store, directory)
        await store.open()

        return store
      },
      async teardown (store) {
        await store.close()
        await rm(directories.get(store) as string, { recursive: true })
      }
    })
  })
}
