import { LinkMismatchError } from '../errors.ts'
import { UNCHECKED } from './link-entries.ts'
import { OriginalCheck } from './original-check.ts'
import type { LeafHasherOptions } from '../content-cid/leaf-hasher.ts'
import type { LinkRecord } from './link-entries.ts'
import type { Comparison } from './original-check.ts'

/**
 * The bytes of a linked file, compared with its original on their way. The last piece
 * is handed out when all of them are known to be right, so of a file that comes in
 * one piece nothing wrong is.
 *
 * @param layout - the only one to try, where it is known which it is
 * @returns the layout that the original was made with, undefined where it was linked
 *   unchecked and none is known that gives its CID
 * @throws {LinkMismatchError}
 */
export async function * comparing (link: LinkRecord, source: AsyncIterable<Uint8Array>, options: LeafHasherOptions, layout?: string): AsyncGenerator<Uint8Array, string | undefined> {
  const check = new OriginalCheck(link.original, options, layout)
  let last: Uint8Array | undefined

  for await (const bytes of source) {
    await check.update(bytes)

    if (check.tooLong && link.check !== UNCHECKED) {
      throw new LinkMismatchError(link.original, link.compressed, 'bytes', [])
    }

    if (last != null) {
      yield last
    }

    last = bytes
  }

  const found = judge(link, await check.compare())

  if (last != null) {
    yield last
  }

  return found
}

/** As `comparing`, for nobody who wants the bytes. */
export async function compareOriginal (link: LinkRecord, source: AsyncIterable<Uint8Array>, options: LeafHasherOptions): Promise<string | undefined> {
  const pieces = comparing(link, source, options)

  for (;;) {
    const next = await pieces.next()

    if (next.done === true) {
      return next.value
    }
  }
}

/**
 * What a comparison means for a link.
 *
 * @returns as `comparing`
 * @throws {LinkMismatchError}
 */
export function judge ({ original, compressed, check }: LinkRecord, comparison: Comparison): string | undefined {
  if (comparison.layout == null && (check !== UNCHECKED || comparison.certain)) {
    throw new LinkMismatchError(original, compressed, 'bytes', comparison.found)
  }

  return comparison.layout
}
