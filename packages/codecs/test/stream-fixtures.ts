import { codecs } from '../src/all.ts'
import { concat, TABLE } from './fixtures.ts'
import type { Codec, CodecName, DecompressStreamOptions, ImplementationName } from '../src/codec.ts'

/** Every implementation that decompresses streams on this platform, with a label. */
export const STREAMS: ReadonlyArray<readonly [string, Codec]> = (Object.keys(TABLE) as CodecName[]).flatMap(name => {
  const entries = TABLE[name].filter(entry => entry.stream != null && entry.available())

  return entries.map(entry => [`${name} (${entry.name})`, streamCodec(name, entry.name)] as const)
})

export function streamCodec (name: CodecName, implementation: ImplementationName): Codec {
  return codecs[name]({ implementation })
}

type Decompress = NonNullable<Codec['decompressStream']>

/** The pieces of a decompressed stream. */
export function decompress (
  codec: Codec,
  source: AsyncIterable<Uint8Array>,
  options?: DecompressStreamOptions
): ReturnType<Decompress> {
  return (codec.decompressStream as Decompress)(source, options)
}

/** The whole content of a stream that arrives in pieces of `size` bytes. */
export async function read (
  codec: Codec,
  stream: Uint8Array,
  size: number = 65536,
  options?: DecompressStreamOptions
): Promise<Uint8Array> {
  return concat(...await Array.fromAsync(decompress(codec, pieces(stream, size), options)))
}

/** How many bytes a stream decompresses to, or the name of the error. */
export async function outcome (
  codec: Codec,
  stream: Uint8Array,
  options?: DecompressStreamOptions
): Promise<string | number> {
  return read(codec, stream, 65536, options).then(bytes => bytes.byteLength, (err: Error) => err.name)
}

export async function * pieces (bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) {
    yield bytes.subarray(start, start + size)
  }
}

/** A source that records how often it was pulled, and whether it was closed. */
export class WatchedSource implements AsyncIterableIterator<Uint8Array> {
  pulled = 0
  closed = false
  readonly #next: (number: number) => Promise<Uint8Array | undefined> | Uint8Array | undefined

  constructor (next: (number: number) => Promise<Uint8Array | undefined> | Uint8Array | undefined) {
    this.#next = next
  }

  [Symbol.asyncIterator] (): this {
    return this
  }

  async next (): Promise<IteratorResult<Uint8Array>> {
    const value = await this.#next(this.pulled++)

    return value == null ? { done: true, value: undefined } : { done: false, value }
  }

  async return (): Promise<IteratorResult<Uint8Array>> {
    this.closed = true

    return { done: true, value: undefined }
  }
}
