import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { noise, text } from '../support/data.ts'

export interface NumberedBlock {
  cid: CID
  bytes: Uint8Array
}

/** The block of this number: text, or noise for every fifth. No two are the same. */
export async function makeBlock (number: number): Promise<NumberedBlock> {
  const bytes = number % 5 === 4 ? noise(20_000, number + 1) : text(50_000, number + 1)

  return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
}

/** The blockstore that keeps the files. */
export type FileStore = 'FsBlockstore' | 'SharedFsBlockstore'

export function openFiles (store: FileStore, directory: string): FsBlockstore {
  return store === 'FsBlockstore' ? new FsBlockstore(directory) : new SharedFsBlockstore(directory)
}

/** A block of 16 MB, which takes some milliseconds to write. */
export async function makeLargeBlock (): Promise<NumberedBlock> {
  const bytes = new Uint8Array(Buffer.alloc(16_000_000, noise(50_000)))

  return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
}
