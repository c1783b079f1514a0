import type { CID } from 'multiformats/cid'

export interface Wanted {
  cid: CID
  /** Where the file's bytes below it begin and how many there are, if only a range of them is wanted. */
  part?: { start: number, size: number }
}

export type WantedBelow = (wanted: Wanted, block: Uint8Array) => Generator<Wanted>
