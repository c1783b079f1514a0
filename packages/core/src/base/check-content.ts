import { ContentCid } from '../content-cid/content-cid.ts'
import { ContentMismatchError } from '../errors.ts'
import type { Entry } from '../read/entry.ts'

/**
 * Pass a base's content on, and compare it with the content CID of its header: files that link to it rely on it.
 *
 * @throws {ContentMismatchError}
 */
export async function * checkContent (
  { cid, header }: Entry,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | null | undefined
): AsyncGenerator<Uint8Array> {
  const expected = header?.contentCid

  if (expected == null) {
    yield * pieces
    return
  }

  const content = new ContentCid({ signal })

  for await (const bytes of pieces) {
    await content.update(bytes)
    yield bytes
  }

  const actual = await content.digest()

  if (!actual.equals(expected)) {
    throw new ContentMismatchError(cid, expected, actual)
  }
}
