import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { encodeDirectory, encodeLink } from '../src/directory/encode-directory.ts'

const digest = await sha256.digest(new Uint8Array(1))
const cids = [CID.createV1(dagPb.code, digest), CID.createV0(digest), CID.createV1(0x55, digest)]

const links = fc.uniqueArray(fc.record({
  Name: fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ minLength: 100, maxLength: 300 })),
  Hash: fc.constantFrom(...cids),
  Tsize: fc.oneof(fc.nat(), fc.maxSafeNat())
}), { maxLength: 40, selector: ({ Name }) => Name })

describe('encodeDirectory', () => {
  it('makes the same block as dag-pb', () => {
    const orders = fc.constantFrom('links-first', 'data-first')

    fc.assert(fc.property(links, fc.uint8Array(), orders, (Links, Data, order) => {
      const ours = Links.map(({ Name, Hash, Tsize }) => encodeLink(Name, Hash.bytes, Tsize))
      const block = dagPb.encode(dagPb.prepare({ Links, Data }), { fieldOrder: order })

      expect(Buffer.compare(encodeDirectory(ours, Data, order), block)).toBe(0)
    }))
  })

  it('refuses a size that a number cannot hold', () => {
    expect(() => encodeLink('a', cids[0].bytes, 2 ** 53)).toThrow(RangeError)
  })
})
