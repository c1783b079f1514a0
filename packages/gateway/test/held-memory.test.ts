import { ipfsz } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { expect, it, onTestFinished, vi } from 'vitest'
import { tarEntries } from '../src/respond/tar/tar-entries.ts'
import { store } from './dag-fixtures.ts'
import { drain, get, KIB, noise, serve } from './fixtures.ts'
import { directory, file } from './tar-fixtures.ts'

it('few blocks are read at a time for all requests that come at once', async () => {
  const { gateway, blockstore } = serve({ limits: { heldBytes: 64 * 1024 * KIB } })
  const bytes = noise(100 * KIB)
  const cid = CID.createV1(raw.code, await sha256.digest(bytes))
  await blockstore.put(cid, bytes)
  let [reading, most] = [0, 0]
  vi.spyOn(blockstore, 'get').mockImplementation(async function * () {
    reading++
    most = Math.max(most, reading)
    await new Promise(resolve => { setImmediate(resolve) })
    yield bytes
    reading--
  })
  // whoever waits long for a block holds nothing most of that time
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  onTestFinished(() => { vi.useRealTimers() })
  await Promise.all(Array.from({ length: 50 }, async () => drain(await gateway(get(`${cid}?format=raw`)))))

  expect(most).toBe(4)
})

it('the directories above an entry of an archive count, and have a limit', { tags: 'slow' }, async () => {
  const here = store()
  const { signal } = new AbortController()
  const most = async (depth: number): Promise<number> => {
    const held = [0]
    let cid = await file(here, 'a')

    for (let i = 0; i < depth; i++) {
      cid = await directory(here, [['a', cid], ['b'.repeat(1024 * KIB), await file(here, '')]])
    }

    const stats = { ...await ipfsz(here).stat(cid), cid }
    const from = { fs: ipfsz(here), blocks: here.blockstore }
    const entries = tarEntries('x', stats, from, { signal, hold: bytes => { held.push(bytes) } })
    await Array.fromAsync(entries)
    expect(held.at(-1)).toBe(0)

    return Math.max(...held)
  }

  expect(await most(3)).toBeGreaterThan(6 * 1024 * KIB)
  await expect(most(20)).rejects.toMatchObject({ name: 'InvalidDagError' })
})
