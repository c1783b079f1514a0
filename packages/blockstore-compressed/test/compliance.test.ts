import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codecs } from '@ipfsz/codecs/all'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { LevelBlockstore } from 'blockstore-level'
import { interfaceBlockstoreTests } from 'interface-blockstore-tests'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { tagCombinations } from '../../../test/support/pairwise.ts'
import { SharedFsBlockstore } from '../src/fs/index.ts'
import { CompressedBlockstore } from '../src/index.ts'
import type { Verify } from '../src/index.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Blockstore } from 'interface-blockstore'

// the suite uses mocha's globals
Object.assign(globalThis, { afterEach, beforeEach, describe, it })

const INNER_STORES: Readonly<Record<string, (directory: string) => Blockstore>> = {
  MemoryBlockstore: () => new MemoryBlockstore(),
  FsBlockstore: directory => new FsBlockstore(directory),
  SharedFsBlockstore: directory => new SharedFsBlockstore(directory),
  LevelBlockstore: directory => new LevelBlockstore(directory)
}
const CODECS = [...Object.keys(codecs), 'none'] as Array<CodecName | 'none'>
const VERIFY: Verify[] = ['hash', 'length', 'none']
const directories = new WeakMap<CompressedBlockstore, string>()

describe('SharedFsBlockstore in the blockstore compliance suite', () => {
  interfaceBlockstoreTests({
    async setup () {
      const store = new SharedFsBlockstore(await mkdtemp(join(tmpdir(), 'ipfsz-shared-')))
      await store.open()

      return store
    },
    async teardown (store) {
      await store.close()
      await rm(store.path, { recursive: true })
    }
  })
})

for (const { name, codec, verify, tags } of tagCombinations({
  name: Object.keys(INNER_STORES), codec: CODECS, verify: VERIFY
})) {
  describe(`CompressedBlockstore (${name}, ${codec}, verify ${verify}) in the compliance suite`, { tags }, () => {
    interfaceBlockstoreTests({
      async setup () {
        const directory = await mkdtemp(join(tmpdir(), 'ipfsz-compressed-'))
        // the suite's blocks are small: compress all of them
        const store = new CompressedBlockstore(INNER_STORES[name](directory), { codec, verify, minSize: 0 })
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
