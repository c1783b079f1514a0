import { codecs } from '@ipfsz/codecs/all'
import { encodeSkipped } from '@ipfsz/codecs/skipped'
import { ipfsz, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noise, text } from '../support/data.ts'
import { fromCar } from '../support/recording-blockstore.ts'
import { run } from '../support/tools.ts'
import type { CodecName, ImplementationName } from '@ipfsz/codecs'
import type { SkippingCodec } from '@ipfsz/codecs/skipped'

const FRAME_SIZE = 256 * 1024

/** Several blocks of every format but LZ4, whose blocks have 4 MiB by default. */
const LONG = text(1_500_000)

/** Debian's own Python, because python3-snappy is a module of it. */
const SNAPPY = ['/usr/bin/python3', join(import.meta.dirname, 'snappy-framing.py')]

/** A golden file with files whose frames are listed in a table. */
const GROUPS = join(import.meta.dirname, '../../packages/core/test/golden/groups-codecs.car')
const GROUPED: Readonly<Record<SkippingCodec, string>> = {
  gzip: 'baga3j7ibciqmtyqkmrmphxjpzikua7lzhradi7gukq7jru3a4uzfbwgvne22dkq',
  lzo: 'bagb3j7ibciqhswwjcnr7mxobmjgh2usuicicctb7ihjdp762ddjebrs4k3i4zsq',
  snappy: 'bagclj7ibciqpkbd4qh43qup3gkv4ye3tbx3kv5qqdozbk5zayfq5hkigevxfszi'
}

interface Tool {
  codec: CodecName
  /** Decompresses stdin to stdout. */
  decompress: string[]
  /** The same for many frames, if that takes another command. */
  decompressMany?: string[]
  /** Commands that make a frame. The name of a file is appended, so that the tool knows its size. */
  compress: string[][]
  writers: ImplementationName[]
  /** Implementations that only decompress. */
  readers?: ImplementationName[]
  /** The implementation that only compresses. */
  compressesOnly?: ImplementationName
  /** The tool stops after the first frame. */
  oneFrame?: boolean
}

/** The reference tool of each format, and our implementations of it. */
const TOOLS: readonly Tool[] = [
  {
    codec: 'zstd',
    decompress: ['zstd', '-dc'],
    compress: [['zstd', '-c'], ['zstd', '-c', '--no-check'], ['zstd', '-c', '-19'], ['zstd', '-c', '--fast=5']],
    writers: ['native', 'wasm'],
    readers: ['js']
  },
  {
    codec: 'gzip',
    decompress: ['gzip', '-dc'],
    compress: [['gzip', '-c'], ['gzip', '-c', '-1', '-n'], ['gzip', '-c', '-9']],
    writers: ['native', 'js']
  },
  {
    codec: 'lz4',
    decompress: ['lz4', '-dc'],
    compress: [
      ['lz4', '-c', '-BI', '--content-size', '--no-frame-crc'],
      ['lz4', '-c', '-BI', '--content-size', '-B4', '-BX'],
      ['lz4', '-c', '-BI', '--content-size', '-9']
    ],
    writers: ['native', 'wasm', 'js'],
    compressesOnly: 'native'
  },
  {
    codec: 'lzo',
    decompress: ['lzop', '-dc'],
    // lzop decompresses all frames, and exits with 2 because it warns about more than one
    decompressMany: ['sh', '-c', 'lzop -dc || test $? -eq 2'],
    compress: [
      ['lzop', '-c'],
      ['lzop', '-c', '-1'],
      ['lzop', '-c', '-9'],
      ['lzop', '-c', '--crc32'],
      ['lzop', '-c', '-F']
    ],
    writers: ['js']
  },
  {
    codec: 'brotli',
    decompress: ['brotli', '-dc'],
    compress: [['brotli', '-c', '-q', '5'], ['brotli', '-c', '-q', '0'], ['brotli', '-c', '-q', '11', '-w', '24']],
    writers: ['native', 'wasm'],
    oneFrame: true
  },
  {
    codec: 'snappy',
    decompress: [...SNAPPY, '-d'],
    compress: [[...SNAPPY, '-c']],
    writers: ['native', 'wasm', 'js']
  }
]

