import { changeMetadata } from '../change-metadata.ts'
import type { ChmodOptions } from '../index.ts'
import type { Settings } from '../ipfsz.ts'
import type { CID } from 'multiformats/cid'

export async function chmod (cid: CID, mode: number, settings: Settings, options: ChmodOptions = {}): Promise<CID> {
  return changeMetadata(cid, { mode }, settings, options)
}
