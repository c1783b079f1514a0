import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { WrappedBlockstore } from '../src/index.ts'
import type { Blockstore } from 'interface-blockstore'

const cid = CID.parse('bafkreihrelx7sutilapt6tdjn36d32vrac7g5wsofjhnqtpuiryiicdqte')
const bytes = Uint8Array.of(1, 2, 3)
const OPTIONS = { signal: new AbortController().signal }

/** A store with one block that notes its calls. */
async function notingStore (): Promise<{ store: Blockstore, calls: unknown[][] }> {
  const inner = new MemoryBlockstore()
  const calls: unknown[][] = []
  await inner.put(cid, bytes)

  const store = new Proxy(inner, {
    get: (_, name) => {
      const value = Reflect.get(inner, name) as unknown

      return typeof value !== 'function' ? value : (...args: unknown[]) => {
        calls.push([name, ...args])

        return Reflect.apply(value, inner, args) as unknown
      }
    }
  })

  return { store, calls }
}

describe('a wrapped blockstore', () => {
  it('passes every call on, with its options, and returns what the inner store does', async () => {
    const { store, calls } = await notingStore()
    const wrapped = new WrappedBlockstore(store)
    const [pairs, cids] = [[{ cid, bytes }], [cid]]

    expect(await wrapped.put(cid, bytes, OPTIONS)).toBe(cid)
    expect(await wrapped.has(cid, OPTIONS)).toBe(true)
    expect(await Array.fromAsync(wrapped.get(cid, OPTIONS))).toEqual([bytes])
    expect(await Array.fromAsync(wrapped.putMany(pairs, OPTIONS))).toEqual([cid])
    expect(await Array.fromAsync(wrapped.getMany(cids, OPTIONS), pair => pair.cid)).toEqual([cid])
    expect(await Array.fromAsync(wrapped.getAll(OPTIONS))).toHaveLength(1)
    await wrapped.delete(cid, OPTIONS)
    await Array.fromAsync(wrapped.deleteMany(cids, OPTIONS))

    expect(calls).toEqual([
      ['put', cid, bytes, OPTIONS],
      ['has', cid, OPTIONS],
      ['get', cid, OPTIONS],
      ['putMany', pairs, OPTIONS],
      ['getMany', cids, OPTIONS],
      ['getAll', OPTIONS],
      ['delete', cid, OPTIONS],
      ['deleteMany', cids, OPTIONS]
    ])
    expect(wrapped.unwrap()).toBe(store)
  })

  it('says that its blocks are checked if the inner store does, and never that their memory is its reader\'s', () => {
    for (const checksBlocks of [true, false, undefined]) {
      const inner = Object.assign(new MemoryBlockstore(), { checksBlocks, freshBlocks: true })
      const wrapped: WrappedBlockstore & { freshBlocks?: boolean } = new WrappedBlockstore(inner)

      expect([wrapped.checksBlocks, wrapped.freshBlocks]).toEqual([checksBlocks === true, undefined])
    }
  })
})
