import { openEntry } from './entry.ts'
import { NotFoundError } from '../errors.ts'
import { isIdentity } from '../dag/hashes.ts'
import { isMarked, unmark } from '../marker.ts'
import type { Entry, EntryOptions } from './entry.ts'
import type { ReadSettings } from './read-settings.ts'
import type { LinkRecord } from '../links/link-entries.ts'
import type { RootCache } from './root-cache.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** An entry, and the CID that opened it. */
export interface LinkedEntry extends Entry {
  asked: CID
  /** The link that was followed, if it was opened by its original. */
  link?: LinkRecord
}

/**
 * Like `openEntry`, and follows links: an original whose root is not stored locally is
 * opened as the compressed file that it is linked to, if that one is stored. A networked
 * blockstore's `has` does not ask the network, so an original that is stored, or not linked,
 * opens as if there were no links. The caller must check that the file holds the original's
 * bytes (`read-linked.ts`).
 *
 * @param roots - like in openEntry; omit it to force a fresh read of the root
 * @throws {NotFoundError} as in openEntry; if there is a link, the error names both CIDs
 */
export async function openLinked (
  cid: CID,
  settings: ReadSettings,
  options: EntryOptions,
  roots?: RootCache
): Promise<LinkedEntry> {
  const { blockstore, links } = settings
  options.signal?.throwIfAborted()

  const has = async (cid: CID): Promise<boolean> => blockstore.has(cid, options as Parameters<Blockstore['has']>[1])
  const open = async (asked: CID): Promise<LinkedEntry> => {
    return { ...await openEntry(asked, settings, options, roots), asked }
  }

  if (!links.available || isMarked(cid) || isIdentity(cid) || await has(cid)) {
    return open(cid)
  }

  const link = await links.linkOf(cid)

  if (link == null) {
    return open(cid)
  }

  const { compressed } = link

  if (await has(unmark(compressed))) {
    return { ...await open(compressed), link: { ...link, original: cid } }
  }

  try {
    // the network may have it
    return await open(cid)
  } catch (err) {
    throw err instanceof NotFoundError && err.cid.equals(cid) ? new NotFoundError(cid, { cause: err, compressed }) : err
  }
}
