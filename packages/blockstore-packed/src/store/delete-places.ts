import { GROUP_BLOCKS } from '../constants.ts'
import { keyOf } from '../format/key.ts'
import { NO_BLOCKS } from './appender.ts'
import type { StoreParts } from './store-parts.ts'
import type { Deletion } from '../format/group-header.ts'
import type { CID } from 'multiformats/cid'

/** Delete blocks wherever they are now. The caller has the turn and the maintenance lock, and an up-to-date view. */
export async function deletePlaces ({ view, appender }: StoreParts, cids: readonly CID[]): Promise<void> {
  let deletions: Deletion[] = []
  // before and after: see refreshToWrite
  await view.announce()

  for (const cid of cids) {
    const key = keyOf(cid.multihash)

    for (const { pack, frame, start } of [...await view.findAll(key), ...view.findUnsyncedDeletions(key)]) {
      deletions.push({ pack, frame, start, key })
    }

    if (deletions.length >= GROUP_BLOCKS) {
      await appender.append(NO_BLOCKS, deletions)
      deletions = []
    }
  }

  if (deletions.length > 0) {
    await appender.append(NO_BLOCKS, deletions)
  }

  await appender.sync()
}
