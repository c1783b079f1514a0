import { encode } from '@ipld/dag-pb'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { decodeBlock } from '../src/dag/node-links.ts'
import { fieldHead, varintField } from '../src/format/protobuf.ts'

const HASHES = [CID.parse('bafkqaaa'), CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')]

/** Names that are alike for some reader: byte order marks, invalid UTF-8, and what it is read as. */
const names = fc.oneof(
  fc.constantFrom('', 'a', '\ufeffa', '\ufeff\ufeffa', '\ufffd', 'ä', 'a'.repeat(200))
    .map(name => new TextEncoder().encode(name)),
  fc.constantFrom([0xff], [0xef, 0xbb], [0xef, 0xbb, 0xbf], [0xed, 0xa0, 0x80]).map(bytes => Uint8Array.from(bytes)),
  fc.string({ maxLength: 3 }).map(name => new TextEncoder().encode(name))
)

/** A node as dag-pb writes it, but for names that are no text. */
function toBlock (
  links: ReadonlyArray<{ name: Uint8Array | undefined, hash: CID, size: number | undefined }>
): Uint8Array {
  return Buffer.concat(links.flatMap(({ name, hash, size }) => {
    const link = Buffer.concat([
      Buffer.from(fieldHead(1, hash.bytes.byteLength)), hash.bytes,
      ...name == null ? [] : [Buffer.from(fieldHead(2, name.byteLength)), name],
      ...size == null ? [] : [Buffer.from(varintField(3, size))]
    ])

    return [Buffer.from(fieldHead(2, link.byteLength)), link]
  }))
}

describe('the links of a node', () => {
  it('have the names that they have once they are decoded', () => {
    const links = fc.array(fc.record({
      name: fc.option(names, { nil: undefined }),
      hash: fc.constantFrom(...HASHES),
      size: fc.option(fc.nat(), { nil: undefined })
    }), { maxLength: 8 })

    fc.assert(fc.property(links, fc.string({ maxLength: 2, unit: 'binary' }), (links, other) => {
      const { links: decoded } = decodeBlock(toBlock(links))
      const all = [...decoded]
      const expected = all.map(({ Name = '' }) => Name)

      expect([...decoded.names()]).toEqual(expected)

      for (const name of [...expected, other, '\ud800', '\ufeffa', '']) {
        expect(decoded.named(name)).toEqual(all.filter(({ Name }) => Name === name))
      }
    }), { numRuns: 1000 })
  })

  it('are found if lengths are written longer than they need be', () => {
    const hash = HASHES[0].bytes
    const link = Buffer.concat([
      Buffer.from([0x8a, 0x00, 0x80 | hash.byteLength, 0x00]), hash, Buffer.from([0x92, 0x00, 0x81, 0x00, 0x61])
    ])
    const { links } = decodeBlock(Buffer.concat([Buffer.from([0x92, 0x00, 0x80 | link.byteLength, 0x00]), link]))

    expect([...links.names()]).toEqual(['a'])
    expect(links.named('a')).toEqual([...links])
  })

  it('are those that dag-pb writes', () => {
    const Links = [{ Name: 'a', Hash: HASHES[0], Tsize: 1 }, { Name: 'b', Hash: HASHES[1], Tsize: 2 ** 40 }]

    expect(decodeBlock(encode({ Links })).links.named('b')).toEqual([Links[1]])
  })
})
