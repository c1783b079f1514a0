import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync
} from 'node:zlib'
import { decompress as fzstd } from 'fzstd'
// @ts-expect-error -- it has no types
import lz4js from 'lz4js'
import { run } from '../../support/tools.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Duplex } from 'node:stream'
import type { Page } from 'playwright'
import type { StreamServer } from './serve-streams.ts'

/**
 * What a decoder makes of a stream. If it stops after the first frame and says nothing, or returns other bytes, that is
 * its fault: every case is in this file, and in the table of docs/codecs.md.
 */
export type Outcome = 'original' | 'error' | 'first frame' | 'other bytes'

/** A tool or library that others have. */
export interface Decoder {
  name: string
  decode (stream: Uint8Array, context: Context): Uint8Array | Promise<Uint8Array>
  /** What it makes of a file of several frames. Missing: the original. */
  ofMany?: Outcome
  /** What it makes of frames that are cut by content. Missing: the same as of several frames. */
  ofCut?: Outcome
}

/** A page in Chromium, and what serves it. */
export interface Context {
  page: Page
  server: StreamServer
}

interface Lz4js {
  decompress (bytes: Uint8Array): Uint8Array
}

const PYTHON = '/usr/bin/python3'
const PYTHON_ZLIB = 'import sys, zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read(), 31))'
const PERL = 'binmode STDOUT; gunzip(q(-) => q(-)) or die $GunzipError'
const PYTHON_GZIP = 'import gzip, sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))'

export const DECODERS: Readonly<Record<CodecName, readonly Decoder[]>> = {
  zstd: [
    tool('zstd', '-dc'),
    tool('zstd', '-dcf'),
    // it stops after a frame that does not hold a multiple of 16 KiB (nodejs/node#64741)
    { name: 'zstdDecompressSync of Node', decode: bytes => zstdDecompressSync(bytes), ofCut: 'first frame' },
    { ...stream('createZstdDecompress of Node', createZstdDecompress), ofCut: 'first frame' },
    { name: 'fzstd', decode: bytes => fzstd(bytes) },
    ...contentEncoding('zstd')
  ],
  gzip: [
    tool('gzip', '-dc'),
    tool('gzip', '-dcff'),
    tool(PYTHON, '-c', PYTHON_GZIP),
    { ...tool(PYTHON, '-c', PYTHON_ZLIB), name: "Python's zlib", ofMany: 'first frame' },
    { ...tool('perl', '-MIO::Uncompress::Gunzip=:all', '-e', PERL), name: "Perl's gunzip", ofMany: 'first frame' },
    { name: 'gunzipSync of Node', decode: bytes => gunzipSync(bytes) },
    stream('createGunzip of Node', createGunzip),
    { name: 'DecompressionStream of Chromium', decode: decompressionStream, ofMany: 'error' },
    ...contentEncoding('gzip', 'error', 'first frame')
  ],
  lz4: [
    tool('lz4', '-dc'),
    tool('lz4', '-dcf'),
    { name: 'lz4js', decode: bytes => (lz4js as Lz4js).decompress(bytes), ofMany: 'first frame' }
  ],
  // it decompresses all frames, and warns
  lzo: [{ ...tool('lzop', '-dc'), ofMany: 'error' }],
  brotli: [
    { ...tool('brotli', '-dc'), ofMany: 'error' },
    { name: 'brotliDecompressSync of Node', decode: bytes => brotliDecompressSync(bytes), ofMany: 'first frame' },
    { ...stream('createBrotliDecompress of Node', createBrotliDecompress), ofMany: 'first frame' },
    ...contentEncoding('br', 'error', 'first frame')
  ],
  snappy: [{ ...tool(PYTHON, join(import.meta.dirname, '../snappy-framing.py'), '-d'), name: 'python-snappy' }]
}

function tool (program: string, ...args: string[]): Decoder {
  return { name: `${program} ${args[0]}`, decode: async bytes => run(program, args, bytes) }
}

function stream (name: string, create: () => Duplex): Decoder {
  return {
    name,

    async decode (bytes) {
      const decoder = create()
      decoder.end(bytes)

      return buffer(decoder)
    }
  }
}

/** Clients that decode what a server says is encoded. Ours joins what they read the first frame of. */
function contentEncoding (
  encoding: string,
  curlOfMany: Outcome = 'original',
  chromiumOfMany: Outcome = 'original'
): Decoder[] {
  return [
    {
      name: `curl with Content-Encoding: ${encoding}`,
      decode: async (bytes, { server }) => run('curl', ['-s', '--compressed', server.add(bytes, encoding)]),
      ofMany: curlOfMany
    },
    {
      name: `Chromium with Content-Encoding: ${encoding}`,
      decode: async (bytes, { page, server }) => inPage(page, server.add(bytes, encoding)),
      ofMany: chromiumOfMany
    }
  ]
}

async function decompressionStream (bytes: Uint8Array, { page, server }: Context): Promise<Uint8Array> {
  return inPage(page, server.add(bytes), 'gzip')
}

/** Fetch a stream in a page. */
async function inPage (page: Page, url: string, format?: CompressionFormat): Promise<Uint8Array> {
  const text = await page.evaluate(async ([url, format]) => {
    const { body } = await fetch(url)
    const stream = format == null ? body : body?.pipeThrough(new DecompressionStream(format))
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
    let text = ''

    for (const byte of bytes) {
      text += String.fromCharCode(byte)
    }

    return btoa(text)
  }, [url, format] as const)

  return Buffer.from(text, 'base64')
}
