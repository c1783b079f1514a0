import { changeMetadata } from '../change/change-metadata.ts'
import type { TouchOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { CID } from 'multiformats/cid'

export async function touch (cid: CID, settings: Settings, options: TouchOptions = {}): Promise<CID> {
  const { mtime = { secs: BigInt(Math.round(Date.now() / 1000)), nsecs: 0 } } = options

  return changeMetadata(cid, { mtime }, settings, options)
}
