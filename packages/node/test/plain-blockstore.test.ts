import { readFile } from 'node:fs/promises'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { makePlainStore, removeStore } from './temporary.ts'
import type { PlainBlockstore } from '../src/blocks/plain-blockstore.ts'

/** The first bytes of a zstd envelope (docs/format.md, section 5). */
const MARKER = [0x82, 0xb4, 0xfd, 0x01]

describe('PlainBlockstore', () => {
  it('reads blocks that were compressed meanwhile, and blocks that only begin like an envelope', {
    tags: 'slow'
  }, async () => {
    const store = await makePlainStore()
    const compressing = new CompressedBlockstore(store)

    for (const bytes of [new TextEncoder().encode('again '.repeat(1000)), Uint8Array.from([...MARKER, 1, 2, 3])]) {
      const cid = CID.createV1(raw.code, await sha256.digest(bytes))
      await compressing.put(cid, bytes)
      expect(await storedAt(store)).not.toEqual(bytes)
      expect(await bytesOf(store, cid)).toEqual(bytes)

      await store.delete(cid)
      await store.put(cid, bytes)
      expect(await bytesOf(store, cid)).toEqual(bytes)
    }

    await removeStore(store)
  })

  it('reads a large block unchanged, even if later pieces of it begin like an envelope', { tags: 'slow' }, async () => {
    const store = await makePlainStore()
    const bytes = new Uint8Array(33 * 1024 * 1024)

    for (let i = 64 * 1024; i < bytes.byteLength; i += 64 * 1024) {
      bytes.set(MARKER, i)
    }

    const cid = CID.createV1(raw.code, await sha256.digest(bytes))
    await store.put(cid, bytes)

    expect(Buffer.compare(await bytesOf(store, cid), bytes)).toBe(0)
    await removeStore(store)
  })
})

async function bytesOf (store: PlainBlockstore, cid: CID): Promise<Uint8Array> {
  return new Uint8Array(Buffer.concat(await Array.fromAsync<Uint8Array>(store.get(cid))))
}

async function storedAt (store: PlainBlockstore): Promise<Uint8Array> {
  const [[file]] = await Array.fromAsync(store.files())

  return new Uint8Array(await readFile(file.path))
}
