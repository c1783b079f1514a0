import { unpackTar } from 'modern-tar'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, isMarked } from '@ipfsz/core'
import { respondTar } from '../src/respond/tar/tar.ts'
import { tarTime } from '../src/respond/tar/tar-time.ts'
import { noise, text } from '../../../test/support/data.ts'
import { CBOR, contextOf, PB, store, tree } from './dag-fixtures.ts'
import { drain } from './fixtures.ts'
import { ask, directory, file, symlink, unpack } from './tar-fixtures.ts'

const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)

describe('the response of a tar', () => {
  it('says what it is', async () => {
    const here = store()
    const cid = await tree(here)
    const response = await ask(here, cid)

    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/x-tar',
      'content-disposition': `attachment; filename="${cid}.tar"`,
      'x-content-type-options': 'nosniff',
      etag: `W/"${cid}.x-tar"`,
      'cache-control': 'public, max-age=29030400, immutable'
    })
    await response.body?.cancel()

    const named = await ask(here, cid, {}, '', '?format=tar&filename=testтест.tar')
    expect(named.headers.get('content-disposition'))
      .toBe('attachment; filename="test____.tar"; filename*=UTF-8\'\'test%D1%82%D0%B5%D1%81%D1%82.tar')
    await named.body?.cancel()

    expect((await ask(here, cid, { headers: { 'if-none-match': `W/"${cid}.x-tar"` } })).status).toBe(304)
    expect((await ask(here, cid, { method: 'HEAD' })).body).toBeNull()
  })

  it.each([false, true])('has every directory, file and symlink (sharded: %s)', async sharded => {
    const here = store()
    const root = await here.fs.cp(await symlink(here, '../elsewhere'), await tree(here, sharded), 'link')
    const entries = await unpack(await ask(here, root))
    const found = new Map(entries)

    expect(found.size).toBe(entries.length)
    expect(entries).toHaveLength(1 + 3 + 1 + 64 + 1)
    expect(entries[0]).toEqual([`${root}/`, 'directory '])
    expect(found.get(`${root}/a.bin`)).toBe(latin1(noise(123)))
    expect(found.get(`${root}/link`)).toBe('symlink ../elsewhere')
    expect(found.get(`${root}/inner/7.txt`)).toBe(latin1(noise(3, 7)))
    expect(found.get(`${root}/inner/`)).toBe('directory ')
  })

  it('has a single file, named as the path says', async () => {
    const here = store()
    const cid = await file(here, 'hello')
    const root = await here.fs.cp(cid, await here.fs.addDirectory(), 'ą ę.txt')

    expect(await unpack(await ask(here, cid))).toEqual([[cid.toString(), 'hello']])
    expect(await unpack(await ask(here, root, {}, 'ą ę.txt'))).toEqual([['ą ę.txt', 'hello']])
  })

  it('has the original bytes of a marked tree, and the stored ones of its plain twin', async () => {
    const here = store()
    const fs = ipfsz(here)
    const bytes = text(200_000)
    let marked: CID | undefined

    for await (const { cid } of fs.addAll([
      { path: 'dir/a.txt', content: bytes }, { path: 'dir/sub/b.txt', content: bytes },
      { path: 'dir/sub/c.bin', content: noise(50_000) }
    ])) {
      marked = cid
    }

    expect(marked != null && isMarked(marked)).toBe(true)
    const read = async (cid: CID): Promise<Map<string, string>> =>
      new Map(await unpack(await respondTar(
        contextOf(here, `/ipfs/${cid}?format=tar`, { cid, roots: [cid], stats: await fs.stat(cid) })
      )))
    const originals = await read(marked as CID)
    const plain = CID.createV1(0x70, (marked as CID).multihash)
    const stored = await read(plain)

    expect(originals.get(`${marked}/a.txt`)).toBe(latin1(bytes))
    expect(originals.get(`${marked}/sub/b.txt`)).toBe(latin1(bytes))
    expect(originals.get(`${marked}/sub/c.bin`)).toBe(latin1(noise(50_000)))
    expect(stored.get(`${plain}/a.txt`)?.length).toBeLessThan(100_000)
  })

  it.each<[mtime: { secs: bigint, nsecs?: number } | undefined, header: number, pax: string | undefined]>([
    [undefined, 0, undefined],
    [{ secs: 1_000_000_000n }, 1_000_000_000, undefined],
    [{ secs: 1_000_000_000n, nsecs: 0 }, 1_000_000_000, undefined],
    [{ secs: 1_000_000_000n, nsecs: 120_000_000 }, 1_000_000_000, '1000000000.12'],
    [{ secs: 0n, nsecs: 1 }, 0, '0.000000001'],
    [{ secs: -86_400n }, 0, '-86400'],
    [{ secs: -1n, nsecs: 500_000_000 }, 0, '-0.5'],
    [{ secs: -5n, nsecs: 999_999_999 }, 0, '-4.000000001'],
    [{ secs: 8n ** 11n - 1n }, 8 ** 11 - 1, undefined],
    [{ secs: 8n ** 11n }, 8 ** 11 - 1, '8589934592'],
    [{ secs: 2n ** 63n - 1n, nsecs: 4_000_000_000 }, 8 ** 11 - 1, '8640000000000'],
    [{ secs: -(2n ** 62n) }, 0, '-8640000000000']
  ])('keeps the time %o', async (mtime, seconds, pax) => {
    expect(tarTime(mtime)).toEqual({ mtime: new Date(seconds * 1000), ...pax == null ? {} : { pax: { mtime: pax } } })

    const here = store()
    const cid = await here.put(PB, {
      Data: new UnixFS({ type: 'file', data: Uint8Array.of(1), mtime }).marshal(),
      Links: []
    })
    const [{ header }] = await unpackTar(await (await ask(here, cid)).bytes(), { strict: true })
    expect(header.pax?.mtime).toBe(pax)
  })

  it('keeps permissions, but none of the bits that make root of who runs a program', async () => {
    const here = store()
    const put = async (type: 'directory' | 'file', mode: number): Promise<CID> => here.put(PB, {
      Data: new UnixFS({ type, mode, ...type === 'file' ? { data: Uint8Array.of(1) } : {} }).marshal(),
      Links: []
    })

    for (const [type, mode, kept] of [
      ['file', 0o640, 0o640], ['file', 0o6755, 0o755], ['file', 0o7777, 0o777], ['file', 0o4000, 0],
      ['directory', 0o1777, 0o777], ['directory', 0o7700, 0o700], ['file', 0xffff_ffff, 0o777]
    ] as const) {
      const [{ header }] = await unpackTar(await (await ask(here, await put(type, mode))).bytes(), { strict: true })
      expect(header.mode).toBe(kept)
    }
  })

  it('has names of any length', async () => {
    const here = store()
    const name = `${'ż'.repeat(120)}.txt`
    const long = 'x'.repeat(255)
    const root = await directory(here, [
      [long, await directory(here, [[long, await directory(here, [[name, await file(here, 'deep')]])]])]
    ])
    const target = await symlink(here, '/'.repeat(300))

    expect((await unpack(await ask(here, root))).at(-1)).toEqual([`${root}/${long}/${long}/${name}`, 'deep'])
    expect(await unpack(await ask(here, target))).toEqual([[target.toString(), `symlink ${'/'.repeat(300)}`]])
  })

  it('has sizes beyond 8 GiB', async () => {
    const here = store()
    const size = 9 * 1024 ** 3
    const leaf = await here.fs.addBytes(new Uint8Array(1024 * 1024), { rawLeaves: true })
    const links = Array.from({ length: size / 1024 ** 2 }, () => ({ Name: '', Hash: leaf, Tsize: 1024 * 1024 }))
    const cid = await here.put(PB, {
      Data: new UnixFS({ type: 'file', blockSizes: links.map(() => 1024n * 1024n) }).marshal(),
      Links: links
    })
    const reader = (await ask(here, cid)).body?.getReader()
    const parts: Uint8Array[] = []

    while (parts.reduce((sum, part) => sum + part.byteLength, 0) < 2048) {
      parts.push((await reader?.read())?.value ?? new Uint8Array(0))
    }

    await reader?.cancel()
    expect(new TextDecoder('latin1').decode(Buffer.concat(parts).subarray(512, 1024))).toContain(`size=${size}\n`)
  })

  it('refuses what is not UnixFS', async () => {
    const here = store()
    const cid = await here.put(CBOR, 1)

    await expect(respondTar(contextOf(here, `/ipfs/${cid}?format=tar`, { cid }))).rejects.toMatchObject({ status: 406 })
  })

  it('refuses to decompress more than the limit, in one file or in all', async () => {
    const here = store()
    const fs = ipfsz(here)
    const large = await fs.addBytes(new Uint8Array(1_000_001))
    const half = await fs.addBytes(new Uint8Array(600_000))
    const both = await fs.cp(half, await fs.cp(half, await fs.addDirectory(), 'a'), 'b')
    const get = async (cid: CID): Promise<Response> =>
      respondTar(contextOf(here, `/ipfs/${cid}?format=tar`, { cid, stats: await fs.stat(cid) }))

    await expect(get(large)).rejects.toMatchObject({ name: 'BodyTooLargeError', limit: 1_000_000 })
    expect((await unpack(await get(half)))[0][1]).toHaveLength(600_000)
    await expect(drain(await get(both))).rejects.toMatchObject({ name: 'BodyTooLargeError', limit: 1_000_000 })
  })

  it('is cut by a missing block, and ends when the request is aborted', async () => {
    const here = store()
    const root = await tree(here)
    const { cid } = await here.fs.stat(root, { path: 'inner/7.txt' })
    here.blockstore.delete(cid)
    await expect(drain(await ask(here, root))).rejects.toMatchObject({ name: 'NotFoundError' })

    const controller = new AbortController()
    const response = await ask(here, await tree(store()).then(async () => tree(here)), { signal: controller.signal })
    controller.abort()
    await expect(response.bytes()).rejects.toThrow()
  })
})
