import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it } from 'vitest'
import { cidKey } from '../src/dag/cid-key.ts'

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
})
