import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ipfsz } from '@ipfsz/core'
import { expect, it } from 'vitest'
import type { CID } from 'multiformats/cid'

const FILES = 2000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

it('keeps neither the CIDs nor the metadata of files until their directory is written', async () => {
  // forgets what it is given
  const blockstore = { put: async (cid: CID) => cid, async * get () {}, has: () => false }
  const kept: Array<WeakRef<object>> = []
  let alive = Infinity

  async function * source (): AsyncGenerator<{ path: string, content: Uint8Array }> {
    for (let i = 0; i < FILES; i++) {
      yield { path: `tree/directory-${i % 10}/file-${i}.txt`, content: Buffer.from(`file ${i}, `.repeat(300)) }
    }

    // weak references hold what was looked at until here
    await setImmediate()
    collect()
    alive = kept.filter(ref => ref.deref() != null).length
  }

  for await (const { cid, unixfs = {} } of ipfsz({ blockstore }).addAll(source())) {
    kept.push(new WeakRef(cid), new WeakRef(unixfs))
  }

  // those of the files in progress
  expect(alive).toBeLessThan(FILES / 10)
})
