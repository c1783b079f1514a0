import * as dagJson from '@ipld/dag-json'
import fc from 'fast-check'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { decodeDocument } from '../src/dag/document.ts'
import { linksOf } from '../src/dag/links.ts'
import { get, serve } from './fixtures.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const JSON_CID = CID.createV1(dagJson.code, identity.digest(new Uint8Array(1)))
/** The decoder would take hours for it. */
const LONG = `z${'x'.repeat(2_000_000)}`

describe('a link in DAG-JSON', () => {
  it.each([
    `{"/":"${LONG}"}`, `[{"/" : \n"${LONG}"}]`, `{"a":{"b":1,"c":{"\\/":"${LONG}"}}}`, `{"\\u002f":"${LONG}"}`,
    `{"\\u002F":"k${LONG}"}`, `{"/":"${LONG}`, `{"/":"${LONG}","a":1}`,
    `{"a\\\\":{"/":"${LONG}"}}`, `{"/":{"/":"${LONG}"}}`, `{"/":"\\u007a${LONG}"}`
  ])('is refused if it is too long to be decoded: %#', text => {
    for (const read of [decodeDocument, (...args: Parameters<typeof linksOf>) => [...linksOf(...args)]]) {
      expect(() => read(JSON_CID, encode(text))).toThrow(expect.objectContaining({ name: 'InvalidDagError' }))
    }
  })

  it('is read as long as CIDs are, and of any length in base32', { tags: 'slow' }, async () => {
    const digests = [
      await sha256.digest(Uint8Array.of(1)), await sha512.digest(Uint8Array.of(1)),
      identity.digest(new Uint8Array(30_000))
    ]
    const links = digests.map(digest => CID.createV1(raw.code, digest))
    const value = { links, text: LONG, '/a': LONG, bytes: new Uint8Array(1000) }
    const block = dagJson.encode(value)

    expect(decodeDocument(JSON_CID, block)).toEqual(value)
    expect([...linksOf(JSON_CID, block)]).toEqual(links)

    const other = encode(`{"a":"\\"","/":"${LONG}"}`)
    expect(decodeDocument(JSON_CID, other)).toEqual({ a: '"', '/': LONG })
    const short = encode(`{"/":"${links[1].toString(base58btc)}"}`)
    expect([...linksOf(JSON_CID, short)]).toEqual([links[1]])
  })

  it('does not change what is decoded', () => {
    fc.assert(fc.property(fc.jsonValue(), value => {
      const block = encode(JSON.stringify(value))
      let decoded: unknown

      try {
        decoded = dagJson.decode(block)
      } catch {
        // it reserves some maps with the key `/`
        return
      }

      expect(decodeDocument(JSON_CID, block)).toEqual(decoded)
    }))
    fc.assert(fc.property(fc.uint8Array(), bytes => {
      try {
        decodeDocument(JSON_CID, bytes)
      } catch (err) {
        expect(err).toMatchObject({ name: 'InvalidDagError' })
      }
    }))
  })

  it('that is too long is answered with 422, as a page and in a path', async () => {
    const { gateway, blockstore } = serve()
    const block = encode(`{"a":{"/":"${LONG}"}}`)
    const cid = CID.createV1(dagJson.code, await sha256.digest(block))
    await blockstore.put(cid, block)

    for (const [path, status] of [['', 200], ['/a', 422]] as const) {
      const response = await gateway(get(`${cid}${path}`, { accept: 'text/html' }))
      expect(response.status).toBe(status)
      await response.body?.cancel()
    }
  })
})
