import { MAX_INLINE_SIZE } from '../constants.ts'
import { writeLeaves } from '../dag/write.ts'
import { prepend } from '../util/prepend.ts'
import type { PutStore } from '../dag/block.ts'
import type { FileLink } from '../dag/file-block.ts'
import type { RootContent } from '../dag/node.ts'
import type { WriteOptions } from '../dag/write.ts'
import type { FrameTable } from '../frames/frame-table.ts'

/** What a root has, and the only leaf, which is not written yet. */
export type WrittenContent = RootContent & { leaf?: Uint8Array | undefined }

/** Write the leaves, or return a single one: to be stored inside the root, or to be written beside it. */
export async function writeContent (
  leaves: AsyncGenerator<Uint8Array>,
  table: Pick<FrameTable, 'isBased'>,
  blockstore: PutStore,
  options: WriteOptions
): Promise<WrittenContent> {
  const first = await leaves.next()

  if (first.done === true) {
    return {}
  }

  const second = await leaves.next()

  if (second.done === true) {
    // a root with a base has a link, and so no data
    return first.value.byteLength <= MAX_INLINE_SIZE && !table.isBased
      ? { inline: first.value }
      : { leaf: first.value }
  }

  const links: FileLink[] = []

  for await (const link of writeLeaves(prepend([first.value, second.value], leaves), blockstore, options)) {
    links.push(link)
  }

  return { links }
}
