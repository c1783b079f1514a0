import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { followDocument } from '../src/dag/document.ts'
import { PathLimit } from '../src/dag/path-limit.ts'
import { bytesOf, get, same, serve, text } from './fixtures.ts'

/** A document of many keys, too large to be looked through at once. */
const LARGE = dagCbor.encode(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`${i + 10_000}`, 0])))
const cidOf = async (block: Uint8Array): Promise<CID> => CID.createV1(dagCbor.code, await sha256.digest(block))

/** Each look at the processor time finds that so many milliseconds have passed. */
function passTime (milliseconds: number): void {
  let user = 0
  const usage = vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({
    user: user += milliseconds * 1000, system: 0
  }))
  onTestFinished(() => { usage.mockRestore() })
}

describe('the path of a request through large documents', () => {
  it('is refused when following it takes too long', async () => {
    const { gateway, blockstore } = serve({ limits: { pathTime: 100 } })
    const cid = await cidOf(LARGE)
    await blockstore.put(cid, LARGE)
    passTime(30)
    const formats = ['', '?format=raw', '?format=car', '?format=dag-json']

    for (const format of formats) {
      const response = await gateway(get(`${cid}/none${format}`))
      expect({ format, status: response.status }).toEqual({ format, status: 504 })
    }

    expect(await (await gateway(get(`${cid}/none`, { accept: 'text/html' }))).text()).toContain('PathTooSlowError')
  })

  it('is not refused because the machine is busy: time without processing does not count', async () => {
    const { gateway, blockstore } = serve({ limits: { pathTime: 100 } })
    const cid = await cidOf(LARGE)
    await blockstore.put(cid, LARGE)
    passTime(0)
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now += 30)
    onTestFinished(() => { clock.mockRestore() })

    expect((await gateway(get(`${cid}/none`))).status).toBe(404)
  })

  it('lets another request be answered meanwhile', async () => {
    const { gateway, fs, blockstore } = serve({ limits: { pathTime: 1_000_000 } })
    const cid = await cidOf(LARGE)
    await blockstore.put(cid, LARGE)
    const other = await fs.addBytes(text(1000))
    passTime(10)
    const answered: string[] = []
    const ask = async (path: string): Promise<Uint8Array> => {
      const bytes = await bytesOf(await gateway(get(path)))
      answered.push(path)

      return bytes
    }
    const slow = ask(`${cid}/none`)
    await new Promise(resolve => { setTimeout(resolve) })

    expect(same(await ask(`${other}?filename=a.txt`), text(1000))).toBe(true)
    expect(answered).toHaveLength(1)
    await slow
  })

  it('adds up the time of all documents, and is refused with the limit', async () => {
    const limit = new PathLimit(100)
    const cid = await cidOf(LARGE)
    await limit.pause(cid, 60)
    await limit.pause(cid)
    await limit.pause(cid, 40)

    await expect(limit.pause(cid, 1)).rejects.toMatchObject({ name: 'PathTooSlowError', status: 504, cid, limit: 100 })
  })

  it('looks through one of them at a time, also after one that fails, and through small ones at once', async () => {
    const cid = await cidOf(LARGE)
    const steps: number[] = []
    const follow = async (number: number, block = LARGE): Promise<unknown> => followDocument(cid, block, ['none'], {
      pause: async () => {
        steps.push(number)
        await new Promise(resolve => { setTimeout(resolve) })
      }
    })
    const broken = LARGE.slice(0, -1)
    const all = [follow(1), follow(2, broken), follow(3), follow(4, dagCbor.encode({ a: 1 })), follow(5)]
    const results = await Promise.allSettled(all)
    const names = results.map(result => result.status === 'rejected' ? (result.reason as Error).name : undefined)

    expect(names).toEqual([1, 2, 3, 4, 5].map(number => number === 2 ? 'InvalidDagError' : 'EntryNotFoundError'))
    expect(steps.indexOf(4)).toBeLessThan(3)

    const large = steps.filter(number => number !== 4)
    expect(large).toEqual(large.toSorted((a, b) => a - b))
    expect(new Set(large)).toEqual(new Set([1, 2, 3, 5]))
  })
})
