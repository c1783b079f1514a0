import { multiaddrConnectionPair } from '@libp2p/utils'
import { deflateCodec, zstdCodec } from '../src/platform/node.ts'
import { deflateCodec as deflateInJs } from '../src/platform/browser.ts'
import { codecsByType } from '../src/negotiation/codec-names.ts'
import { CompressedConnection } from '../src/connection/compressed-connection.ts'
import { lz4Codec } from '../src/codecs/lz4-codec.ts'
import { Traffic } from '../src/traffic.ts'
import type { StreamCodec } from '../src/codecs/stream-codec.ts'
import type { MessageStream } from '@libp2p/interface'

export const CODECS: Array<[string, StreamCodec]> = [
  ['zstd', zstdCodec as StreamCodec],
  ['deflate', deflateCodec],
  ['deflate in JavaScript', deflateInJs],
  ['lz4', lz4Codec]
]

export interface Compressed {
  connection: CompressedConnection
  /** The inner connection. */
  inner: MessageStream
  traffic: Traffic
}

export function compressed (inner: MessageStream, codec: StreamCodec, level = 1): Compressed {
  const traffic = new Traffic(`/${codec.id}`, inner.direction)

  return {
    connection: new CompressedConnection(inner, { codec, level, codecs: codecsByType(), traffic }),
    inner,
    traffic
  }
}

/** Both ends of a connection, each with its own codec. */
export function compressedPair (codec: StreamCodec, other = codec): [Compressed, Compressed] {
  const [outbound, inbound] = multiaddrConnectionPair()

  return [compressed(outbound, codec), compressed(inbound, other)]
}

/** Collects what a stream receives. `has` resolves at a number of bytes, `closed` when the stream closes. */
export function gather (
  stream: MessageStream
): { bytes: () => Uint8Array, closed: Promise<Error | undefined>, has: (length: number) => Promise<Uint8Array> } {
  const pieces: Uint8Array[] = []
  let length = 0
  let check: (() => void) | undefined
  let end: ((error: Error | undefined) => void) | undefined
  const bytes = (): Uint8Array => new Uint8Array(Buffer.concat(pieces))

  stream.addEventListener('message', ({ data }) => {
    pieces.push(data.subarray())
    length += data.byteLength
    check?.()
  })

  const closed = new Promise<Error | undefined>(resolve => {
    stream.addEventListener('close', ({ error }) => {
      end?.(error)
      resolve(error)
    })
  })

  return {
    bytes,
    closed,
    has: async wanted => new Promise((resolve, reject) => {
      check = () => {
        if (length >= wanted) {
          resolve(bytes())
        }
      }
      end = error => { reject(error ?? new Error(`closed after ${length} bytes`)) }
      check()
    })
  }
}

/** Write, and wait for drain when told to. */
export async function write (stream: MessageStream, pieces: Iterable<Uint8Array>): Promise<void> {
  for (const piece of pieces) {
    if (!stream.send(piece)) {
      await new Promise<void>(resolve => { stream.addEventListener('drain', () => { resolve() }, { once: true }) })
    }
  }
}
