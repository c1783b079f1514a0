import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it } from 'vitest'
import { CorruptBlockError, DigestLengthError, UnknownHashError } from '../src/errors.ts'

const RAW = 0x55
const CID_OF_UNKNOWN_HASH = CID.createV1(RAW, create(0x300001, new Uint8Array(32)))

describe('an error', () => {
  it('holds the CID, the reason and the cause of a corrupt block', () => {
    const cause = new Error('the reason')
    const cid = CID_OF_UNKNOWN_HASH

    expect(new CorruptBlockError(cid)).toMatchObject({ name: 'CorruptBlockError', cid })
    expect(new CorruptBlockError(cid, { cause, reason: 'its envelope is cut short' }))
      .toMatchObject({ name: 'CorruptBlockError', cid, cause, reason: 'its envelope is cut short' })
  })

  it('holds the code of an unknown hash function', () => {
    expect(new UnknownHashError(CID_OF_UNKNOWN_HASH))
      .toMatchObject({ name: 'UnknownHashError', cid: CID_OF_UNKNOWN_HASH, code: 0x300001 })
  })

  it('holds the length of a digest, and shortens a long CID in its message', () => {
    const cid = CID.createV1(RAW, identity.digest(new Uint8Array(10_000)))
    const err = new DigestLengthError(cid, 'more than 128')

    expect(err).toMatchObject({ name: 'DigestLengthError', cid, length: 10_000 })
    expect(err.message.length).toBeLessThan(200)
  })
})
