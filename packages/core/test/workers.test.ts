import { allCodecs } from '@ipfsz/codecs/all'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { ipfsz } from '../src/index.ts'
import { noise, text } from './fixtures.ts'
import type { Codec, PrepareOptions } from '@ipfsz/codecs'

const FRAME_SIZE = 64 * 1024

/** Small pieces, which must be joined into frames. The workers take the frames' memory. */
async function * pieces (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes.byteLength; position += 10_000) {
    yield bytes.subarray(position, position + 10_000)
  }
}

it('announces frames to the codec before it reads their blocks, and no more than a range takes', async () => {
  const [codec] = allCodecs()
  const order: string[] = []
  const announced: PrepareOptions[] = []
  const announcing: Codec = {
    ...codec,
    prepare (options) {
      order.push('announced')
      announced.push(options)
    }
  }
  const blockstore = new MemoryBlockstore()
  const fs = ipfsz({
    blockstore: {
      put: blockstore.put.bind(blockstore),
      has: blockstore.has.bind(blockstore),
      get (cid, options) {
        order.push('block')
        return blockstore.get(cid, options)
      }
    }
  }, { codecs: [announcing] })
  const bytes = text(8 * FRAME_SIZE)
  const cid = await fs.addBytes(bytes, { compression: { codec: codec.name, frameSize: FRAME_SIZE, leafSize: 10_000 } })

  // adding announces too
  order.length = 0
  announced.length = 0

  for await (const chunk of fs.cat(cid, { offset: FRAME_SIZE, length: 2 * FRAME_SIZE })) {
    expect(chunk.byteLength).toBe(FRAME_SIZE)
  }

  expect(order.slice(0, 3)).toEqual(['block', 'announced', 'block'])
  expect(announced).toEqual([{ to: 'decompress', calls: 2 }])
})

const cases = allCodecs({ deterministic: true }).map(codec => [codec.name, codec] as const)

describe.each(cases)('a file that %s compressed in workers', (name, codec) => {
  it.each([
    ['text', text(600_000)],
    ['noise', noise(300_000)],
    ['whole frames', text(8 * FRAME_SIZE)]
  ])('reads back whole: %s', async (_, bytes) => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: [codec] })
    const cid = await fs.addByteStream(
      pieces(bytes),
      { compression: { codec: name, frameSize: FRAME_SIZE, detect: false } }
    )
    const back = Buffer.concat(await Array.fromAsync(fs.cat(cid)))

    expect(Buffer.compare(back, bytes)).toBe(0)
  })

  it('reads back whole if several files are added at a time', { tags: 'slow' }, async () => {
    const files = Array.from({ length: 6 }, (_, i) => ({ path: `${i}`, bytes: text(300_000 + i, i + 1) }))
    const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: [codec], inFlightBytes: 8 * FRAME_SIZE })
    const results = await Array.fromAsync(fs.addAll(
      files.map(({ path, bytes }) => ({ path, content: pieces(bytes) })),
      { compression: { codec: name, frameSize: FRAME_SIZE } }
    ))

    for (const { path, bytes } of files) {
      const cid = results.find(result => result.path === path)?.cid
      expect(Buffer.compare(Buffer.concat(await Array.fromAsync(fs.cat(cid ?? results[0].cid))), bytes), path).toBe(0)
    }
  })
})
