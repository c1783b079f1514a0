import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it } from 'vitest'
import { cidKey, keyToCid } from '../src/dag/cid-key.ts'

describe('the key of a CID', () => {
  it('differs for CIDs that differ in one byte, whichever bytes they have', () => {
    const cids = Array.from({ length: 256 }, (_, i) => CID.createV1(raw.code, identity.digest(Uint8Array.of(i, 1))))

    expect(new Set(cids.map(cidKey)).size).toBe(256)
    expect(cidKey(cids[200])).toBe(cidKey(CID.parse(cids[200].toString())))
  })

  it('differs for CIDs of any length', () => {
    const cids = [20, 60, 61, 300, 200_000].flatMap(length => [0, 0x80, 0xff].map(byte =>
      CID.createV1(raw.code, identity.digest(new Uint8Array(length).fill(byte)))))

    expect(new Set(cids.map(cidKey)).size).toBe(cids.length)
  })

  it('is turned back into the CID, whichever bytes and length that has', () => {
    const v0 = CID.parse('QmYtUc4iTCbbfVSDNKvtQqrfyezPPnFvE33wFmutw9PBBk')
    const cids = [v0, v0.toV1(), ...[20, 60, 300].flatMap(length => [0, 0x80, 0xff].map(byte =>
      CID.createV1(raw.code, identity.digest(new Uint8Array(length).fill(byte)))))]

    expect(cids.map(cid => keyToCid(cidKey(cid)).toString())).toEqual(cids.map(String))
  })
})
