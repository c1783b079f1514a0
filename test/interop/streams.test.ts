import { ipfsz, mark } from '@ipfsz/core'
import { codecs } from '@ipfsz/codecs/all'
import { CODES } from '@ipfsz/codecs'
import { unixfs } from '@helia/unixfs'
import { MemoryBlockstore } from 'blockstore-core'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { run } from '../support/tools.ts'
import type { Codec, CodecName, ImplementationName } from '@ipfsz/codecs'

const MIB = 1024 * 1024

/** Debian's own Python, because python3-snappy is a module of it. */
const SNAPPY = ['/usr/bin/python3', join(import.meta.dirname, 'snappy-framing.py')]

interface Tool {
  codec: CodecName
  readers: ImplementationName[]
  /** Commands that compress stdin. */
  piped: string[][]
  /** Commands that compress the file whose name is appended. */
  file: string[][]
  /** The tool reads concatenated streams as one. */
  joins: boolean
}

const TOOLS: readonly Tool[] = [
  {
    codec: 'zstd',
    readers: ['native', 'js'],
    piped: [['zstd', '-c'], ['zstd', '-c', '-19'], ['zstd', '-c', '--no-check'], ['zstd', '-c', '--long=23']],
    file: [['zstd', '-c'], ['zstd', '-c', '--long=23', '-9'], ['zstd', '-c', '-T2', '-B1048576'], [
      'zstd',
      '-c',
      '--fast=5'
    ]],
    joins: true
  },
  {
    codec: 'gzip',
    readers: ['native', 'js'],
    piped: [['gzip', '-c'], ['gzip', '-c', '-1']],
    file: [['gzip', '-c'], ['gzip', '-c', '-9', '-N']],
    joins: true
  },
  {
    codec: 'lz4',
    readers: ['js'],
    piped: [['lz4', '-c'], ['lz4', '-c', '-BD'], ['lz4', '-c', '-BD', '-B4', '-BX']],
    file: [
      ['lz4', '-c', '-BD', '-B4'],
      ['lz4', '-c', '-BD', '-B5', '-9'],
      ['lz4', '-c', '-BI', '-B6'],
      ['lz4', '-c', '-BD', '-B7', '-BX', '--content-size'],
      ['lz4', '-c', '--no-frame-crc', '-12']
    ],
    joins: true
  },
  {
    codec: 'lzo',
    readers: ['js'],
    piped: [['lzop', '-c'], ['lzop', '-c', '-9']],
    file: [['lzop', '-c'], ['lzop', '-c', '-1', '--crc32'], ['lzop', '-c', '-F']],
    joins: true
  },
  {
    codec: 'brotli',
    readers: ['native', 'wasm'],
    piped: [['brotli', '-c', '-q', '5'], ['brotli', '-c', '-q', '1']],
    file: [['brotli', '-c', '-q', '5', '-w', '24'], ['brotli', '-c', '-q', '9', '-w', '10']],
    joins: false
  },
  {
    codec: 'snappy',
    readers: ['native', 'wasm', 'js'],
    piped: [[...SNAPPY, '-c']],
    file: [[...SNAPPY, '-c']],
    joins: true
  }
]

const LONG = longText(20 * MIB)
const CONTENTS = [text(1), text(100_000), noise(300_000), new Uint8Array(5 * MIB)]

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-'))
})

afterAll(async () => {
  await rm(directory, { recursive: true })
})

async function read (codec: Codec, stream: Uint8Array): Promise<Buffer> {
  const source = (async function * () {
    for (let start = 0; start < stream.byteLength; start += 100_000) {
      yield stream.subarray(start, start + 100_000)
    }
  })()

  return Buffer.concat(
    await Array.fromAsync((codec.decompressStream as NonNullable<Codec['decompressStream']>)(source))
  )
}

