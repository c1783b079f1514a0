import { raceSignal } from 'race-signal'
import { heliaUnixfs, openParent } from '../change/helia-unixfs.ts'
import { isMarked, mark, TREE_CODE, unmark } from '../marker.ts'
import type { MkdirOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { CID } from 'multiformats/cid'

export async function mkdir (parent: CID, name: string, settings: Settings, options: MkdirOptions = {}): Promise<CID> {
  options.signal?.throwIfAborted()

  const directory = await openParent(parent, name, settings.blockstore, options)
  const fs = await heliaUnixfs(settings, options)
  const made = fs.mkdir(unmark(parent), name, { ...directory.options, ...options })
  const result = await raceSignal(made, options.signal)

  return isMarked(parent) ? mark(result, TREE_CODE) : result
}
