import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryBlockstore } from 'blockstore-core'
import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ipfsz } from '../src/index.ts'
import { chunked, collect, noise, text } from './fixtures.ts'
import type { CompressionOptions } from '../src/index.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

const SIZE = 256 * 1024
const MIB = 1024 * 1024

/** The CID of a file that is one of several, where nothing is compressed ahead. */
async function cidAmongOthers (content: Uint8Array, compression: CompressionOptions): Promise<CID | undefined> {
  const fs = ipfsz({ blockstore: new MemoryBlockstore() })
  const results = await Array.fromAsync(fs.addAll([{ path: 'file', content: chunked(content, 64 * 1024) }], {
    compression
  }))

  return results.at(0)?.cid
}

/** A ramp of 32-bit numbers, which is filtered. */
function numbers (length: number): Uint8Array {
  const values = Uint32Array.from({ length: length / 4 }, (_, i) => i * 70_001)

  return new Uint8Array(values.buffer)
}

async function temporaryFile (bytes: Uint8Array): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-ahead-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })
  const file = join(directory, 'file')
  await writeFile(file, bytes)

  return file
}

describe('the second frame of a file', () => {
  it('is compressed beside the first', async () => {
    const inner = zstd()
    const second = Promise.withResolvers<void>()
    let frames = 0
    const codec: Codec = {
      ...inner,
      async compress (bytes, options) {
        if (bytes.byteLength === SIZE && frames++ === 0) {
          await second.promise
        } else if (bytes.byteLength === SIZE) {
          second.resolve()
        }

        return inner.compress(bytes, options)
      }
    }
    const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: [codec] })
    const bytes = text(3 * SIZE)
    const cid = await fs.addBytes(bytes, { compression: { frameSize: SIZE } })

    expect(frames).toBe(3)
    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
  })

  it.each([
    ['text', text(5 * SIZE + 1)],
    ['two frames', text(2 * SIZE)],
    ['a frame and one byte', text(SIZE + 1)],
    ['text before noise', Buffer.concat([text(SIZE), noise(3 * SIZE)])],
    ['noise after 32 KiB of text', Buffer.concat([text(32 * 1024), noise(3 * SIZE)])],
    ['noise', noise(3 * SIZE)],
    ['numbers', numbers(4 * SIZE)]
  ])('does not change what is stored: %s', async (_, bytes) => {
    const compression = { frameSize: SIZE }
    const expected = await cidAmongOthers(bytes, compression)
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const sources = [chunked(bytes, 64 * 1024), chunked(bytes, SIZE), chunked(bytes, 100_001)]

    expect(await fs.addBytes(bytes, { compression })).toEqual(expected)

    for (const source of sources) {
      expect(await fs.addByteStream(source, { compression })).toEqual(expected)
    }

    expect(Buffer.compare(await collect(fs.cat(expected as CID)), bytes)).toBe(0)
  })

  it('is its own when later ones are read into its memory', { tags: 'slow' }, async () => {
    const bytes = Buffer.concat(Array.from({ length: 28 }, (_, i) => text(MIB, i)))
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const cid = await fs.addByteStream(createReadStream(await temporaryFile(bytes)))

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
  })

  it.each([
    ['text', text(SIZE)],
    ['noise', noise(SIZE)]
  ])('fails the add if it cannot be read: %s', async (_, first) => {
    const source = async function * (): AsyncGenerator<Uint8Array> {
      yield first
      throw new Error('The disk is gone')
    }
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })

    await expect(fs.addByteStream(source(), { compression: { frameSize: SIZE } })).rejects.toThrow('The disk is gone')
  })
})