async function compress ([tool, ...flags]: string[], isPiped: boolean, bytes: Uint8Array): Promise<Buffer> {
  if (isPiped) {
    return run(tool, flags, bytes)
  }

  const name = join(directory, 'file')
  await writeFile(name, bytes)

  return run(tool, [...flags, name])
}

describe.each(TOOLS)('streams of the reference tool of $codec', ({ codec, readers, piped, file, joins }) => {
  const commands = [
    ...piped.map(command => ({ command, isPiped: true })),
    ...file.map(command => ({ command, isPiped: false }))
    // the first of each codec when anything changes, the others if a decoder does
  ].map((one, i) => ({ ...one, tags: i === 0 || i === piped.length ? [] : ['nightly'] }))

  for (const { command, isPiped, tags } of commands) {
    const name = `${command.slice(command.indexOf('-c')).join(' ')}${isPiped ? ', piped' : ''}`

    it(`are read by every implementation: ${name}`, { tags }, async () => {
      const contents = codec === 'snappy'
        // Python takes minutes to checksum more
        ? [...CONTENTS.slice(0, 3), LONG.subarray(0, 2 * MIB)]
        // longer than every window: that of -w 24 has 16 MiB, that of -19 and --long=23 has 8, all others less
        : [...CONTENTS, command.includes('24') ? LONG : LONG.subarray(0, 9 * MIB)]

      for (const bytes of contents) {
        const stream = await compress(command, isPiped, bytes)

        for (const implementation of readers) {
          expect(
            Buffer.compare(await read(codecs[codec]({ implementation }), stream), bytes),
            `${implementation}, ${bytes.byteLength} bytes`
          ).toBe(0)
        }
      }
    })
  }

  it('are read by their marked CID, whole and in ranges', async () => {
    const bytes = LONG.subarray(0, 3 * MIB)
    const streams = [await compress(piped[0], true, bytes), ...joins ? [await compress(file[0], false, bytes)] : []]
    const whole = Buffer.concat(streams.map(() => bytes))
    const blockstore = new MemoryBlockstore()
    const plain = await unixfs({ blockstore }).addBytes(Buffer.concat(streams), { reduceSingleLeafToSelf: false })
    const fs = ipfsz({ blockstore })
    const cid = mark(plain, CODES[codec])

    expect(Buffer.compare(Buffer.concat(await Array.fromAsync(fs.cat(cid))), whole)).toBe(0)

    for (const [offset, length] of [[0, 10], [2 * MIB, MIB + 5], [whole.byteLength - 1, 10]]) {
      expect(
        Buffer.compare(
          Buffer.concat(await Array.fromAsync(fs.cat(cid, { offset, length }))),
          whole.subarray(offset, offset + length)
        )
      ).toBe(0)
    }
  })
})

describe('streams of unusual options', () => {
  it('are refused if zstd --long makes their window too large, and read with a larger maxWindowSize', async () => {
    const stream = await run('zstd', ['-c', '-3', '--long=24'], LONG)
    const codec = codecs.zstd()
    const decompressStream = codec.decompressStream as NonNullable<Codec['decompressStream']>
    const source = async function * (): AsyncGenerator<Uint8Array> { yield stream }

    await expect(read(codec, stream)).rejects.toMatchObject({ name: 'WindowTooLargeError', size: 16 * MIB })
    expect(
      Buffer.compare(
        Buffer.concat(await Array.fromAsync(decompressStream(source(), { maxWindowSize: 16 * MIB }))),
        LONG
      )
    ).toBe(0)
  })

  it('are refused with CorruptFrameError: lz4 -l, brotli --large_window', async () => {
    await expect(read(codecs.lz4(), await run('lz4', ['-l', '-c'], text(1000))))
      .rejects.toMatchObject({ name: 'CorruptFrameError', reason: 'it is a frame of the legacy format' })
    const stream = await run('brotli', ['-c', '-q', '5', '--large_window=28'], LONG.subarray(0, MIB))
    await expect(read(codecs.brotli(), stream))
      .rejects.toMatchObject({ name: 'CorruptFrameError' })
  })
})
