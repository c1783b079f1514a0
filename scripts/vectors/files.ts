/** Files of every kind that docs/format.md allows. Above 250 lines: it is a list. */
import { CODES } from '@ipfsz/codecs'
import { ipfsz, mark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { cut, cutAt, pages, samples } from './data.ts'
import { costlyFile } from './costly.ts'
import { FRAME, KIB, makeFile, makePart } from './make-file.ts'
import { bytesField, numberField, packedField } from './protobuf.ts'
import { adler32, seekTable } from './tables.ts'
import { DULL, TOOL_STREAMS } from './tool-streams.ts'
import { original, range } from './vector.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Blocks, Part } from './blocks.ts'
import type { Draft } from './make-file.ts'
import type { Original, VectorInit } from './vector.ts'

const CODECS = Object.keys(CODES) as CodecName[]
const SMALL = pages(5000)
const LARGE = pages(150_000)
const SIZES = [FRAME, 70_000] as const
const ZEROS = new Uint8Array(FRAME)

function file (name: string, about: string, draft: Draft): VectorInit {
  return {
    name, about, make: async blocks => makeFile(blocks, draft), expected: original(Buffer.concat(draft.pieces))
  }
}

function basedFile (name: string, about: string, base: BaseInit, draft: Draft): VectorInit {
  return {
    name,
    about,
    make: async blocks => {
      const { bytes, regions } = base

      return makeFile(blocks, { ...draft, base: { part: await base.part(blocks), bytes, regions } })
    },
    expected: original(Buffer.concat(draft.pieces))
  }
}

interface BaseInit {
  part: (blocks: Blocks) => Promise<Part>
  bytes: Uint8Array
  regions: ReadonlyArray<readonly [offset: number, length: number]>
}

/** A file that can be read, and in which a check of the whole file finds an error. */
function unverified (verify: string, vector: VectorInit): VectorInit {
  return { ...vector, expected: { ...vector.expected as Original, verify } }
}

function contentCidFile (name: string, about: string, content: Uint8Array): VectorInit {
  return {
    ...file(name, about, { pieces: cut(LARGE) }),
    make: async blocks => makeFile(blocks, {
      pieces: cut(LARGE),
      edits: { 6: bytesField(6, CID.createV1(raw.code, await sha256.digest(content)).bytes) }
    })
  }
}

const PLAIN: VectorInit[] = [
  {
    name: 'plain-raw',
    about: 'A raw block, which is a file',
    make: async blocks => blocks.store(raw.code, SMALL),
    expected: original(SMALL)
  },
  {
    name: 'plain-tree',
    about: 'Inner nodes, data in a node before its children, and leaves of several sizes',
    make: async blocks => {
      const leaves = await blocks.leaves(SMALL.subarray(100, 3000), 700)
      const inner = await blocks.fileNode({ data: SMALL.subarray(0, 100), parts: leaves.slice(0, 3) })
      const rest = await blocks.leaves(SMALL.subarray(3000), 999)

      return (await blocks.fileNode({ parts: [inner, ...leaves.slice(3), ...rest] })).cid
    },
    expected: original(SMALL)
  },
  {
    name: 'plain-data-first',
    about: 'The data of a dag-pb node before its links, as other writers have it',
    make: async blocks => (await blocks.fileNode({
      parts: await blocks.leaves(SMALL, 999), order: (data, links) => [data, ...links]
    })).cid,
    expected: original(SMALL)
  }
]

const VERSION_1: VectorInit[] = CODECS.flatMap(codec => [
  file(`v1-${codec}-small`, 'A file of one frame, in its root', { codec, pieces: [SMALL], inRoot: true }),
  file(`v1-${codec}`, 'Three frames, in leaves that do not end where frames do',
    { codec, pieces: cut(LARGE), leafSize: 1000 })
])

/** The member without the version needed, the level, and the high half of the time. */
function oldLzop (frame: Uint8Array): Uint8Array {
  const head = Buffer.alloc(27)
  head.set(frame.subarray(0, 9))
  head.writeUInt16BE(0x0900, 9)
  head.set(frame.subarray(11, 13), 11)
  head[13] = 3
  head.set(frame.subarray(17, 25), 14)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(adler32(head.subarray(9)))

  return Buffer.concat([head, sum, frame.subarray(38)])
}

const HEADERS: VectorInit[] = [
  file('v1-frame-size', 'A frame size that is no power of 2', { pieces: cut(LARGE, 66_666), frameSize: 66_666 }),
  contentCidFile('v1-content-cid', 'The CID of the original, in field 6', LARGE),
  unverified('ContentMismatchError', contentCidFile('v1-content-cid-wrong', 'The CID of another original', SMALL)),
  file('v1-later-fields', 'Fields with numbers above 7 are skipped in version 1, even if they occur twice', {
    pieces: cut(LARGE), more: [numberField(8, 1), numberField(8, 1), packedField(14, [1])]
  }),
  file('v1-long-varints', 'Numbers that have more bytes than they need', {
    pieces: cut(LARGE),
    // field 1 with a key of 3 bytes, and version 1 in 10
    edits: { 1: Uint8Array.of(0x88, 0x80, 0, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0) }
  }),
  file('v1-lzo-old', 'Members with the short header of lzop before 0.94, and LZO1X-999 as their method', {
    codec: 'lzo', pieces: cut(LARGE), frames: frames => { frames.forEach((frame, i) => { frames[i] = oldLzop(frame) }) }
  }),
  unverified('InvalidTrailerError', file('v1-no-trailer', 'No seek table: reading does not need it', {
    pieces: cut(LARGE), trailer: () => new Uint8Array(0)
  })),
  file('v2-later-fields', 'Fields with numbers above 31 are skipped in version 2', {
    pieces: cut(LARGE), listsSizes: true, more: [numberField(32, 1), numberField(32, 1)]
  })
]

const VERSION_2: VectorInit[] = [
  ...CODECS.flatMap(codec => [
    file(`v2-sizes-${codec}`, 'Frames of different sizes', {
      codec, pieces: cutAt(LARGE, ...SIZES), frameSize: 128 * KIB, listsSizes: true
    }),
    file(`v2-filters-${codec}`, 'Delta and shuffle of 2 bytes, in sealed frames', {
      codec, pieces: cut(samples(100_001, 2)), filters: [0x102, 0x202]
    }),
    file(`v2-groups-${codec}`, 'Frames of different sizes, which a table after them lists', {
      codec, pieces: cutAt(LARGE, ...SIZES), frameSize: 128 * KIB, inGroups: true
    })
  ]),
  ...[0x101, 0x103, 0x104, 0x108, 0x203, 0x204, 0x208].map(code => file(
    `v2-filter-${code.toString(16)}`, 'One filter, and bytes at the end that make no whole element',
    { pieces: [samples(20_007, code % 256)], filters: [code] }
  )),
  ...[0x207, 0x240, 0x302, 0x31c, 0x340].map(code => file(
    `v2-filter-${code.toString(16)}`, 'Records, and bytes at the end that make no whole one',
    { pieces: [samples(20_007, 4)], filters: [code] }
  )),
  file('v2-filters-four', 'Four filters', { pieces: [samples(20_007, 4)], filters: [0x104, 0x204, 0x101, 0x202] }),
  file('v2-filters-groups', 'Filters, and frames that a table lists', {
    pieces: cutAt(samples(150_000, 2), ...SIZES), frameSize: 128 * KIB, filters: [0x202, 0x101], inGroups: true
  })
]

/** The frames of the file with two groups: text begins in the last of the first group. */
const MANY = [...Array.from({ length: 4095 }, () => ZEROS), ...cut(LARGE.subarray(0, 2 * FRAME)), SMALL]
const MANY_TEXT = 4095 * FRAME

const TWO_GROUPS: VectorInit = {
  name: 'v2-groups-two',
  about: 'Two groups, of 4,096 frames and of 2. The file has 256 MiB: only ranges are to be read',
  make: async blocks => makeFile(blocks, { pieces: MANY, inGroups: true }),
  expected: {
    size: MANY_TEXT + 2 * FRAME + SMALL.byteLength,
    ranges: [
      range(1_000_000, ZEROS.subarray(0, 9)),
      range(MANY_TEXT + FRAME - 5, LARGE.subarray(FRAME - 5, FRAME + 5)),
      range(MANY_TEXT + 2 * FRAME + 10, SMALL.subarray(10, 20))
    ]
  }
}

const BASE = pages(100_000, 2)
/** What has most in common with the base. */
const NEXT = new Uint8Array(
  Buffer.concat([BASE.subarray(5000, 80_000), SMALL.subarray(0, 300), BASE.subarray(0, 70_000)])
)
const NEXT_REGIONS = [[5000, 70_000], [0, 0], [100, 50_000]] as const

async function plainBase (blocks: Blocks): Promise<Part> {
  return blocks.fileNode({ parts: await blocks.leaves(BASE) })
}

async function compressedBase (blocks: Blocks): Promise<Part> {
  return makePart(blocks, { pieces: cut(BASE) })
}

const BASES: VectorInit[] = [
  basedFile('v2-base-plain', 'A plain base, and a frame without a region',
    { part: plainBase, bytes: BASE, regions: NEXT_REGIONS }, { pieces: cut(NEXT) }),
  basedFile('v2-base-compressed', 'A base that is compressed itself',
    { part: compressedBase, bytes: BASE, regions: NEXT_REGIONS }, { pieces: cut(NEXT) }),
  basedFile('v2-base-gzip', 'A base in another codec',
    {
      part: async blocks => makePart(blocks, { codec: 'gzip', pieces: cut(BASE) }),
      bytes: BASE,
      regions: NEXT_REGIONS
    },
    { pieces: cut(NEXT) }),
  basedFile('v2-base-sizes', 'A base with frames of different sizes, which do not end where its pieces do', {
    part: async blocks => makePart(blocks, {
      pieces: cutAt(BASE, 70_000), frameSize: 128 * KIB, listsSizes: true
    }),
    bytes: BASE,
    regions: NEXT_REGIONS
  }, { pieces: cut(NEXT) }),
  basedFile('v2-base-groups', 'A base whose frames a table lists', {
    part: async blocks => makePart(blocks, {
      pieces: cutAt(BASE, 70_000), frameSize: 128 * KIB, inGroups: true
    }),
    bytes: BASE,
    regions: NEXT_REGIONS
  }, { pieces: cut(NEXT) }),
  basedFile('v2-base-region-table', 'A base, and frames of different sizes, which a region table lists',
    { part: compressedBase, bytes: BASE, regions: NEXT_REGIONS },
    { pieces: cutAt(NEXT, ...SIZES), frameSize: 128 * KIB, inGroups: true }),
  basedFile('v2-base-sizes-filters', 'A base, frames of different sizes, and a filter',
    { part: compressedBase, bytes: BASE, regions: NEXT_REGIONS },
    { pieces: cutAt(NEXT, ...SIZES), frameSize: 128 * KIB, listsSizes: true, filters: [0x101] })
]

const COSTS: VectorInit[] = [{
  name: 'v2-base-cost-limit',
  about: 'Frames that need as much of the base as they may: 96 MiB, for 16 frames of 64 KiB',
  make: async blocks => costlyFile(blocks, [0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5]),
  expected: original(new Uint8Array(16 * FRAME))
}]

const STREAMS: VectorInit[] = [
  ...TOOL_STREAMS.map(([codec, stream]): VectorInit => ({
    name: `stream-${codec}`,
    about: 'What a tool wrote, in leaves of 100 bytes, without a header',
    make: async blocks => mark((await blocks.fileNode({ parts: await blocks.leaves(stream, 100) })).cid, CODES[codec]),
    expected: original(DULL)
  })),
  ...(['zstd', 'gzip', 'lz4', 'snappy'] as const).map(codec => file(
    `stream-${codec}-frames`, 'Several frames or members, without a header',
    { codec, pieces: cut(LARGE), isStream: true }
  )),
  ...(['zstd', 'lz4'] as const).map(codec => file(
    `stream-${codec}-seekable`, 'Frames that end in a seek table, without a header',
    { codec, pieces: cut(LARGE), isStream: true, trailer: (_, entries) => seekTable(entries) }
  )),
  file('stream-gzip-zeros', 'Zeros after the last member', {
    codec: 'gzip', pieces: [SMALL], isStream: true, trailer: () => new Uint8Array(500)
  }),
  file('stream-zstd-skippable', 'A skippable frame before the first frame', {
    pieces: [SMALL],
    isStream: true,
    frames: frames => { frames[0] = Buffer.concat([Buffer.from('502a4d1803000000616263', 'hex'), frames[0]]) }
  })
]

/** Files that IPFSz itself adds. */
const ADDED: VectorInit[] = [
  {
    name: 'v2-cut-by-content',
    about: 'Frames that end where the content says, each with a leaf of its own',
    make: async blocks => ipfsz({ blockstore: blocks }, { deterministic: true })
      .addBytes(pages(500_000, 3), { compression: { codec: 'zstd', cut: 'content' } }),
    expected: original(pages(500_000, 3))
  },
  {
    name: 'v2-next-version',
    about: 'A file and the version before it, as `ipfsz add --base` writes it',
    make: async blocks => {
      const fs = ipfsz({ blockstore: blocks }, { deterministic: true })
      const base = await fs.addBytes(BASE, { compression: { codec: 'zstd', frameSize: FRAME } })

      return fs.addBytes(NEXT, { compression: { codec: 'zstd', base, frameSize: FRAME } })
    },
    expected: original(NEXT)
  }
]

export const FILES: readonly VectorInit[] = [
  ...PLAIN, ...VERSION_1, ...HEADERS, ...VERSION_2, TWO_GROUPS, ...BASES, ...COSTS, ...STREAMS, ...ADDED
]
