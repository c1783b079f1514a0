import { CODES } from '@ipfsz/codecs'
import { codecs } from '@ipfsz/codecs/all'
import { seal } from '@ipfsz/codecs/sealed'
import { mark } from '@ipfsz/core'
import { applyFilter } from './filters.ts'
import { bytesField, numberField, packedField } from './protobuf.ts'
import { baseHead, groupsOf, groupTable, regionTable, seekTable } from './tables.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'
import type { Blocks, FileNodeInit, Part } from './blocks.ts'
import type { FrameEntry } from './tables.ts'

export const KIB = 1024
export const FRAME = 64 * KIB

/** What a header has in place of a field that is right. Null: nothing. */
export type Edits = Readonly<Record<number, Uint8Array | null>>

/** A compressed file as docs/format.md has it, and what is wrong with it. */
export interface Draft {
  /** @default zstd */
  codec?: CodecName
  /** What each frame holds. */
  pieces: readonly Uint8Array[]
  /** @default 65536 */
  frameSize?: number
  /** Whether the header lists the sizes of frames, as it must if they differ. */
  listsSizes?: boolean
  /** The codes of filters. */
  filters?: readonly number[]
  /** A base, what it holds, and the region of each frame. */
  base?: { part: Part, bytes: Uint8Array, regions: ReadonlyArray<readonly [offset: number, length: number]> }
  /** Whether a table lists the frames. */
  inGroups?: boolean
  /** Whether the stream is in the root. */
  inRoot?: boolean
  /** @default 1 MiB */
  leafSize?: number
  /** More fields of the header. */
  more?: readonly Uint8Array[]
  /** Whether to leave out the header. */
  isStream?: boolean
  /** Change the frames. Their lengths are those of the changed ones. */
  frames?: (frames: Uint8Array[]) => void
  /** Change what the table says of frames, or their lengths in the header. */
  entries?: (entries: FrameEntry[]) => void
  /** Replaces what follows the frames. */
  trailer?: (bytes: Uint8Array, entries: readonly FrameEntry[]) => Uint8Array
  edits?: Edits
  /** Replaces the field with the header. */
  header?: (field: Uint8Array) => Uint8Array
  /** What else is in the root. */
  root?: Partial<FileNodeInit>
  /** The codec of the marked CID, if it is not that of the file. */
  marker?: CodecName
}

/** Write a file of frames. Returns its marked CID. */
export async function makeFile (blocks: Blocks, draft: Draft): Promise<CID> {
  return mark((await makePart(blocks, draft)).cid, CODES[draft.marker ?? draft.codec ?? 'zstd'])
}

/** The same, for a link: its plain CID, and the bytes that are stored. */
export async function makePart (blocks: Blocks, draft: Draft): Promise<Part> {
  const { base, inRoot = false, isStream = false } = draft
  const frames = await compressAll(draft)
  draft.frames?.(frames)
  const entries: FrameEntry[] = draft.pieces.map((piece, i) =>
    ({ length: frames[i].byteLength, size: piece.byteLength, region: base?.regions[i] ?? [0, 0] }))
  draft.entries?.(entries)
  const trailer = trailerOf(draft, entries)
  const stream = Buffer.concat([...frames, draft.trailer?.(trailer, entries) ?? trailer])
  const field = isStream ? new Uint8Array(0) : bytesField(1445, headerOf(draft, entries))
  const more = draft.header?.(field) ?? field
  const parts = inRoot ? [] : [...await blocks.leaves(stream, draft.leafSize), ...base == null ? [] : [base.part]]

  return blocks.fileNode({ ...inRoot ? { data: stream } : { parts }, more, ...draft.root })
}

async function compressAll ({ codec = 'zstd', pieces, filters = [], base }: Draft): Promise<Uint8Array[]> {
  const encoder = codecs[codec]({ deterministic: true })
  const known = new Map<Uint8Array, Uint8Array>()

  return Array.fromAsync(pieces, async (piece, i) => {
    const [offset, length] = base?.regions[i] ?? [0, 0]
    const dictionary = length < 8 ? undefined : base?.bytes.slice(offset, offset + length)
    const again = dictionary == null ? known.get(piece) : undefined

    if (again != null) {
      return again
    }

    const filtered = filters.reduce<Uint8Array>(applyFilter, piece)
    const frame = new Uint8Array(await encoder.compress(filtered, { dictionary }))
    const stored = filters.length === 0 ? frame : seal(codec, frame)
    known.set(piece, stored)

    return stored
  })
}

function trailerOf ({ codec = 'zstd', base, inGroups = false, isStream = false }: Draft, all: FrameEntry[]): Buffer {
  if (base != null) {
    return Buffer.concat([inGroups ? regionTable(all) : new Uint8Array(0), baseHead(base.part.size)])
  }

  if (inGroups) {
    return groupTable(codec, all)
  }

  return (codec === 'zstd' || codec === 'lz4') && all.length > 1 && !isStream ? seekTable(all) : Buffer.alloc(0)
}

function headerOf (draft: Draft, entries: readonly FrameEntry[]): Uint8Array {
  const { codec = 'zstd', frameSize = FRAME, pieces, listsSizes, filters, base, inGroups } = draft
  const { more = [], edits = {} } = draft
  const size = pieces.reduce((total, { byteLength }) => total + byteLength, 0)
  const sums = (values: (entry: FrameEntry) => number[]): number[] => groupsOf(entries).flatMap(group =>
    values(group[0]).map((_, i) => group.reduce((total, entry) => total + values(entry)[i], 0)))
  const isLater = listsSizes === true || filters != null || base != null || inGroups === true
  const fields: Record<number, Uint8Array | null> = {
    1: numberField(1, isLater ? 2 : 1),
    2: numberField(2, CODES[codec]),
    3: numberField(3, size),
    4: numberField(4, frameSize)
  }

  if (inGroups === true) {
    fields[12] = packedField(12, sums(({ length, size }) => [length, size]))

    if (base != null) {
      fields[13] = packedField(13, groupsOf(entries).flatMap(group => {
        const lengths = group.map(({ region }) => region[1])

        return [lengths.reduce((total, length) => total + length, 0), Math.max(...lengths)]
      }))
    }
  } else {
    fields[5] = packedField(5, entries.map(({ length }) => length))
    fields[8] = listsSizes === true ? packedField(8, entries.map(({ size }) => size)) : null
    fields[10] = base == null ? null : packedField(10, base.regions.flat())
  }

  fields[11] = filters == null ? null : packedField(11, filters)

  return Buffer.concat([...Object.values({ ...fields, ...edits }).filter(field => field != null), ...more])
}
