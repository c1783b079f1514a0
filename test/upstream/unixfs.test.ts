import { MemoryBlockstore } from 'blockstore-core'
import { UnixFS } from 'ipfs-unixfs'
import { exporter } from 'ipfs-unixfs-exporter'
import { importFile } from 'ipfs-unixfs-importer'
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

describe('ipfs-unixfs-importer', () => {
  it('stores the block of a leaf as the content of a file with metadata', async () => {
    const blockstore = new MemoryBlockstore()
    const file = { content: Uint8Array.of(1, 2, 3), mode: 0o600 }
    const { cid } = await importFile(file, blockstore, { rawLeaves: false })

    expect(
      (await exporter(cid, blockstore)).size,
      mended('ipfs-unixfs-importer', 'isOnlyNode in packages/core/src/dag/mend-layout.ts')
    ).not.toBe(3n)
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
