import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { describe, expect, it } from 'vitest'
import { codecName, isMarked, mark, markerCodecs, MARKERS, unmark } from '../src/marker.ts'

const V0 = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
const V1 = V0.toV1()

describe('markers', () => {
  it('have the codes of docs/format.md, section 1', () => {
    expect(MARKERS).toEqual({
      'ipfsz-tree': 0x3f5a00,
      'ipfsz-gzip': 0x3f5a01,
      'ipfsz-lz4': 0x3f5a02,
      'ipfsz-lzo': 0x3f5a03,
      'ipfsz-snappy': 0x3f5a04,
      'ipfsz-zstd': 0x3f5a05,
      'ipfsz-brotli': 0x3f5a06
    })
  })

  it.each(Object.entries(MARKERS))('mark and unmark a CID of either version: %s', (_, code) => {
    for (const cid of [V0, V1]) {
      const marked = mark(cid, code)

      expect(marked.version).toBe(1)
      expect(marked.code).toBe(code)
      expect(marked.multihash.bytes).toEqual(cid.multihash.bytes)
      expect(isMarked(marked)).toBe(true)
      expect(unmark(marked).toString()).toBe(V1.toString())
    }
  })

  it('turn a plain CID into a known marked CID', () => {
    expect(mark(V1, MARKERS['ipfsz-zstd']).toString()).toBe(
      'bagc3j7ibciqftfeehedf6klbt32bfaglxezl4uwfnwm4lftlmxqbcerz6cmlx3y'
    )
  })

  it('leave a plain CID as it is', () => {
    expect(isMarked(V1)).toBe(false)
    expect(unmark(V0)).toBe(V0)
  })

  it('refuse anything but dag-pb', () => {
    for (const code of [raw.code, MARKERS['ipfsz-zstd']]) {
      expect(() => mark(CID.createV1(code, V1.multihash), MARKERS['ipfsz-zstd']))
        .toThrow(expect.objectContaining({ name: 'NotMarkableError' }))
    }
  })

  it('refuse a code that is not a marker', () => {
    expect(() => mark(V1, 0x55)).toThrow(expect.objectContaining({ name: 'UnknownMarkerError', code: 0x55 }))
  })

  it('give the codec name of a file, and none for a tree', () => {
    expect(codecName(0x3f5a05)).toBe('zstd')
    expect(codecName(0x3f5a00)).toBeUndefined()
  })

  it('are IPLD codecs that encode and decode dag-pb blocks', () => {
    const node = dagPb.prepare({ Data: Uint8Array.of(8, 1) })
    const block = dagPb.encode(node)

    expect(markerCodecs.map(codec => codec.code)).toEqual(Object.values(MARKERS))

    for (const codec of markerCodecs) {
      expect(codec.decode(block)).toEqual(node)
      expect(codec.encode(node)).toEqual(block)
    }
  })
})
