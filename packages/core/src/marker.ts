import * as dagPb from '@ipld/dag-pb'
import { CODES } from '@ipfsz/codecs'
import { CID } from 'multiformats/cid'
import { NotMarkableError, UnknownMarkerError } from './errors.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { PBNode } from '@ipld/dag-pb'
import type { BlockCodec } from 'multiformats/codecs/interface'

/** The marker code of a directory with a compressed file at any depth. */
export const TREE_CODE = 0x3f5a00

/** Every marker code by its multicodec name (docs/format.md, section 1). */
export const MARKERS: Readonly<Record<string, number>> = {
  'ipfsz-tree': TREE_CODE,
  ...Object.fromEntries(Object.entries(CODES).map(([name, code]) => [`ipfsz-${name}`, code]))
}

const NAMES = new Map<number, CodecName>(Object.entries(CODES).map(([name, code]) => [code, name as CodecName]))
const MARKER_CODES = new Set(Object.values(MARKERS))

/** Whether a CID's codec is a marker code. */
export function isMarked (cid: CID): boolean {
  return MARKER_CODES.has(cid.code)
}

/** The codec name of a compressed file's marker code. Undefined for any other code. */
export function codecName (code: number): CodecName | undefined {
  return NAMES.get(code)
}

/**
 * The marked twin of a dag-pb CID: CIDv1 with the marker code and the same multihash. Both
 * name the same block. Store and link the plain CID; give users the marked one.
 *
 * @throws {NotMarkableError} the CID is not dag-pb
 * @throws {UnknownMarkerError} the code is not a marker code
 */
export function mark (cid: CID, code: number): CID {
  if (cid.code !== dagPb.code) {
    throw new NotMarkableError(cid)
  }

  if (!MARKER_CODES.has(code)) {
    throw new UnknownMarkerError(code)
  }

  return CID.createV1(code, cid.multihash)
}

/**
 * The plain twin of a marked CID: CIDv1, dag-pb, the same multihash. Any other CID is
 * returned unchanged.
 */
export function unmark (cid: CID): CID {
  return isMarked(cid) ? CID.createV1(dagPb.code, cid.multihash) : cid
}

/**
 * The markers as IPLD codecs. The block that a marked CID names is dag-pb, so a node with these
 * codecs can walk, pin and export marked roots.
 * @example
 *
 * ```typescript
 * import { markerCodecs } from '@ipfsz/core'
 * import { createHeliaLight } from 'helia'
 *
 * const helia = createHeliaLight({ codecs: markerCodecs })
 * ```
 */
export const markerCodecs: Array<BlockCodec<number, PBNode>> = Object.entries(MARKERS).map(([name, code]) => ({
  name,
  code,
  encode: dagPb.encode,
  decode: dagPb.decode
}))
