import { concat } from './bytes.ts'
import { raceAbort } from './race-abort.ts'

/** The bytes of a block, in one or many parts. */
export type BlockBytes = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

interface CollectBlockOptions {
  /** Maximum number of bytes. */
  max: number
  /** Makes the error for more. */
  tooLarge: (size: number) => Error
  signal?: AbortSignal | null | undefined
}

/** Join the parts of a block. An abort does not wait for a source that stalls. */
export async function collectBlock (source: BlockBytes, options: CollectBlockOptions): Promise<Uint8Array> {
  return source instanceof Uint8Array ? checked(source, options) : raceAbort(collect(source, options), options.signal)
}

async function collect (
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options: CollectBlockOptions
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0

  for await (const part of source) {
    size += part.byteLength

    if (size > options.max) {
      throw options.tooLarge(size)
    }

    // the source may write its next part into the same memory
    parts.push(Uint8Array.from(part))
  }

  return concat(parts)
}

function checked (bytes: Uint8Array, { max, tooLarge }: CollectBlockOptions): Uint8Array {
  if (bytes.byteLength > max) {
    throw tooLarge(bytes.byteLength)
  }

  return bytes
}
