import { GROUP_BLOCKS } from '../constants.ts'
import { NO_BLOCKS } from '../format/group-header.ts'
import { keyOf } from '../format/key.ts'
import { lookUp } from './look-up.ts'
import type { StoreParts } from './store-parts.ts'
import type { Deletion } from '../format/group-header.ts'
import type { CID } from 'multiformats/cid'

/** Delete blocks wherever they are now. The caller has the turn and the maintenance lock, and an up-to-date view. */
export async function deletePlaces ({ view, appender }: StoreParts, cids: readonly CID[]): Promise<void> {
  let deletions: Deletion[] = []
  // before and after: see refreshToWrite
  await view.announce()

  const keys = cids.map(({ multihash }) => keyOf(multihash))
  const found = await lookUp(keys, key => view.findAll(key))

  for (const [i, key] of keys.entries()) {
    for (const { pack, frame, start } of [...found[i], ...view.findUnsyncedDeletions(key)]) {
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