/** Levels at which the tools take seconds for a megabyte. */
const SLOWEST = /-19|-q 11/

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-'))
})

afterAll(async () => {
  await rm(directory, { recursive: true })
})

describe('zstd with a dictionary and its reference tool', () => {
  const dictionary = text(112 * 1024, 5)
  // parts of the dictionary in another order, and something new
  const bytes = Buffer.concat([
    dictionary.subarray(50_000), text(3000, 6), dictionary.subarray(0, 60_000), noise(300), dictionary
  ])
  let file: string

  beforeAll(async () => {
    file = join(directory, 'dictionary')
    await writeFile(file, dictionary)
  })

  it.each(['native', 'wasm'] as const)('makes frames that the tool reads at every level: %s', {
    tags: 'nightly'
  }, async implementation => {
    const { compress, levels } = codecs.zstd({ implementation })

    for (let level = levels.min; level <= levels.max; level++) {
      const frame = await compress(bytes, { level, dictionary })
      expect(Buffer.compare(await run('zstd', ['-dc', '-D', file], frame), bytes), `level ${level}`).toBe(0)
    }

    for (const size of [0, 1, 20, 3_000_000]) {
      const frame = await compress(text(size), { dictionary })
      expect(Buffer.compare(await run('zstd', ['-dc', '-D', file], frame), text(size)), `${size} bytes`).toBe(0)
    }
  })

  it('reads what the tool makes, in every implementation', async () => {
    const input = join(directory, 'input')
    await writeFile(input, bytes)

    for (const level of ['-1', '-3', '-19']) {
      const frame = await run('zstd', ['-c', level, '-D', file, input])

      for (const implementation of ['native', 'wasm', 'js'] as const) {
        const options = { size: bytes.byteLength, dictionary }
        const back = await codecs.zstd({ implementation }).decompress(frame, options)
        expect(Buffer.compare(back, bytes), `${implementation}, ${level}`).toBe(0)
      }
    }
  })
})

/** The tables of docs/format.md, section 6: parts of 32 KiB of entries, here of noise and of any length. */
describe.each(
  TOOLS.filter(({ codec }) => Object.hasOwn(GROUPED, codec))
)('$codec with bytes that are to be skipped', ({ codec: name, decompress, decompressMany = decompress }) => {
  const codec = name as SkippingCodec
  const [tool, ...flags] = decompressMany

  it('is read without them by its reference tool', async () => {
    const frames = await Promise.all([LONG, text(1)].map(async bytes => codecs[codec]().compress(bytes)))
    const [entries, most, few] = [32 * 1024, 65_531, 16].map(length => encodeSkipped(codec, noise(length)))

    for (const parts of [[frames[0], most], [...frames, entries, entries, few], [frames[0], few, frames[1], entries]]) {
      const content = parts.includes(frames[1]) ? Buffer.concat([LONG, text(1)]) : LONG
      expect(Buffer.compare(await run(tool, flags, Buffer.concat(parts)), content)).toBe(0)
    }
  })

  it('is read by it if it is a file whose frames are in a table', async () => {
    const fs = ipfsz({ blockstore: await fromCar(await readFile(GROUPS)) })
    const cid = CID.parse(GROUPED[codec])
    const [stored, bytes] = await Promise.all([unmark(cid), cid].map(async cid => Array.fromAsync(fs.cat(cid))))

    expect(Buffer.compare(await run(tool, flags, Buffer.concat(stored)), Buffer.concat(bytes))).toBe(0)
  })
})

