import { UnixFS } from 'ipfs-unixfs'
import { describe, expect, it } from 'vitest'
import { mended } from './installed.ts'

describe('ipfs-unixfs, by protons-runtime', () => {
  it('writes a size of 2 GiB as another number', () => {
    const written = new UnixFS({ type: 'file' })
    written.addBlockSize(2n ** 31n)

    const { blockSizes } = UnixFS.unmarshal(written.marshal())

    expect(blockSizes, mended('ipfs-unixfs', 'packages/core/src/dag/marshal.ts, with mend-layout.ts,'))
      .not.toEqual([2n ** 31n])
  })
})
