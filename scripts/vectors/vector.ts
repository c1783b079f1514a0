import { createHash } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import type { Blocks } from './blocks.ts'

/** What a reader gets of a file. */
export interface Original {
  size: number
  /** Of all bytes, in hex. Missing if the file is large: then only ranges are to be read. */
  sha256?: string
  ranges: Array<{ offset: number, length: number, hex: string }>
  /** The error of a check of the whole file, which compares what reading does not need. */
  verify?: string
}

/** What a reader makes of a vector, besides its CIDs. */
export type Expected = { atRest?: true } & (
  | Original
  | { error: string, rule?: string, path?: string, listing?: true }
  | { entries: Array<{ path: string } & Original> }
)

export interface VectorInit {
  name: string
  /** What it shows. */
  about: string
  /** Writes its blocks. Returns its root, marked if it is to be read as what it holds. */
  make: (blocks: Blocks) => Promise<CID>
  expected: Expected
}

/** What a reader gets of these bytes. */
export function original (bytes: Uint8Array, at = 65_530): Original {
  const { byteLength: size } = bytes
  const starts = [0, Math.min(at, size >> 1), Math.max(0, size - 9)]

  return {
    size,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ranges: starts.map(offset => range(offset, bytes.subarray(offset, offset + 12)))
  }
}

export function range (offset: number, bytes: Uint8Array): Original['ranges'][number] {
  return { offset, length: bytes.byteLength, hex: Buffer.from(bytes).toString('hex') }
}
