import { UncheckedLinkError } from '../errors.ts'
import { throwIfMismatch } from '../links/compare-original.ts'
import { isChecked } from '../links/link-entries.ts'
import { OriginalCheck } from '../links/original-check.ts'
import { TREE_CODE, unmark } from '../marker.ts'
import { layoutOf } from '../read/read-linked.ts'
import type { LinkRecord } from '../links/link-entries.ts'
import type { Comparison } from '../links/original-check.ts'
import type { OpenedByLink } from '../read/read-linked.ts'
import type { Settings } from '../settings.ts'
import type { VerifyOptions } from '../verification.ts'

/**
 * The check that compares the bytes with the original. A directory cannot be compared.
 *
 * @throws {UncheckedLinkError}
 */
export function originalCheck (entry: OpenedByLink, options: VerifyOptions): OriginalCheck {
  const { original, compressed } = entry.link

  if (compressed.code === TREE_CODE || !entry.cid.equals(unmark(compressed))) {
    throw new UncheckedLinkError(original, compressed, 'directory')
  }

  return new OriginalCheck(original, options, layoutOf(entry))
}

/** Throw if the link leads to other bytes; otherwise store that it was compared. */
export async function settleLink (
  link: LinkRecord,
  comparison: Comparison,
  { links }: Settings,
  options: VerifyOptions
): Promise<void> {
  const layout = throwIfMismatch(link, comparison)

  if (layout == null) {
    throw new UncheckedLinkError(link.original, link.compressed, 'settings')
  }

  if (!isChecked(link)) {
    // if it cannot be stored, the next verification compares again
    await links.keepCheck({ ...link, check: layout }, options).catch(() => { options.signal?.throwIfAborted() })
  }
}
