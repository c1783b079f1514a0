import { layoutNamed, UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { LinkMismatchError, MissingHeaderError, UnlinkedFileError } from '../errors.ts'
import { isChecked, isSame } from '../links/link-entries.ts'
import { recordFile } from './record-file.ts'
import { fileId } from './records.ts'
import type { IpfszReader } from '../contract.ts'
import type { DefaultLinks } from '../links/default-links.ts'
import type { AddOriginalsOptions } from './contract.ts'
import type { OriginalIndex } from './original-index.ts'
import type { Original } from './records.ts'
import type { CID } from 'multiformats/cid'

interface Parts {
  files: IpfszReader
  links: DefaultLinks
  index: OriginalIndex
  /** Layouts that the file gets an original of, besides those that it is linked to. */
  layouts: readonly string[]
}

/**
 * Index the originals of a linked file that are not indexed yet, and link it to those that it was not linked to.
 *
 * @throws {UnlinkedFileError}
 * @throws {LinkMismatchError}
 * @throws {MissingHeaderError}
 */
export async function recordLinked (
  compressed: CID,
  { files, links, index, layouts }: Parts,
  options: AddOriginalsOptions
): Promise<Original[]> {
  const linked = await links.linksTo(compressed)
  // a link without a layout is unchecked, or older than the check: it will show. A checked one counts more
  const layoutOfLink = new Map(linked.toSorted((a, b) => Number(isChecked(a)) - Number(isChecked(b)))
    .map(link => [isChecked(link) ? link.check : UNIXFS_V1_2025.name, link]))
  const names = [...new Set([...layoutOfLink.keys(), ...layouts])].filter(name => name != null)
  const known = await Promise.all(names.map(async name => index.get(fileId(compressed, name))))
  const missing = names.filter((_, i) => known[i] == null)
    .map(name => layoutNamed(name)).filter(layout => layout != null)

  if (linked.length === 0) {
    throw new UnlinkedFileError(compressed)
  }

  if (missing.length === 0) {
    return known.filter(original => original != null)
  }

  if ((await files.stat(compressed, { signal: options.signal })).frameSize == null) {
    throw new MissingHeaderError(compressed)
  }

  const bytes = files.cat(compressed, options)
  const found = await recordFile({ compressed, layouts: missing, bytes }, index, options)
  const wrong = found.find(({ layout, original }) => {
    const link = layoutOfLink.get(layout)

    return link != null && !isSame(link.original, original)
  })

  if (wrong != null) {
    for (const original of found) {
      await index.end(original)
    }

    throw new LinkMismatchError(layoutOfLink.get(wrong.layout)?.original ?? wrong.original, compressed, 'bytes', [
      wrong.original
    ])
  }

  await linkMore(found.filter(({ layout }) => !layoutOfLink.has(layout)), links, options)

  for (const original of found) {
    await index.complete(original)
  }

  return [...known.filter(original => original != null), ...found]
}

/** Link a file to more originals. Those that it was linked to stay the last ones, which `links.get` returns. */
async function linkMore (
  originals: readonly Original[],
  links: DefaultLinks,
  options: AddOriginalsOptions
): Promise<void> {
  const [first] = originals

  if (first == null) {
    return
  }

  const { compressed } = first
  const before = await links.linksTo(compressed)
  const more = originals.map(({ original, layout = '' }) => ({ original, compressed, check: layout }))

  for (const link of [...more, ...before]) {
    await links.addChecked({ ...link, check: link.check ?? UNIXFS_V1_2025.name }, options)
  }
}
