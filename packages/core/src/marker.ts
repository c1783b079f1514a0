import * as dagPb from '@ipld/dag-pb'
import { CODES } from '@ipfsz/codecs'
import { CID } from 'multiformats/cid'
import { NotMarkableError, UnknownMarkerError } from './errors.ts'
import type { PBNode } from '@ipld/dag-pb'
import type { BlockCodec } from 'multiformats/codecs/interface'

/** The marker code of a directory with a compressed file at any depth. */
export const TREE_CODE = 0x3f5a00

/** Every marker code: those of compressed files by codec, and that of directories (docs/format.md, section 1). */
export const MARKERS = { tree: TREE_CODE, ...CODES } as const

/** What a marker marks: a file of this codec, or a directory. */
export type MarkerName = keyof typeof MARKERS
export type MarkerCode = (typeof MARKERS)[MarkerName]

/** The code of a marker that is given by its name or its code. */
export type CodeOf<Marker extends MarkerName | number> =
  Marker extends MarkerName ? (typeof MARKERS)[Marker] : Extract<Marker, number>

const MARKER_CODES = new Set<number>(Object.values(MARKERS))

/** Whether a CID's codec is a marker code. */
export function isMarked (cid: CID): boolean {
  return MARKER_CODES.has(cid.code)
}

/**
 * The marked twin of a dag-pb CID: CIDv1 with the marker code and the same multihash. Both
 * name the same block. Store and link the plain CID; give users the marked one.
 *
 * @param marker - a name, such as `'zstd'` or `'tree'`, or a code
 * @throws {NotMarkableError} the CID is not dag-pb
 * @throws {UnknownMarkerError} there is no such marker
 */
export function mark<Marker extends MarkerName | number> (
  cid: CID,
  marker: Marker
): CID<unknown, CodeOf<Marker>, number, 1> {
  if (cid.code !== dagPb.code) {
    throw new NotMarkableError(cid)
  }

  return CID.createV1(codeOf(marker), cid.multihash)
}

function codeOf<Marker extends MarkerName | number> (marker: Marker): CodeOf<Marker> {
  const code: unknown = typeof marker === 'string' && Object.hasOwn(MARKERS, marker) ? MARKERS[marker] : marker

  if (!MARKER_CODES.has(code as number)) {
    throw new UnknownMarkerError(marker)
  }

  return code as CodeOf<Marker>
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
 * codecs can walk, pin and export marked roots. `withIpfsz` gives them to a Helia that exists.
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
  name: `ipfsz-${name}`,
  code,
  encode: dagPb.encode,
  decode: dagPb.decode
}))
