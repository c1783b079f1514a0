import { raceSignal } from 'race-signal'
import { DoesNotExistError } from '../errors.ts'
import { heliaUnixfs, openTarget } from '../change/helia-unixfs.ts'
import { isMarked, mark, TREE_CODE, unmark } from '../marker.ts'
import type { RmOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { CID } from 'multiformats/cid'

export async function rm (target: CID, name: string, settings: Settings, options: RmOptions = {}): Promise<CID> {
  options.signal?.throwIfAborted()

  const found = await openTarget(target, name, settings.blockstore, options)

  if (found.sharded && !found.exists) {
    // @helia/unixfs would throw an error without a name
    throw new DoesNotExistError(`The directory ${unmark(target)} has no entry named ${JSON.stringify(name)}`)
  }

  const removed = heliaUnixfs(settings, options).rm(unmark(target), name, { ...found.options, ...options })
  const result = await raceSignal(removed, options.signal)

  return isMarked(target) ? mark(result, TREE_CODE) : result
}
