import { CID } from 'multiformats/cid'
import { describe, expect, it, vi } from 'vitest'
import { ipfsz } from '@ipfsz/core'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import { respondCar } from '../src/respond/trustless/car.ts'
import { contextOf, readCar, store, tree } from './dag-fixtures.ts'
import { drain } from './fixtures.ts'

describe('the response of a CAR', () => {
  it('says what it is', async () => {
    const here = store()
    const cid = await tree(here)
    const response = await respondCar(contextOf(here, `/ipfs/${cid}?format=car`, { cid }))

    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
      'content-disposition': `attachment; filename="${cid}.car"`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'none',
      'cache-control': 'public, max-age=29030400, immutable',
      'x-ipfs-path': `/ipfs/${cid}`,
      'x-ipfs-roots': cid.toString()
    })
    expect(response.headers.has('content-location')).toBe(false)
    expect(response.headers.get('vary')).toBe('Accept')
    expect(await readCar(await response.bytes())).toMatchObject({ root: cid.toString() })
  })

  it('follows the parameters of Accept, and says where caches keep it', async () => {
    const here = store()
    const cid = await tree(here)
    const headers = { accept: 'application/vnd.ipld.car; order=unk; dups=y' }
    const response = await respondCar(contextOf(here, `/ipfs/${cid}?dag-scope=block`, { cid }, { headers }))

    expect(response.headers.get('content-type')).toBe('application/vnd.ipld.car; version=1; order=dfs; dups=y')
    expect(response.headers.get('content-location')).toBe(`/ipfs/${cid}?dag-scope=block&format=car`)
    expect(response.headers.get('vary')).toBe('Accept')
    expect((await readCar(await response.bytes())).cids).toEqual([cid.toString()])
  })

  it('has another ETag for every other body, and answers 304', async () => {
    const here = store()
    const cid = await tree(here)
    const { cid: file } = await here.fs.stat(cid, { path: 'a.bin' })
    const { cid: inner } = await here.fs.stat(cid, { path: 'inner' })
    const etags: string[] = []

    for (const [path, query, leads] of [
      ['', '', cid], ['', '&dag-scope=block', cid], ['', '&dag-scope=entity', cid], ['', '&car-dups=y', cid],
      ['/a.bin', '', file], ['/a.bin', '&entity-bytes=0:*', file], ['/a.bin', '&entity-bytes=0:5', file],
      ['/copy.bin', '', file], ['/inner', '', inner]
    ] as const) {
      const url = `/ipfs/${cid}${path}?format=car${query}`
      const ask = async (headers = {}, method = 'GET'): Promise<Response> =>
        respondCar(contextOf(here, url, { cid: leads, roots: [cid] }, { headers, method }))
      const etag = (await ask()).headers.get('etag') ?? ''
      const again = await ask({ 'if-none-match': `"other", W/${etag}` })

      expect((await ask({}, 'HEAD')).headers.get('etag')).toBe(etag)
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag])
      etags.push(etag)
    }

    expect(new Set(etags).size).toBe(etags.length)
    expect(etags[5]).toMatch(/^"entity\.0:\*\./)
  })

  it('sends no body for HEAD, but finds what is missing', async () => {
    const here = store()
    const cid = await tree(here)
    const head = async (): Promise<Response> =>
      respondCar(contextOf(here, `/ipfs/${cid}?format=car`, { cid }, { method: 'HEAD' }))

    here.blockstore.gets.length = 0
    const response = await head()
    expect([response.status, response.body]).toEqual([200, null])
    expect(here.blockstore.gets).toEqual([cid.toString()])

    here.blockstore.delete(cid)
    await expect(head()).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('starts at the CID that an IPNS name stands for, along its path', async () => {
    const here = store()
    const root = await tree(here)
    const { cid } = await here.fs.stat(root, { path: 'inner/1.txt' })
    const { cid: inner } = await here.fs.stat(root, { path: 'inner' })
    const resolved = { cid, roots: [root, inner, cid], names: ['inner', '1.txt'], ttl: 90.5 }
    const response = await respondCar(contextOf(here, '/ipns/example.com/1.txt?format=car', resolved))

    expect(response.headers.get('cache-control')).toBe('public, max-age=90')
    expect((await readCar(await response.bytes())).cids).toEqual([root, inner, cid].map(String))
  })

  it('names plain CIDs for a marked one', async () => {
    const here = store()
    const marked = await ipfsz(here).addBytes(new Uint8Array(300_000))
    const plain = CID.createV1(0x70, marked.multihash)
    const response = await respondCar(contextOf(here, `/ipfs/${marked}?format=car`, { cid: marked, roots: [plain] }))

    expect(marked.code).not.toBe(0x70)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${plain}.car"`)
    expect(await readCar(await response.bytes())).toMatchObject({ root: plain.toString() })
  })

  it('gives its memory back at its end', async () => {
    const here = store()
    const entries = Array.from({ length: 1000 }, (_, i) => ({ path: `${i}`, content: new Uint8Array([i, i >> 8]) }))
    const [{ cid }] = (await Array.fromAsync(here.fs.addAll(entries, { wrapWithDirectory: true }))).slice(-1)
    const context = contextOf(here, `/ipfs/${cid}?format=car`, { cid })
    const memory = new MemoryBudget(1_000_000_000)
    const hold = vi.spyOn(memory, 'hold')

    await drain(await respondCar({ ...context, init: { ...context.init, memory } }))

    expect(hold).toHaveBeenCalled()
    expect(memory.taken).toBe(0)
  })

  it('is cut by a block that is missing, and closes its source when nobody reads', async () => {
    const here = store()
    const cid = await tree(here)
    const { cid: file } = await here.fs.stat(cid, { path: 'b.bin' })
    here.blockstore.delete(file)
    const ask = async (): Promise<Response> => respondCar(contextOf(here, `/ipfs/${cid}?format=car`, { cid }))

    await expect(drain(await ask())).rejects.toMatchObject({ name: 'NotFoundError' })

    here.blockstore.gets.length = 0
    await (await ask()).body?.cancel()
    expect(here.blockstore.gets).toEqual([cid.toString()])
  })
})
