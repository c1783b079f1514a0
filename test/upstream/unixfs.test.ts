import { UnixFS } from 'ipfs-unixfs'
import { describe, expect, it } from 'vitest'
import { mended } from './installed.ts'

describe('ipfs-unixfs, by protons-runtime', () => {
  it('does not read back a size of 2 GiB that it wrote', () => {
    const unixfs = new UnixFS({ type: 'file' })
    unixfs.addBlockSize(2n ** 31n)

    expect(sizeIn(unixfs.marshal()), mended('ipfs-unixfs', 'packages/core/src/dag/marshal.ts, with mend-layout.ts,'))
      .not.toBe(unixfs.fileSize())
  })
})

/** The size of the file, undefined if the bytes cannot be read: some of them are not initialized. */
function sizeIn (bytes: Uint8Array): bigint | undefined {
  try {
    return UnixFS.unmarshal(bytes).fileSize()
  } catch {
    return undefined
  }
}
