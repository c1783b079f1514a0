import { openEntry } from '../read/entry.ts'
import { MissingHeaderError } from '../errors.ts'
import { linkInto } from '../change/helia-unixfs.ts'
import { isMarked, mark, TREE_CODE, unmark } from '../marker.ts'
import type { CpOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { CID } from 'multiformats/cid'

export async function cp (
  source: CID,
  target: CID,
  name: string,
  settings: Settings,
  options: CpOptions = {}
): Promise<CID> {
  options.signal?.throwIfAborted()

  if (isMarked(source)) {
    // inside a tree, nothing would say how a file without a header is compressed
    const { stream } = await openEntry(source, settings, options, settings.roots)

    if (stream != null) {
      throw new MissingHeaderError(source)
    }
  }

  const result = await linkInto(unmark(source), target, name, settings, options)

  return isMarked(source) || isMarked(target) ? mark(result, TREE_CODE) : result
}
