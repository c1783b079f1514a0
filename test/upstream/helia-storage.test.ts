import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { expect, it, onTestFinished } from 'vitest'
import { mended } from './installed.ts'

it('the blockstore of helia asks its store whether a block is there before it reads it', async () => {
  const blockstore = new MemoryBlockstore()
  const helia = createHeliaLight({ blockstore })
  onTestFinished(async () => { await helia.stop() })
  await helia.start()
  const bytes = Uint8Array.of(1)
  const cid = CID.createV1(raw.code, await sha256.digest(bytes))
  await helia.blockstore.put(cid, bytes)
  const asked: string[] = []
  const [has, get] = [blockstore.has.bind(blockstore), blockstore.get.bind(blockstore)]
  blockstore.has = cid => {
    asked.push('has')

    return has(cid)
  }
  blockstore.get = cid => {
    asked.push('get')

    return get(cid)
  }

  await Array.fromAsync(helia.blockstore.get(cid))

  expect(asked, mended('helia', 'packages/core/src/fetch/local-blocks.ts')).toEqual(['has', 'get'])
})
