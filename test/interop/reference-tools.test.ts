import { codecs } from '@ipfsz/codecs/all'
import { ipfsz, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../support/data.ts'
import { run } from '../support/tools.ts'
import type { CodecName, ImplementationName } from '@ipfsz/codecs'

const FRAME_SIZE = 256 * 1024

/** How each format's own tool decompresses stdin to stdout, and makes the frames of docs/format.md, section 4. */
const TOOLS: Array<{ codec: CodecName, decompress: string[], compress: string[], implementations: ImplementationName[], oneFrame?: boolean }> = [
  { codec: 'zstd', decompress: ['zstd', '-dc'], compress: ['zstd', '-c', '--no-check'], implementations: ['native', 'wasm', 'js'] },
  { codec: 'gzip', decompress: ['gzip', '-dc'], compress: ['gzip', '-c'], implementations: ['native', 'js'] },
  { codec: 'lz4', decompress: ['lz4', '-dc'], compress: ['lz4', '-c', '-BI', '--content-size', '--no-frame-crc'], implementations: ['js'] },
  { codec: 'brotli', decompress: ['brotli', '-dc'], compress: ['brotli', '-c', '-q', '5'], implementations: ['native', 'wasm'], oneFrame: true }
]

describe.each(TOOLS)('$codec and its own tool', ({ codec, decompress: [tool, ...flags], compress: [compressor, ...compressorFlags], implementations, oneFrame = false }) => {
  it.each([
    ['a frame', text(FRAME_SIZE), false],
    ['a frame of noise', noise(FRAME_SIZE), false],
    ['a frame of zeros', new Uint8Array(FRAME_SIZE), false],
    ['a byte', text(1), false],
    ['twenty bytes', text(20), false],
    ['many frames, and the trailer', text(3_000_000), true]
  ])('the tool reads %s as it is stored', async (_, bytes, many) => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const cid = await fs.addBytes(bytes, {
      compression: { codec, detect: false, frameSize: many && !oneFrame ? FRAME_SIZE : 4 * 1024 * 1024 }
    })
    const stored = Buffer.concat(await Array.fromAsync(fs.cat(unmark(cid))))

    expect(Buffer.compare(await run(tool, flags, stored), bytes)).toBe(0)
  })

  it('every implementation reads what the tool makes of a file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-'))

    try {
      for (const bytes of [text(1), text(100_000), text(3_000_000), noise(70_000), new Uint8Array(500_000)]) {
        // from a file, so that the tool knows the size
        const file = join(directory, 'file')
        await writeFile(file, bytes)
        const frame = await run(compressor, [...compressorFlags, file])

        for (const implementation of implementations) {
          const decompressed = await codecs[codec]({ implementation }).decompress(frame, { size: bytes.byteLength })
          expect(Buffer.compare(decompressed, bytes), implementation).toBe(0)
        }
      }
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
