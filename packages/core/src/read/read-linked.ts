import * as raw from 'multiformats/codecs/raw'
import { MAX_RAW_ORIGINAL } from '../constants.ts'
import { UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { LinkMismatchError, UncheckedLinkError } from '../errors.ts'
import { emit } from '../events.ts'
import { canBeOriginal, inlineFile, isChecked, isSame, UNCHECKED } from '../links/link-entries.ts'
import { TREE_CODE, unmark } from '../marker.ts'
import { openLinked } from './linked-entry.ts'
import type { EntryOptions } from './entry.ts'
import type { LeafHasherOptions } from '../content-cid/leaf-hasher.ts'
import type { LinkEvents } from '../events.ts'
import type { LinkRecord } from '../links/link-entries.ts'
import type { LinkedEntry } from './linked-entry.ts'
import type { ReadSettings } from './read-settings.ts'
import type { StreamRange } from '../streams/read-stream.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

/** An entry that was opened by its original, through a link. */
export type OpenedByLink = LinkedEntry & { link: LinkRecord }

type Options = LeafHasherOptions & ProgressOptions<LinkEvents>

/** Whether an entry was opened through a link. If so, it must be shown to be the original. */
export function isByLink (entry: LinkedEntry): entry is OpenedByLink {
  return entry.link != null
}

/**
 * Like `openLinked`, with the cache of roots, and refuses an entry that is known not to be the original.
 *
 * @throws {LinkMismatchError}
 * @throws {UncheckedLinkError}
 */
export async function openToRead (
  cid: CID,
  settings: ReadSettings,
  options: EntryOptions & Options
): Promise<LinkedEntry> {
  const entry = await openLinked(cid, settings, options, settings.roots)
  throwIfNotOriginal(entry, options)

  return entry
}

/**
 * Refuse, before any result, an entry that is known not to be the original: a file whose
 * header names another content CID, unless its bytes were compared. Directories cannot be
 * compared, so a link to one is followed only if it was added as unchecked.
 *
 * @throws {LinkMismatchError}
 * @throws {UncheckedLinkError}
 */
function throwIfNotOriginal (entry: LinkedEntry, options: Options): void {
  if (!isByLink(entry)) {
    return
  }

  const { link, header } = entry
  const { original, compressed } = link

  if (!canBeOriginal(original, compressed)) {
    throw new LinkMismatchError(original, compressed, 'kind', [])
  }

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

  const most = original.code === raw.code ? MAX_RAW_ORIGINAL : inlineFile(original)?.size

  if (header != null && most != null && header.size > most) {
    throw new LinkMismatchError(original, compressed, 'bytes', [])
  }
}

/**
 * Report a file whose link nothing vouches for, if only its root is read: the link was
 * not compared, and its header does not name the original. For a directory,
 * `throwIfNotOriginal` reports it.
 */
export function reportUnchecked (entry: LinkedEntry, options: Options): void {
  if (isByLink(entry) && isUnvouched(entry)) {
    const { original, compressed } = entry.link
    emit(options, 'ipfsz:link:unchecked', { original, compressed })
  }
}

/** Whether nothing vouches for the link of a file, so that its bytes must be compared with the original. */
export function isUnvouched (entry: LinkedEntry): boolean {
  return isByLink(entry) && entry.link.compressed.code !== TREE_CODE && !isVouchedFor(entry)
}

/** The layout that the original must have: the one a comparison found, or that of the header's content CID. */
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
 * Pass on the bytes read from a linked file. A whole file is compared with the original while
 * it streams. A part of a file cannot be compared: it is read only if the header names the
 * original, or an earlier comparison matched.
 *
 * @throws {LinkMismatchError} before the last piece
 * @throws {UncheckedLinkError}
 */
export async function * readLinked (
  entry: OpenedByLink,
  content: AsyncIterable<Uint8Array>,
  { comparing }: ReadSettings['links'],
  options: Options & StreamRange
): AsyncGenerator<Uint8Array> {
  const { offset = 0, length = Number.POSITIVE_INFINITY } = options
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

  // for a whole file below a directory, throwIfNotOriginal has reported that the link is unchecked
  if (!isWhole && !(isRoot && isVouchedFor(entry))) {
    throw new UncheckedLinkError(original, compressed, isRoot ? 'range' : 'directory')
  }

  yield * content
}