/** What docs/format.md says about stock tools, section 6. */
describe('a file of version 2, as others read it, and the tool of zstd', () => {
  const fs = ipfsz({ blockstore: new MemoryBlockstore() })
  const stored = async (cid: CID): Promise<Buffer> => Buffer.concat(await Array.fromAsync(fs.cat(unmark(cid))))

  it('is whole if its frames have different sizes', async () => {
    const cid = await fs.addBytes(LONG, { compression: { codec: 'zstd', cut: 'content' } })

    expect(Buffer.compare(await run('zstd', ['-dc'], await stored(cid)), LONG)).toBe(0)
  })

  it.each(['none', 'zstd'] as const)('needs the original content of its base, which has the codec %s', async codec => {
    const first = LONG.subarray(0, 300_000)
    const second = Buffer.concat([first.subarray(0, 100_000), text(500, 3), first.subarray(100_200)])
    const base = await fs.addBytes(first, { compression: { codec } })
    const file = await stored(await fs.addBytes(second, { compression: { codec: 'zstd', base } }))
    const content = join(directory, 'base')
    await writeFile(content, codec === 'none' ? await stored(base) : await run('zstd', ['-dc'], await stored(base)))

    expect(Buffer.compare(await run('zstd', ['-dc', '-D', content], file), second)).toBe(0)
    await expect(run('zstd', ['-dc'], file)).rejects.toThrow('corrupt')
  })
})

describe.each(TOOLS)('$codec with its reference tool', ({
  codec,
  decompress,
  decompressMany = decompress,
  compress,
  writers,
  readers = [],
  compressesOnly,
  oneFrame = false
}) => {
  const [tool, ...flags] = decompress

  describe.each(writers)('the %s implementation', implementation => {
    it.each([
      ['256 KiB of text', text(FRAME_SIZE)],
      ['256 KiB of noise', noise(FRAME_SIZE)],
      ['256 KiB of zeros', new Uint8Array(FRAME_SIZE)],
      ['a byte', text(1)],
      ['twenty bytes', text(20)],
      ['1.5 MB of text', LONG]
    ])('makes a frame of %s that the tool reads', async (_, bytes) => {
      const frame = await codecs[codec]({ implementation }).compress(bytes)

      expect(Buffer.compare(await run(tool, flags, frame), bytes)).toBe(0)
    })

    const expectRead = async (levels: number[]): Promise<void> => {
      const bytes = text(FRAME_SIZE, 2)

      for (const level of levels) {
        const frame = await codecs[codec]({ implementation }).compress(bytes, { level })
        expect(Buffer.compare(await run(tool, flags, frame), bytes), `level ${level}`).toBe(0)
      }
    }
    const { levels: { min, max } } = codecs[codec]({ implementation })

    it('makes frames that the tool reads at the lowest and the highest level', async () => {
      await expectRead([min, max])
    })

    it('makes frames that the tool reads at every level', { tags: 'nightly' }, async () => {
      await expectRead(Array.from({ length: max - min + 1 }, (_, i) => min + i))
    })

    it(`makes a stored file of ${oneFrame ? 'one frame' : 'many frames'} that the tool reads`, async () => {
      const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: [codecs[codec]({ implementation })] })
      const cid = await fs.addBytes(LONG, {
        compression: { codec, detect: false, frameSize: oneFrame ? 4 * 1024 * 1024 : FRAME_SIZE }
      })
      const stored = Buffer.concat(await Array.fromAsync(fs.cat(unmark(cid))))
      const [tool, ...flags] = decompressMany

      expect(Buffer.compare(await run(tool, flags, stored), LONG)).toBe(0)
    })
  })

  for (const [compressor, ...compressorFlags] of compress) {
    const name = compressorFlags.slice(compressorFlags.indexOf('-c')).join(' ')

    it(`reads what the tool makes with ${name}, in every implementation`, {
      tags: SLOWEST.test(name) ? 'nightly' : []
    }, async () => {
      for (const bytes of [text(1), text(100_000), LONG, noise(70_000), new Uint8Array(500_000)]) {
        const file = join(directory, 'file')
        await writeFile(file, bytes)
        const frame = await run(compressor, [...compressorFlags, file])

        for (const implementation of [...writers, ...readers].filter(name => name !== compressesOnly)) {
          const decompressed = await codecs[codec]({ implementation }).decompress(frame, { size: bytes.byteLength })
          expect(Buffer.compare(decompressed, bytes), `${implementation}, ${bytes.byteLength} bytes`).toBe(0)
        }
      }
    })
  }
})
