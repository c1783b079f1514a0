import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { noise, text } from '../support/data.ts'

export interface NumberedBlock {
  cid: CID
  bytes: Uint8Array
}

/** The block of a number: text, but for every fifth. No two are the same. */
export async function makeBlock (number: number): Promise<NumberedBlock> {
  const bytes = number % 5 === 4 ? noise(20_000, number + 1) : text(50_000, number + 1)

  return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
}
