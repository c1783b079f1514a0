import { changeMetadata } from '../change/change-metadata.ts'
import type { ChmodOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { CID } from 'multiformats/cid'

export async function chmod (cid: CID, mode: number, settings: Settings, options: ChmodOptions = {}): Promise<CID> {
  return changeMetadata(cid, { mode }, settings, options)
}
