import { codecs } from '@ipfsz/codecs/all'
import { mark } from '@ipfsz/core'
import { describe, expect, it } from 'vitest'
import { MIB, repeated, SeekableParts } from '../../../test/support/seekable-parts.ts'
import { bytesOf, get, serve, text } from './fixtures.ts'

const BYTES = text(1000)

describe('a range of a stream with a hostile seek table', () => {
  it.each([
    ['has no original bytes between its frames, and sends what was asked for', 0, 206],
    ['has far more stored than original bytes, and is refused', 1, 422]
  ])('%s', async (_, size, status) => {
    const { gateway, blockstore } = serve()
    const parts = new SeekableParts(blockstore)
    const frame = [await parts.leaf(await codecs.zstd().compress(BYTES)), 1000] as const
    const between = repeated([await parts.zeros(64 * MIB), size] as const, 500)
    const cid = mark(await parts.stream([frame, ...between, frame]), 'zstd')
    const response = await gateway(get(`${cid}`, { range: 'bytes=999-1500' }))
    const bytes = await bytesOf(response)

    expect(response.status).toBe(status)
    expect(status !== 206 || Buffer.compare(bytes, Buffer.concat([BYTES, BYTES]).subarray(999, 1501)) === 0).toBe(true)
  })
})
