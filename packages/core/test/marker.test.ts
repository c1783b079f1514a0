import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { codecName } from '../src/codec-names.ts'
import { isMarked, mark, markerCodecs, MARKERS, unmark } from '../src/marker.ts'
import type { MarkerName } from '../src/marker.ts'
import type { CodecName } from '@ipfsz/codecs'

const V0 = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
const V1 = V0.toV1()

describe('markers', () => {
  it('have the codes of docs/format.md, section 1', () => {
    expect(MARKERS).toEqual({
      tree: 0x3f5a00,
      gzip: 0x3f5a01,
      lz4: 0x3f5a02,
      lzo: 0x3f5a03,
      snappy: 0x3f5a04,
      zstd: 0x3f5a05,
      brotli: 0x3f5a06
    })
  })

  it.each(Object.entries(MARKERS))('mark and unmark a CID of either version: %s', (name, code) => {
    for (const cid of [V0, V1]) {
      const marked = mark(cid, code)

      expect(mark(cid, name as MarkerName)).toEqual(marked)

      expect(marked.version).toBe(1)
      expect(marked.code).toBe(code)
      expect(marked.multihash.bytes).toEqual(cid.multihash.bytes)
      expect(isMarked(marked)).toBe(true)
      expect(unmark(marked).toString()).toBe(V1.toString())
    }
  })

  it('turn a plain CID into a known marked CID', () => {
    expect(mark(V1, MARKERS.zstd).toString()).toBe(
      'bagc3j7ibciqftfeehedf6klbt32bfaglxezl4uwfnwm4lftlmxqbcerz6cmlx3y'
    )
  })

  it('leave a plain CID as it is', () => {
    expect(isMarked(V1)).toBe(false)
    expect(unmark(V0)).toBe(V0)
  })

  it('refuse anything but dag-pb', () => {
    for (const code of [raw.code, MARKERS.zstd]) {
      expect(() => mark(CID.createV1(code, V1.multihash), MARKERS.zstd))
        .toThrow(expect.objectContaining({ name: 'NotMarkableError' }))
    }
  })

  it('have literal types, by name and by code', () => {
    expectTypeOf(MARKERS.zstd).toEqualTypeOf<0x3f5a05>()
    expectTypeOf(MARKERS.tree).toEqualTypeOf<0x3f5a00>()
    expectTypeOf(mark(V1, 'zstd')).toEqualTypeOf<CID<unknown, 0x3f5a05, number, 1>>()
    expectTypeOf(mark(V1, MARKERS.tree)).toEqualTypeOf<CID<unknown, 0x3f5a00, number, 1>>()
    expectTypeOf<ReturnType<typeof mark<number>>>().toEqualTypeOf<CID<unknown, number, number, 1>>()
    expectTypeOf(mark).parameter(1).extract<string>().toEqualTypeOf<MarkerName>()
    expectTypeOf<MarkerName>().toEqualTypeOf<CodecName | 'tree'>()
    expectTypeOf(mark(V1, 'zstd')).toExtend<CID>()
  })

  it('refuse a code or a name that is not a marker', () => {
    for (const code of [0x55, 'ipfsz-zstd', 'toString', '']) {
      expect(() => mark(V1, code as MarkerName)).toThrow(expect.objectContaining({ name: 'UnknownMarkerError', code }))
    }
  })

  it('give the codec name of a file, and none for a tree', () => {
    expect(codecName(0x3f5a05)).toBe('zstd')
    expect(codecName(0x3f5a00)).toBeUndefined()
  })

  it('are IPLD codecs that encode and decode dag-pb blocks', () => {
    const node = dagPb.prepare({ Data: Uint8Array.of(8, 1) })
    const block = dagPb.encode(node)

    expect(markerCodecs.map(codec => codec.code)).toEqual(Object.values(MARKERS))
    expect(markerCodecs.map(codec => codec.name)).toEqual(Object.keys(MARKERS).map(name => `ipfsz-${name}`))

    for (const codec of markerCodecs) {
      expect(codec.decode(block)).toEqual(node)
      expect(codec.encode(node)).toEqual(block)
    }
  })
})
