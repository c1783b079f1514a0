import { hash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import type { PlainBlock } from '../src/index.ts'

export function blockOf (bytes: Uint8Array): PlainBlock {
  return { cid: CID.createV1(raw.code, Digest.create(sha256.code, hash('sha256', bytes, 'buffer'))), bytes }
}

/** Blocks of text, all different. */
export function texts (count: number, prefix = 'block'): PlainBlock[] {
  return Array.from({ length: count }, (_, i) => blockOf(Buffer.from(`${prefix} ${i} `.repeat(20))))
}
