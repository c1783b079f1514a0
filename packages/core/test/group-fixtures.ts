import { codecs } from '@ipfsz/codecs/all'
import { WrittenBase } from '../src/base/written-base.ts'
import { writeLeaves, writeRoot } from '../src/dag/write.ts'
import { packLeaves } from '../src/format/leaf.ts'
import { encodeTrailer } from '../src/format/trailer.ts'
import { FrameTable } from '../src/frames/frame-table.ts'
import { mark } from '../src/index.ts'
import { ByteReader } from '../src/util/byte-reader.ts'
import { filteringCodec } from '../src/write/filtering-codec.ts'
import { writeFile } from '../src/write/write-file.ts'
import { chunked, text } from './fixtures.ts'
import type { CountingBlockstore } from './fixtures.ts'
import type { FileLink } from '../src/dag/file-block.ts'
import type { Filter } from '../src/filters/filter.ts'
import type { Header, Region } from '../src/format/header.ts'
import type { Cut } from '../src/policy/compression-options.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

const KIB = 1024

/** Most frames hold zeros, so that the file is small. */
export const ZEROS = new Uint8Array(64 * KIB)
export const WORDS = text(100_000)
export const END = text(777, 2)

/** A file of so many frames has words in some: the ends of groups, and in its last one. */
export const COUNT = 2 * 4096 + 3
const SPECIAL = new Map([[0, 1], [4095, 1], [4096, 1], [8191, 1], [COUNT - 1, 2]])

export function pieceOf (frame: number): number {
  return SPECIAL.get(frame) ?? 0
}

export function wordsFirst (frame: number): number {
  return frame === 0 ? 1 : frame === 4099 ? 2 : 0
}

/** Write a file whose header lists groups, however few frames it has, with the base of that CID if there is one. */
export async function addInGroups (
  bytes: Uint8Array,
  codec: Codec,
  cut: Cut,
  blockstore: CountingBlockstore,
  baseCid?: CID
): Promise<CID> {
  const reading = { blockstore, codecs: [codec], inFlightBytes: 1024 * KIB }
  const base = baseCid == null ? undefined : await WrittenBase.open(baseCid, reading, {})
  const settings = {
    codec,
    level: codec.levels.default,
    basedLevels: [codec.levels.default],
    frameSize: cut === 'content' ? 256 * KIB : 64 * KIB,
    leafSize: 64 * KIB,
    cut,
    filters: [],
    base,
    maxListed: 0
  }
  const { cid, code } = await writeFile(
    { beginning: { bytes: new Uint8Array(0) }, settings, metadata: {} },
    new ByteReader(chunked(bytes, 100_000)),
    blockstore,
    { inFlightBytes: 1024 * KIB, contentCid: false }
  )

  return mark(cid, code)
}

export interface ManyFrames {
  cid: CID
  size: number
  /** The stored bytes of the frames, without the seek table. */
  length: number
}

/** What differs from a file of zstd, or is changed before it is written. */
interface Changes {
  codec?: CodecName
  filters?: readonly Filter[]
  trailer?: (bytes: Uint8Array) => Uint8Array
  header?: (header: Header) => Header
}

/** The base of a file, and the region of each of its pieces. */
interface PiecesBase {
  link: FileLink
  bytes: Uint8Array
  regions: readonly Region[]
}

/** A file of many small frames that are written without compressing each: the pieces follow in turn. */
export async function putManyFrames (
  pieces: readonly Uint8Array[],
  pieceOf: (frame: number) => number,
  count: number,
  blockstore: CountingBlockstore,
  changes: Changes = {},
  base?: PiecesBase
): Promise<ManyFrames> {
  const { codec: name = 'zstd', filters, trailer: changeTrailer, header: changeHeader = header => header } = changes
  const codec = filters == null ? codecs[name]() : filteringCodec(codecs[name](), filters)
  const frames = await Promise.all(pieces.map(async (piece, i) => {
    const region = base?.regions[i]
    const dictionary = base?.bytes.subarray(region?.offset, (region?.offset ?? 0) + (region?.length ?? 0))
    const options = dictionary == null || dictionary.byteLength === 0 ? {} : { dictionary }

    return { size: piece.byteLength, bytes: await codec.compress(piece, options), ...region == null ? {} : { region } }
  }))
  const table = new FrameTable({ frameSize: 128 * KIB, listsSizes: true, maxListed: 0 })

  for (let frame = 0; frame < count; frame++) {
    table.add(frames[pieceOf(frame)])
  }

  const encoded = encodeTrailer(name, table.all, base?.link.size, false)
  const trailer = changeTrailer?.(encoded) ?? encoded
  const parts = async function * (): AsyncGenerator<Uint8Array> {
    for (let frame = 0; frame < count; frame++) {
      yield frames[pieceOf(frame)].bytes
    }

    for (let start = 0; start < trailer.byteLength; start += 32 * KIB) {
      yield trailer.subarray(start, start + 32 * KIB)
    }
  }
  const leaves = packLeaves(parts(), 32 * KIB)
  const links = await Array.fromAsync(writeLeaves(leaves, blockstore, {}))
  const header = changeHeader({ codec: codec.code, ...table.header, ...filters == null ? {} : { filters } })
  const { cid } = await writeRoot({ links, header, base: base?.link }, {}, blockstore, {})
  const length = table.lengths.reduce((total, length) => total + length, 0)

  return { cid: mark(cid, codec.code), size: table.size, length }
}
