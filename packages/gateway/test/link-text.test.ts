import { checkLinkTexts, parseLink } from '@ipfsz/core'
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
    `{"\\u002F":"k${LONG}"}`, `{"/":"${LONG}`, `{"/":"${LONG}","a":1}`, `{"a":"\\"","/":"${LONG}"}`,
    `{"a\\\\":{"/":"${LONG}"}}`, `{"/":{"/":"${LONG}"}}`, `{"/":"\\u007a${LONG}"}`
  ])('is refused if it is too long to be decoded: %#', text => {
    expect(() => { checkLinkTexts(encode(text)) }).toThrow('128')
    expect(() => decodeDocument(JSON_CID, encode(text))).toThrow(expect.objectContaining({ name: 'InvalidDagError' }))
    expect(() => [...linksOf(JSON_CID, encode(text))].length === 0 || text).toSatisfy((read: () => unknown) => {
      try {
        // what is no link there is passed over
        read()
        return true
      } catch (err) {
        return (err as Error).name === 'InvalidDagError'
      }
    })
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

    expect(parseLink(links[1].toString(base58btc))).toEqual(links[1])
    expect(() => parseLink(LONG)).toThrow('128')
    expect(() => parseLink(`k${LONG}`)).toThrow('128')
  })

  it('does not change what is decoded', () => {
    fc.assert(fc.property(fc.jsonValue(), value => {
      expect(() => { checkLinkTexts(encode(JSON.stringify(value))) }).not.toThrow()
    }))
    fc.assert(fc.property(fc.uint8Array(), bytes => {
      expect(() => { checkLinkTexts(bytes) }).not.toThrow()
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
