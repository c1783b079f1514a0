import { describe, expect, it } from 'vitest'
import { matchesIfMatch } from '../src/request/conditions.ts'
import { addCompressed, bytesOf, get, serve, text } from './fixtures.ts'

const ZSTD = { 'accept-encoding': 'zstd' }

describe('If-Match', () => {
  it.each([
    ['the ETag', '"CID"', 200], ['one of several', '"other", "CID"', 200], ['anything', '*', 200],
    ['another one', '"other"', 412], ['a weak one', 'W/"CID"', 412], ['nothing that is a tag', 'CID', 412],
    ['that of another format', '"CID.raw"', 412]
  ])('that names %s of a file is answered so', async (_, named, status) => {
    const { gateway, fs } = serve()
    const cid = await addCompressed(fs, text(5000), 'zstd', 64 * 1024)
    const ifMatch = { 'if-match': named.replace('CID', `${cid}`) }

    expect((await gateway(get(`${cid}`, ifMatch))).status).toBe(status)
    expect((await gateway(get(`${cid}`, ifMatch, 'HEAD'))).status).toBe(status)
    expect((await gateway(get(`${cid}`, { ...ifMatch, range: 'bytes=5-9' }))).status).toBe(status === 200 ? 206 : 412)
    // it goes first
    expect((await gateway(get(`${cid}`, { ...ifMatch, 'if-none-match': '*' }))).status).toBe(status === 200 ? 304 : 412)
    // as HEAD gives the tag of the original bytes, it names those that are stored, too
    const coded = await gateway(get(`${cid}`, { ...ZSTD, ...ifMatch }))
    expect([coded.status, coded.headers.get('content-encoding')]).toEqual([status, status === 200 ? 'zstd' : null])
  })

  it('names what is sent with a coding by its own ETag', async () => {
    const { gateway, fs } = serve()
    const cid = await addCompressed(fs, text(5000), 'zstd', 64 * 1024)
    const { headers } = await gateway(get(`${cid}`, ZSTD))
    const ifMatch = { 'if-match': headers.get('etag') ?? '' }

    expect((await gateway(get(`${cid}`, { ...ZSTD, ...ifMatch }))).status).toBe(200)
    expect((await gateway(get(`${cid}`, ifMatch))).status).toBe(412)
  })

  it.each(['"CID.zstd"', '"CID.dcz.DICTIONARY"', 'W/"CID.DICTIONARY.fast-dcz"'])(
    'names %s by the ETag of the original bytes, and no other', etag => {
      expect(matchesIfMatch('"CID"', etag, true)).toBe(true)
      expect(matchesIfMatch('"CID"', etag, false)).toBe(false)
      expect(matchesIfMatch('"CID.zst"', etag, true)).toBe(false)
    }
  )

  it('counts for directories, blocks and CARs, and not for what is missing', async () => {
    const { gateway, fs } = serve()
    const file = await fs.addBytes(text(100))
    const directory = await fs.cp(file, await fs.addDirectory(), 'a.txt')

    for (const path of [`${directory}/`, `${file}?format=raw`, `${file}?format=car`]) {
      const response = await gateway(get(path))
      await bytesOf(response)
      const own = { 'if-match': response.headers.get('etag') ?? '' }

      expect((await gateway(get(path, own))).status, path).toBe(200)
      expect((await gateway(get(path, { 'if-match': '"other"' }))).status, path).toBe(412)
    }

    expect((await gateway(get(`${directory}/none`, { 'if-match': '"other"' }))).status).toBe(404)
  })
})
