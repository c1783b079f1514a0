import { gzip } from '@ipfsz/codecs/gzip'
import { lz4 } from '@ipfsz/codecs/lz4'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { ipfsz as withAll } from '../src/index.ts'
import { ipfsz } from '../src/with-codecs.ts'

const BYTES = new TextEncoder().encode('the same words again and again, '.repeat(10_000))

describe('ipfsz with named codecs', () => {
  it('adds the same files as with all codecs, and reads them', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore }, { codecs: [gzip()] })
    const cid = await fs.addBytes(BYTES, { compression: { codec: 'gzip' } })

    expect(cid).toEqual(await withAll({ blockstore }).addBytes(BYTES, { compression: { codec: 'gzip' } }))
    expect(new Blob(await Array.fromAsync(fs.cat(cid)) as BlobPart[]).size).toBe(BYTES.byteLength)
  })

  it('refuses to write or read with a codec that it was not given', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore }, { codecs: [lz4()] })
    const cid = await withAll({ blockstore }).addBytes(BYTES)

    await expect(fs.addBytes(BYTES, { compression: { codec: 'gzip' } })).rejects.toMatchObject({
      name: 'UnknownCodecError'
    })
    await expect(Array.fromAsync(fs.cat(cid))).rejects.toMatchObject({ name: 'UnknownCodecError' })
  })

  it('refuses a number of bytes in flight that is not above 0', () => {
    expect(() => ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: [], inFlightBytes: 0 }))
      .toThrow(expect.objectContaining({ name: 'InvalidParametersError' }))
  })
})
