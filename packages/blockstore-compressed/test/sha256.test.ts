import { sha256 as reference } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { noise } from '../../../test/support/data.ts'
import { sha256 } from '../src/sha256.ts'

const LARGE = noise(256 * 1024)

describe('sha256', () => {
  it.each([0, 1, LARGE.byteLength - 1, LARGE.byteLength])('is that of multiformats, of %d bytes', async length => {
    const bytes = LARGE.subarray(0, length)

    expect(await sha256.digest(bytes)).toEqual(await reference.digest(bytes))
  })

  it('hashes large blocks on another thread', async () => {
    const digest = vi.spyOn(crypto.subtle, 'digest')

    await sha256.digest(LARGE.subarray(1))
    expect(digest).not.toHaveBeenCalled()
    await sha256.digest(LARGE)
    expect(digest).toHaveBeenCalledOnce()
    digest.mockRestore()
  })

  it('hashes what is in shared memory on this one', async () => {
    const expected = await reference.digest(LARGE)
    const shared = new Uint8Array(new SharedArrayBuffer(LARGE.byteLength))
    shared.set(LARGE)

    expect(await sha256.digest(shared)).toEqual(expected)
  })
})
