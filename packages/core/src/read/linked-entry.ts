import { openEntry } from './entry.ts'
import { NotFoundError } from '../errors.ts'
import { isIdentity } from '../dag/hashes.ts'
import { isMarked, unmark } from '../marker.ts'
import type { Entry, EntryOptions } from './entry.ts'
import type { Settings } from '../settings.ts'
import type { LinkRecord } from '../links/link-entries.ts'
import type { RootCache } from './root-cache.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** An entry, and the CID that it was opened by. */
export interface LinkedEntry extends Entry {
  asked: CID
  /** The link that led from there, where it was opened by its original. */
  link?: LinkRecord
}

/**
 * As `openEntry`. An original whose root is not stored here is opened as the
 * compressed file that it is linked to, where that is stored here. `has` of a
 * networked blockstore asks no one else, so a read of what is here, or of what no
 * link names, goes on as if there were no links. That it is what the original names
 * is for the caller to show (`read-linked.ts`).
 *
 * @param roots - as openEntry; who is to look at the root itself gives none
 * @throws {NotFoundError} as openEntry; it names both where there is a link
 */
export async function openLinked (cid: CID, settings: Settings, options: EntryOptions, roots?: RootCache): Promise<LinkedEntry> {
  const { blockstore, links } = settings
  options.signal?.throwIfAborted()

  const has = async (cid: CID): Promise<boolean> => blockstore.has(cid, options as Parameters<Blockstore['has']>[1])
  const open = async (asked: CID): Promise<LinkedEntry> => ({ ...await openEntry(asked, blockstore, options, roots), asked })

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
    // whoever is behind the blockstore may have it
    return await open(cid)
  } catch (err) {
    throw err instanceof NotFoundError && err.cid.equals(cid) ? new NotFoundError(cid, { cause: err, compressed }) : err
  }
}
