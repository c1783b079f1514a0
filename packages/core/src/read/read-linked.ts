import { comparing } from '../links/compare-original.ts'
import { UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { LinkMismatchError, UncheckedLinkError } from '../errors.ts'
import { emit } from '../events.ts'
import { isChecked, isSame, UNCHECKED } from '../links/link-entries.ts'
import { TREE_CODE, unmark } from '../marker.ts'
import type { LeafHasherOptions } from '../content-cid/leaf-hasher.ts'
import type { LinkEvents } from '../events.ts'
import type { LinkRecord } from '../links/link-entries.ts'
import type { LinkedEntry } from './linked-entry.ts'
import type { StreamRange } from '../streams/read-stream.ts'
import type { ProgressOptions } from 'progress-events'

/** What is opened by its original, and the link that led there. */
export type OpenedByLink = LinkedEntry & { link: LinkRecord }

type Options = LeafHasherOptions & ProgressOptions<LinkEvents>

/** Whether it was opened by its original: then it must be shown to be that. */
export function isByLink (entry: LinkedEntry): entry is OpenedByLink {
  return entry.link != null
}

/**
 * Refuse what is known not to be what the original names, before anything of it is
 * told: a file whose header names another content CID, unless its bytes were
 * compared. Nobody can compare a directory, so a link to one counts where it was made
 * for that.
 *
 * @throws {LinkMismatchError}
 * @throws {UncheckedLinkError}
 */
export function expectOriginal (entry: LinkedEntry, options: Options): void {
  if (!isByLink(entry)) {
    return
  }

  const { link, header } = entry
  const { original, compressed } = link

  if (compressed.code === TREE_CODE) {
    if (link.check !== UNCHECKED) {
      throw new UncheckedLinkError(original, compressed, 'directory')
    }

    emit(options, 'ipfsz:link:unchecked', { original, compressed })
    return
  }

  if (header?.contentCid != null && !namesOriginal(entry) && !isChecked(link)) {
    throw new LinkMismatchError(original, compressed, 'header', [header.contentCid])
  }
}

/**
 * Report of a file whose root alone is looked at that nothing vouches for its link:
 * it was not compared, and its header does not name the original. Of a directory
 * `expectOriginal` has reported it.
 */
export function reportUnchecked (entry: LinkedEntry, options: Options): void {
  if (isByLink(entry) && entry.link.compressed.code !== TREE_CODE && !isVouchedFor(entry)) {
    const { original, compressed } = entry.link
    emit(options, 'ipfsz:link:unchecked', { original, compressed })
  }
}

/** The layout that the original must have: what a comparison found, or that of a header's content CID. */
export function layoutOf (entry: OpenedByLink): string | undefined {
  return isChecked(entry.link) || !namesOriginal(entry) ? entry.link.check : UNIXFS_V1_2025.name
}

/** Whether an earlier comparison, or the header, says that the file holds what the original names. */
function isVouchedFor (entry: OpenedByLink): boolean {
  return isChecked(entry.link) || namesOriginal(entry)
}

function namesOriginal ({ header, link }: OpenedByLink): boolean {
  return header?.contentCid != null && isSame(header.contentCid, link.original)
}

/**
 * What is read of a linked file. All of it is compared with the original on its way.
 * A part cannot be, so it is read only where the header names the original, or an
 * earlier comparison found it.
 *
 * @throws {LinkMismatchError} behind all bytes but the last piece
 * @throws {UncheckedLinkError}
 */
export async function * readLinked (entry: OpenedByLink, { offset = 0, length = Number.POSITIVE_INFINITY }: StreamRange, content: AsyncIterable<Uint8Array>, options: Options): AsyncGenerator<Uint8Array> {
  const { link, header, cid } = entry
  const { original, compressed } = link
  const isRoot = cid.equals(unmark(compressed))
  const isWhole = offset === 0 && length >= (header?.size ?? Number.POSITIVE_INFINITY)

  if (isWhole && isRoot) {
    const found = yield * comparing(link, content, options, layoutOf(entry))

    if (found == null) {
      emit(options, 'ipfsz:link:unchecked', { original, compressed })
    }

    return
  }

  // of a whole file below a directory it has been told that nobody compared that
  if (!isWhole && !(isRoot && isVouchedFor(entry))) {
    throw new UncheckedLinkError(original, compressed, isRoot ? 'range' : 'directory')
  }

  yield * content
}
