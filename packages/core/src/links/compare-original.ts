// Room: links between original and compressed CIDs.
import { LinkMismatchError } from '../errors.ts'
import { UNCHECKED } from './link-entries.ts'
import { OriginalCheck } from './original-check.ts'
import type { LeafHasherOptions } from '../content-cid/leaf-hasher.ts'
import type { LinkRecord } from './link-entries.ts'
import type { Comparison } from './original-check.ts'

/**
 * Pass on the bytes of a linked file, and compare them with its original. The last piece is
 * held back until the comparison is done, so a file of one piece never yields wrong bytes.
 *
 * @param layout - the layout of the original, if known; otherwise all are tried
 * @returns the layout with which the bytes have the original's CID. Undefined if no known layout
 *   fits, and the link was added as unchecked
 * @throws {LinkMismatchError}
 */
export async function * comparing (
  link: LinkRecord,
  source: AsyncIterable<Uint8Array>,
  options: LeafHasherOptions,
  layout?: string
): AsyncGenerator<Uint8Array, string | undefined> {
  const check = new OriginalCheck(link.original, options, layout)
  let last: Uint8Array | undefined

  for await (const bytes of source) {
    await check.update(bytes)

    if (check.tooLong) {
      throw new LinkMismatchError(link.original, link.compressed, 'bytes', [])
    }

    if (last != null) {
      yield last
    }

    last = bytes
  }

  const found = throwIfMismatch(link, await check.compare())

  if (last != null) {
    yield last
  }

  return found
}

/** Like `comparing`, but discards the bytes. */
export async function compareOriginal (
  link: LinkRecord,
  source: AsyncIterable<Uint8Array>,
  options: LeafHasherOptions
): Promise<string | undefined> {
  const pieces = comparing(link, source, options)

  for (;;) {
    const next = await pieces.next()

    if (next.done === true) {
      return next.value
    }
  }
}

/**
 * Refuse a link whose comparison found other bytes. A link that was added as unchecked is refused
 * only if that is certain.
 *
 * @returns as `comparing`
 * @throws {LinkMismatchError}
 */
export function throwIfMismatch (
  { original, compressed, check }: LinkRecord,
  comparison: Comparison
): string | undefined {
  if (comparison.layout == null && (check !== UNCHECKED || comparison.certain)) {
    throw new LinkMismatchError(original, compressed, 'bytes', comparison.found)
  }

  return comparison.layout
}
