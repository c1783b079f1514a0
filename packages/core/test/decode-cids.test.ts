import { decodeCids } from '@ipfsz/utils/decode-cids'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { DAG_PB, files, RAW, toV0, ZSTD } from './link-fixtures.ts'

describe('decodeCids', () => {
  const cids = fc.tuple(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(RAW, DAG_PB, ZSTD, 0),
    fc.constantFrom(sha256, identity),
    fc.boolean()
  )

  it('decodes CIDs as multiformats does', async () => {
    await fc.assert(fc.asyncProperty(fc.array(cids, { maxLength: 4 }), async (list) => {
      const made = await Promise.all(list.map(async ([bytes, code, hasher, v0]) => {
        const cid = CID.createV1(code, await hasher.digest(bytes))

        return v0 && hasher === sha256 ? toV0(cid) : cid
      }))
      const decoded = decodeCids(Buffer.concat(made.map(cid => cid.bytes)))

      expect(decoded.map(String)).toEqual(made.map(String))
      decoded.forEach((cid, i) => { expect(cid.equals(made[i])).toBe(true) })
    }))
  })

  it('accepts and refuses the same bytes as multiformats', () => {
    fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({
      maxLength: 8
    }).map(bytes => Buffer.concat([files[0].bytes.subarray(0, 30 + bytes.byteLength), bytes]))), bytes => {
      const theirs = attempt(() => {
        const found: string[] = []

        for (let rest: Uint8Array = bytes; rest.byteLength > 0;) {
          const [cid, remainder] = CID.decodeFirst(rest)
          found.push(cid.toString())
          rest = remainder
        }

        return found
      })

      expect(attempt(() => decodeCids(bytes).map(String))).toEqual(theirs)
    }))
  })
})

function attempt (decode: () => string[]): string[] | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}
