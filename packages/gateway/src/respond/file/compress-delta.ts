import { unmark } from '@ipfsz/core/reader'
import { holdIn } from '../../memory/hold.ts'
import { dictionaryId } from '../../request/dictionary.ts'
import { readFile, UNCOUNTED } from '../read-file.ts'
import { DCZ, dczHeader, digestOf, openDictionary } from './dictionary-file.ts'
import type { ResponseContext, VersionedFile } from '../context.ts'
import type { StoredBody } from '../stored-file.ts'

/** Maximum bytes of a file that is compressed for a response, and of its dictionary, 4 MiB: both are in memory. */
export const MAX_COMPRESSED = 4 * 1024 * 1024

/** Smaller files fit into one packet of a network, with their headers. */
export const MIN_SIZE = 1024

/**
 * Compress the file with a dictionary that is no base of it: another release, which the client names by the CID that
 * it was offered with. Only what is here already is read, and only if it has the hash that the client says.
 */
export async function compressDelta (
  context: ResponseContext,
  file: VersionedFile,
  available: string,
  unneeded: AbortController
): Promise<StoredBody | undefined> {
  const { request: { headers }, init: { compressor, isServed, memory }, components: { blocks }, signal } = context
  const id = dictionaryId(headers)
  const { size = 0, isCompressed } = file

  if (
    id == null || compressor?.compressDelta == null || !isCompressed || size < MIN_SIZE || size > MAX_COMPRESSED
  ) {
    return undefined
  }

  try {
    // to fetch it would take longer than it saves
    if ((isServed != null && !await isServed(id)) || !await blocks.has(id, { signal })) {
      return undefined
    }

    const dictionary = await openDictionary(context, id)

    if (dictionary == null || dictionary.size > MAX_COMPRESSED || await digestOf(context, dictionary) !== available) {
      return undefined
    }

    const frame = await compressor.compressDelta(`${unmark(file.cid)} ${unmark(id)}`, async () => ({
      bytes: await collect(readFile(context, { ...file, keepsOpen: true }, unneeded), size),
      dictionary: await collect(readFile(context, dictionary, unneeded), dictionary.size)
    }))

    return frame == null ? undefined : bodyOf(available, frame, holdIn(memory, UNCOUNTED, unneeded))
  } catch {
    // whatever is missing or broken: reading the file says so
    signal.throwIfAborted()

    return undefined
  }
}

/** All bytes of a file. Each part is valid until the next one is asked for. */
async function collect (parts: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size)
  let length = 0

  for await (const part of parts) {
    bytes.set(part, length)
    length += part.byteLength
  }

  return bytes
}

/**
 * @param dictionary - its SHA-256, in base64
 * @param hold - counts the bytes until they are sent. @default they are few
 */
export function bodyOf (dictionary: string, frame: Uint8Array, hold: (bytes: number) => void = () => {}): StoredBody {
  const header = dczHeader(dictionary)
  const length = header.byteLength + frame.byteLength

  return { coding: DCZ, dictionary, joined: false, length, bytes: heldBytes([header, frame], length, hold) }
}

/** Bytes that count until they are sent. */
async function * heldBytes (
  parts: readonly Uint8Array[],
  length: number,
  hold: (bytes: number) => void
): AsyncGenerator<Uint8Array> {
  hold(length)

  try {
    yield * parts
  } finally {
    hold(0)
  }
}
