import { FRAME, makeFile, makePart } from './make-file.ts'
import { packedField } from './protobuf.ts'
import type { CID } from 'multiformats/cid'
import type { Blocks } from './blocks.ts'

const MIB = 1024 * 1024

/**
 * A file of zeros with a base of zeros. Each frame has a region in another piece of 16 MiB of the base.
 *
 * @param pieces - the piece of each frame
 * @param sizes - of the frames of the base, of at most 16 MiB
 */
export async function costlyFile (
  blocks: Blocks,
  pieces: readonly number[],
  sizes: readonly number[] = [16, 16, 16, 16, 16, 16]
): Promise<CID> {
  const known = new Map(sizes.map(size => [size, new Uint8Array(size * MIB)]))
  const part = await makePart(blocks, {
    pieces: sizes.map(size => known.get(size) as Uint8Array), frameSize: 16 * MIB, listsSizes: true
  })

  return makeFile(blocks, {
    pieces: pieces.map(() => new Uint8Array(FRAME)),
    // all regions have the same content, so frames are compressed with the first bytes of it
    base: { part, bytes: new Uint8Array(8), regions: pieces.map(() => [0, 8] as const) },
    edits: { 10: packedField(10, pieces.flatMap(piece => [piece * 16 * MIB + 100, 8])) }
  })
}
