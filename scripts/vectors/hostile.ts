/**
 * Files that a reader refuses, each with the name of the error in @ipfsz/core. Above 250 lines: it is a list, with one
 * entry for each rule of docs/format.md.
 */
import { CODES } from '@ipfsz/codecs'
import { mark, TREE_CODE } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { cut, pages, samples } from './data.ts'
import { costlyFile } from './costly.ts'
import { FRAME, KIB, makeFile, makePart } from './make-file.ts'
import { bytesField, numberField, packedField, varint } from './protobuf.ts'
import { adler32 } from './tables.ts'
import { LONG } from './tool-streams.ts'
import type { Blocks, FileNodeInit, Part } from './blocks.ts'
import type { Draft, Edits } from './make-file.ts'
import type { VectorInit } from './vector.ts'

const MIB = 1024 * KIB
const LARGE = pages(150_000)
const PIECES = cut(LARGE)
const NONE = new Uint8Array(0)

function bad (name: string, about: string, error: string, draft: Draft): VectorInit {
  return { name: `bad-${name}`, about, make: async blocks => makeFile(blocks, draft), expected: { error } }
}

/** A file of three frames whose header breaks a rule. */
function header (rule: string, name: string, about: string, draft: Partial<Draft>): VectorInit {
  return {
    name: `bad-header-${name}`,
    about,
    make: async blocks => makeFile(blocks, { pieces: PIECES, ...draft }),
    expected: { error: 'InvalidHeaderError', rule }
  }
}

/** The same, in version 2. */
function header2 (rule: string, name: string, about: string, edits: Edits): VectorInit {
  return header(rule, name, about, { edits: { 1: numberField(1, 2), ...edits } })
}

const HEADERS: VectorInit[] = [
  header('version', 'version-0', 'No version', { edits: { 1: null } }),
  header('version', 'version-3', 'A later version', { edits: { 1: numberField(1, 3) } }),
  header2('version', 'field-14', 'A reserved field', { 14: numberField(14, 1) }),
  header2('version', 'field-31', 'The last reserved field', { 31: bytesField(31, NONE) }),
  header('codec', 'codec-of-marker', 'The header of a gzip file below the marker of zstd', {
    codec: 'gzip', marker: 'zstd'
  }),
  header('codec', 'codec-identity', 'The marker of block envelopes', { edits: { 2: numberField(2, 0x3f5a0f) } }),
  header('dictionary', 'dictionary', 'Field 7', { edits: { 7: bytesField(7, NONE) } }),
  header('frame-size', 'frame-size-small', 'Frames of 65,535 bytes', { edits: { 4: numberField(4, FRAME - 1) } }),
  header('frame-size', 'frame-size-large', 'Frames of more than 16 MiB', {
    edits: { 4: numberField(4, 16 * MIB + 1), 5: packedField(5, [100]) }
  }),
  header('frame-size', 'frame-size-missing', 'No frame size', { edits: { 4: null } }),
  header2('frame-size', 'sizes-small', 'A frame of 65,535 bytes before the last one', {
    8: packedField(8, [FRAME - 1, FRAME, 150_000 - 2 * FRAME + 1])
  }),
  header2('frame-size', 'sizes-large', 'A frame with more bytes than frameSize', {
    8: packedField(8, [FRAME, FRAME + 1, 150_000 - 2 * FRAME - 1])
  }),
  header2('frame-size', 'sizes-zero', 'A last frame without bytes', {
    3: numberField(3, 2 * FRAME), 8: packedField(8, [FRAME, FRAME, 0])
  }),
  header2('frame-size', 'sizes-sum', 'Sizes that do not add up', { 8: packedField(8, [FRAME, FRAME, 100]) }),
  header2('frame-count', 'sizes-count', 'Two sizes for three frames', {
    3: numberField(3, 2 * FRAME), 8: packedField(8, [FRAME, FRAME])
  }),
  header('frame-count', 'frames-few', 'Two lengths for three frames', { edits: { 5: packedField(5, [100, 100]) } }),
  header('frame-count', 'frames-none', 'No lengths', { edits: { 5: null } }),
  header('frame-count', 'size-huge', 'A petabyte in three frames', { edits: { 3: numberField(3, 2 ** 50) } }),
  header('frame-count', 'size-zero', 'Three frames of nothing', { edits: { 3: null } }),
  header('frame-length', 'length-zero', 'A frame of no bytes', { edits: { 5: packedField(5, [100, 0, 100]) } }),
  header('frame-length', 'length-huge', 'A frame that is longer than any codec makes', {
    edits: { 5: packedField(5, [100, FRAME * 1.25 + 1025, 100]) }
  }),
  header('total-length', 'total-length', 'More bytes than the file has', {
    edits: { 5: packedField(5, [80_000, 80_000, 80_000]) }
  }),
  header('encoding', 'truncated', 'The message ends in a field', {
    header: field => field.slice(0, -1).with(2, field[2] - 1)
  }),
  header('encoding', 'field-twice', 'The size, twice', { more: [numberField(3, 150_000)] }),
  header('encoding', 'not-packed', 'A length that is not packed', { edits: { 5: numberField(5, 100) } }),
  header('encoding', 'number-large', 'A size of 2^53', { edits: { 3: numberField(3, 2 ** 53) } }),
  header('encoding', 'varint-long', 'A number of eleven bytes', {
    edits: { 3: Uint8Array.from([0x18, ...Array<number>(10).fill(0x80), 1]) }
  }),
  header('encoding', 'number-skipped', 'A number of 2^53, in a field that is skipped', {
    more: [numberField(40, 2 ** 53)]
  }),
  header('encoding', 'field-number', 'A field number of 2^29', { more: [numberField(2 ** 29, 1)] }),
  header('version', 'number-uint32', 'Version 2^32 + 1, which is not version 1', {
    edits: { 1: numberField(1, 2 ** 32 + 1) }
  }),
  header('encoding', 'wire-type', 'The version, as bytes', { edits: { 1: bytesField(1, Uint8Array.of(1)) } }),
  header('encoding', 'content-cid', 'A content CID that is none', { edits: { 6: bytesField(6, Uint8Array.of(1, 2)) } }),
  header('encoding', 'two-headers', 'Two headers', { header: field => Buffer.concat([field, field]) }),
  header('encoding', 'header-number', 'A number where the header should be', { header: () => numberField(1445, 1) }),
  header2('encoding', 'sizes-twice', 'Field 8, twice', {
    8: Buffer.concat([packedField(8, [1]), packedField(8, [1])])
  }),
  header2('filters', 'filters-none', 'An empty list of filters', { 11: packedField(11, []) }),
  header2('filters', 'filters-five', 'Five filters', { 11: packedField(11, [0x101, 0x102, 0x104, 0x202, 0x204]) }),
  header2('filters', 'filters-unknown', 'Delta of 5 bytes', { 11: packedField(11, [0x105]) }),
  header2('filters', 'filters-record-short', 'Records of one byte', { 11: packedField(11, [0x301]) }),
  header2('filters', 'filters-record-long', 'Records of 65 bytes', { 11: packedField(11, [0x341]) }),
  header2('filters', 'filters-repeated', 'The same filter, twice', { 11: packedField(11, [0x101, 0x101]) }),
  header2('filters', 'field-9', 'Filters of before version 2 was released', { 9: packedField(9, [0x101]) }),
  header2('groups', 'groups-and-lengths', 'Lengths, and groups', { 12: packedField(12, [300, 150_000]) }),
  header('groups', 'groups-and-empty-list', 'An empty list of lengths, and groups', {
    inGroups: true, edits: { 5: packedField(5, []) }
  }),
  header('groups', 'groups-odd', 'A group without a size', { inGroups: true, edits: { 12: packedField(12, [300]) } }),
  header('groups', 'groups-table-length', 'A byte after the table', {
    inGroups: true, trailer: bytes => Buffer.concat([bytes, Uint8Array.of(0)])
  }),
  header('groups', 'groups-table-missing', 'No table', { inGroups: true, trailer: () => NONE }),
  header('groups', 'groups-one-frame', 'A table of one frame', { inGroups: true, pieces: [PIECES[0]] }),
  header('groups', 'groups-size', 'Groups that do not add up to the size', {
    inGroups: true, edits: { 3: numberField(3, 150_001) }
  }),
  header('root', 'data-and-links', 'A root with data and links', { root: { data: Buffer.from('data') } }),
  header('root', 'directory', 'A directory with a header that keeps all other rules', {
    pieces: [], edits: { 5: null }, root: { type: 1 }
  })
]

/** One frame or more, of which one is damaged. */
function frame (name: string, about: string, change: (frame: Uint8Array) => Uint8Array, draft: Partial<Draft> = {}):
VectorInit {
  return bad(`frame-${name}`, about, 'CorruptFrameError', {
    pieces: PIECES, ...draft, frames: frames => { frames[1 % frames.length] = change(frames[1 % frames.length]) }
  })
}

function flip (at: number, mask = 1): (bytes: Uint8Array) => Uint8Array {
  return bytes => new Uint8Array(bytes).with(at, (bytes.at(at) as number) ^ mask)
}

function join (...parts: Array<Uint8Array | string>): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map(part => typeof part === 'string' ? Buffer.from(part, 'hex') : part)))
}

/** A bit of the header changed, and the header's checksum. */
function lzopHead (frame: Uint8Array, at: number, mask: number): Uint8Array {
  const changed = Buffer.from(flip(at, mask)(frame))
  changed.writeUInt32BE(adler32(changed.subarray(9, 34)), 34)

  return new Uint8Array(changed)
}

const FRAMES: VectorInit[] = [
  ...(Object.keys(CODES) as Array<keyof typeof CODES>).flatMap(codec => [
    frame(`${codec}-cut`, 'A frame without its last byte', bytes => bytes.slice(0, -1), { codec }),
    frame(`${codec}-longer`, 'A byte after a frame', bytes => join(bytes, '00'), { codec }),
    bad(`frame-${codec}-short`, 'A frame of 100 bytes fewer than it must have', 'CorruptFrameError', {
      codec, pieces: [PIECES[0].slice(100)], edits: { 3: numberField(3, FRAME) }
    }),
    bad(`frame-${codec}-bomb`, 'A frame of 1 MiB where there must be 64 KiB', 'CorruptFrameError', {
      codec, pieces: [new Uint8Array(MIB)], edits: { 3: numberField(3, FRAME) }
    })
  ]),
  frame('zstd-no-size', 'No content size', () => join('28b52ffd 00 58 01 00 00'.replaceAll(' ', ''))),
  frame('zstd-window', 'A window of 16 MiB', bytes => join(
    '28b52ffd80', '70', '00000100', bytes.subarray(bytes[4] & 0x20 ? 7 : 8)
  )),
  frame('zstd-two', 'Two frames', bytes => join(bytes, '28b52ffd2000010000')),
  frame('zstd-skippable', 'A skippable frame before it', bytes => join('502a4d1800000000', bytes)),
  frame('zstd-dictionary-id', 'A dictionary', bytes => join(
    bytes.subarray(0, 4), Uint8Array.of(bytes[4] | 1), '07', bytes.subarray(5)
  )),
  frame('zstd-reserved', 'The reserved bit', flip(4, 8)),
  frame('gzip-crc', 'Another checksum', flip(-8), { codec: 'gzip' }),
  frame('gzip-size', 'Another size', flip(-1), { codec: 'gzip' }),
  frame('gzip-method', 'Another method', flip(2), { codec: 'gzip' }),
  frame('gzip-flags', 'A reserved flag', flip(3, 0x80), { codec: 'gzip' }),
  frame('lz4-header-checksum', 'Another checksum of the header', flip(14), { codec: 'lz4' }),
  frame('snappy-crc', 'Another checksum', flip(14), { codec: 'snappy' }),
  frame('snappy-no-identifier', 'No stream identifier', bytes => bytes.slice(10), { codec: 'snappy' }),
  frame('lzo-flags', 'A flag of a header that no lzop writes', bytes => lzopHead(bytes, 18, 0x04), { codec: 'lzo' }),
  frame('lzo-needed', 'A member that needs lzop 0.8, whose header is not known', bytes => lzopHead(bytes, 13, 0x01), {
    codec: 'lzo'
  }),
  frame('lzo-method', 'Another method', flip(15, 0x7f), { codec: 'lzo' }),
  frame('not-sealed', 'Filters, and frames that are not sealed', bytes => bytes, { edits: {
    1: numberField(1, 2), 11: packedField(11, [0x101])
  } }),
  bad('frame-sealed', 'Sealed frames, and no filters', 'CorruptFrameError', {
    pieces: [samples(20_000, 2)], filters: [0x101], edits: { 11: null }
  })
]

const TABLES: VectorInit[] = [
  bad('table-length', 'A frame of no bytes', 'InvalidTrailerError', {
    pieces: PIECES, inGroups: true, trailer: bytes => bytes.fill(0, 8, 12)
  }),
  bad('table-sum', 'A frame that is longer than the header says', 'InvalidTrailerError', {
    pieces: PIECES, inGroups: true, trailer: flip(16)
  }),
  bad('table-size', 'A frame of 255 bytes less than the header says', 'InvalidTrailerError', {
    pieces: PIECES, inGroups: true, trailer: flip(13, 0xff)
  })
]

const BASE = pages(100_000, 2)
const NEXT = BASE.subarray(1000, 60_000)

/** A file of one frame, with a base of pages. */
function based (name: string, about: string, error: string, draft: BasedDraft = {}): VectorInit {
  const { region = [0, 70_000], base = pagesBase, rule, bytes = BASE, ...more } = draft

  return {
    name: `bad-base-${name}`,
    about,
    make: async blocks => makeFile(blocks, {
      pieces: [NEXT], ...more, base: { part: await base(blocks), bytes, regions: [region] }
    }),
    expected: { error, ...rule == null ? {} : { rule } }
  }
}

interface BasedDraft extends Partial<Omit<Draft, 'base'>> {
  region?: [offset: number, length: number]
  base?: (blocks: Blocks) => Promise<Part>
  bytes?: Uint8Array
  rule?: string
}

async function pagesBase (blocks: Blocks): Promise<Part> {
  return makePart(blocks, { pieces: cut(BASE) })
}

/** A header that names other regions than the frame was compressed with. */
function regions (...values: number[]): Pick<Draft, 'edits'> {
  return { edits: { 10: packedField(10, values) } }
}

const BAD_HEADER = 'InvalidHeaderError'

function costly (name: string, about: string, ...file: [pieces: number[], sizes?: number[]]): VectorInit {
  return {
    name: `bad-base-too-costly${name}`,
    about,
    make: async blocks => costlyFile(blocks, ...file),
    expected: { error: 'BaseTooCostlyError' }
  }
}

const BASES: VectorInit[] = [
  based('region-short', 'A region of 7 bytes', BAD_HEADER, { rule: 'regions', ...regions(0, 7) }),
  based('region-empty', 'A region of no bytes, at 5', BAD_HEADER, { rule: 'regions', ...regions(5, 0) }),
  based('region-odd', 'A region without a length', BAD_HEADER, { rule: 'regions', ...regions(5) }),
  based('region-count', 'Two regions for a frame', BAD_HEADER, { rule: 'regions', ...regions(0, 8, 0, 8) }),
  based('region-large', 'A region of more than 16 MiB', BAD_HEADER, { rule: 'regions', ...regions(0, 16 * MIB + 1) }),
  based('region-sum', 'Regions of more than four times the file and 1 MiB', BAD_HEADER, {
    rule: 'regions', ...regions(0, 4 * NEXT.byteLength + MIB + 1)
  }),
  based('gap', 'Nine bytes between the frame and the base', BAD_HEADER, {
    rule: 'base', trailer: bytes => Buffer.concat([bytes, Uint8Array.of(0)])
  }),
  header('base', 'base-without-links', 'Regions, in a file of one block', {
    inRoot: true, edits: { 1: numberField(1, 2), 10: packedField(10, [0, 8, 0, 8, 0, 8]) }
  }),
  header('base', 'base-of-gzip', 'A base, in a codec that has none', {
    codec: 'gzip', edits: { 1: numberField(1, 2), 10: packedField(10, [0, 8, 0, 8, 0, 8]) }
  }),
  header2('groups', 'region-groups-alone', 'Regions of groups, without groups', {
    13: packedField(13, [70_000, 70_000])
  }),
  based('region-groups-count', 'Regions of two groups, of one', BAD_HEADER, {
    rule: 'regions', inGroups: true, pieces: [BASE.subarray(0, FRAME), NEXT],
    edits: { 13: packedField(13, [70_000, 70_000, 8, 8]) }
  }),
  based('region-groups-largest', 'A largest region of 7 bytes', BAD_HEADER, {
    rule: 'regions', inGroups: true, pieces: [BASE.subarray(0, FRAME), NEXT], edits: { 13: packedField(13, [7, 7]) }
  }),
  based('region-table-largest', 'Another largest region than the header says', 'InvalidTrailerError', {
    inGroups: true, pieces: [BASE.subarray(0, FRAME), NEXT], edits: { 13: packedField(13, [70_000, 60_000]) }
  }),
  based('other-region', 'A frame that was compressed with another region', 'WrongBaseError', regions(1, 70_000)),
  based('frame-longer', 'A byte after a frame with a region', 'WrongBaseError', {
    frames: frames => { frames[0] = join(frames[0], '00') }
  }),
  based('no-checksum', 'A frame with a region and without a checksum', 'WrongBaseError', {
    frames: frames => {
      const [frame] = frames
      frames[0] = join(frame.slice(0, 4), Uint8Array.of(frame[4] & ~4), frame.slice(5, -4))
    }
  }),
  based('trained', 'A region that begins like a trained dictionary', 'WrongBaseError', {
    base: async blocks => makePart(blocks, { pieces: cut(join('37a430ec', BASE)) })
  }),
  based('ends-before', 'A base that ends before the region', 'UnreadableBaseError', regions(90_000, 10_001)),
  based('directory', 'A base that is a directory', 'UnreadableBaseError', {
    base: async blocks => blocks.fileNode({ parts: await blocks.leaves(BASE.subarray(0, 100)), type: 1 })
  }),
  based('of-base', 'A base that has a base', 'UnreadableBaseError', {
    base: async blocks => makePart(blocks, {
      pieces: [BASE],
      frameSize: 128 * KIB,
      base: { part: await pagesBase(blocks), bytes: BASE, regions: [[0, 100_000]] }
    })
  }),
  costly('', 'Frames that need 96 MiB of the base, which 16 of 64 KiB may, and 15 may not', [
    0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5
  ]),
  costly('-sizes', 'What counts are steps of the largest frame of the base, 90 MiB, and not its frames of 9 MiB', [
    0, 1, 2, 3, 4, 5
  ], Array.from({ length: 10 }, () => 9))
]

/** Two fields 15: some readers skip so many bytes after a number of 6 bytes. */
const SKIPPED = [0x78, 1, 0x78, 1]

const DAGS: VectorInit[] = [
  {
    name: 'bad-block',
    about: 'A block whose bytes do not match its CID',
    make: async blocks => {
      const [part] = await blocks.leaves(LARGE.subarray(0, 1000))
      await blocks.put(part.cid, LARGE.subarray(1, 1001))

      return (await blocks.fileNode({ parts: [part] })).cid
    },
    expected: { error: 'CorruptBlockError' }
  },
  ...[
    ['more', 'A leaf that holds less than its parent says', [1001]],
    ['less', 'A leaf that holds more than its parent says', [999]],
    ['count', 'A link without a block size', []]
  ].map(([name, about, blockSizes]): VectorInit => ({
    name: `bad-dag-${name as string}`,
    about: about as string,
    make: async blocks => (await blocks.fileNode({
      parts: await blocks.leaves(LARGE.subarray(0, 1000)), blockSizes: blockSizes as number[]
    })).cid,
    expected: { error: 'InvalidDagError' }
  })),
  {
    name: 'bad-dag-packed',
    about: 'Packed block sizes, 24 and 5: a reader that ignores wire types takes them for one of 2 and a filesize of 5',
    make: async blocks => (await blocks.fileNode({
      parts: await blocks.leaves(LARGE.subarray(0, 2)), blockSizes: [], more: packedField(4, [24, 5])
    })).cid,
    expected: { error: 'NotUnixFSError' }
  },
  {
    name: 'bad-dag-no-type',
    about: 'A UnixFS message without a type, which some readers take for a file and others for raw bytes',
    make: async blocks => (await blocks.fileNode({ data: LARGE.subarray(0, 1000), type: null })).cid,
    expected: { error: 'NotUnixFSError' }
  },
  {
    name: 'bad-dag-no-fields',
    about: 'An empty UnixFS message: it has no type, and is no empty file',
    make: async blocks => blocks.store(dagPb.code, dagPb.encode(dagPb.prepare({ Data: new Uint8Array(0), Links: [] }))),
    expected: { error: 'NotUnixFSError' }
  },
  ...([
    ['type-wide', 'A type of 2^32 + 2, which is 2, a file, in 32 bits', [...varint(8), ...varint(2 ** 32 + 2)]],
    ['long-key', 'A key of 6 bytes: some readers skip what follows it', [
      0xb8, 0x80, 0x80, 0x80, 0x80, 0, 1, ...SKIPPED
    ]],
    ['long-mode', 'A mode in 6 bytes', [0x38, 0xa4, 0x83, 0x80, 0x80, 0x80, 0, ...SKIPPED]],
    ['long-length', 'The length of a field that is skipped in 6 bytes', [
      0x7a, 0x81, 0x80, 0x80, 0x80, 0x80, 0, 1, ...SKIPPED
    ]]
  ] as Array<[string, string, number[]]>).map(([name, about, bytes]): VectorInit => ({
    name: `bad-dag-${name}`,
    about,
    make: async blocks => (await blocks.fileNode({
      data: LARGE.subarray(0, 1000), more: Uint8Array.from(bytes)
    })).cid,
    expected: { error: 'NotUnixFSError' }
  })),
  {
    name: 'bad-dag-number',
    about: 'A filesize of 2^53',
    make: async blocks => (await blocks.fileNode({
      data: LARGE.subarray(0, 1000), more: numberField(3, 2 ** 53)
    })).cid,
    expected: { error: 'NotUnixFSError' }
  },
  ...([
    ['field', 'A field 3 of a dag-pb node', (data, links) => [...links, data, numberField(3, 1)]],
    ['order', 'The data of a dag-pb node between its links', (data, [first, ...rest]) => [first, data, ...rest]]
  ] as Array<[string, string, NonNullable<FileNodeInit['order']>]>).map(([name, about, order]): VectorInit => ({
    name: `bad-dag-${name}`,
    about,
    make: async blocks => (await blocks.fileNode({
      parts: await blocks.leaves(LARGE.subarray(0, 1000), 400), order
    })).cid,
    expected: { error: 'NotUnixFSError' }
  })),
  {
    name: 'bad-dag-deep',
    about: 'A hundred levels',
    make: async blocks => {
      let part = await blocks.fileNode({ data: Buffer.from('x') })

      for (let level = 0; level < 100; level++) {
        part = await blocks.fileNode({ parts: [part] })
      }

      return part.cid
    },
    expected: { error: 'InvalidDagError' }
  },
  {
    name: 'bad-digest-short',
    about: 'A digest of 19 bytes',
    make: async blocks => {
      const [{ cid: { multihash } }] = await blocks.leaves(LARGE.subarray(0, 1000))
      const short = CID.createV1(raw.code, createDigest(multihash.code, multihash.digest.subarray(0, 19)))
      await blocks.put(short, LARGE.subarray(0, 1000))

      return short
    },
    expected: { error: 'DigestLengthError' }
  },
  {
    name: 'bad-hash',
    about: 'A CID with a hash function that no reader has to know: keccak-256',
    make: async blocks => {
      const [{ cid: { multihash } }] = await blocks.leaves(LARGE.subarray(0, 1000))
      const other = CID.createV1(raw.code, createDigest(0x1b, multihash.digest))
      await blocks.put(other, LARGE.subarray(0, 1000))

      return other
    },
    expected: { error: 'UnknownHashError' }
  },
  {
    name: 'bad-marked-directory',
    about: 'A directory that is marked as a zstd file',
    make: async blocks => mark((await blocks.fileNode({ type: 1 })).cid, CODES.zstd),
    expected: { error: 'MissingHeaderError' }
  },
  {
    name: 'bad-tree-of-file',
    about: 'A file that is marked as a directory',
    make: async blocks => mark((await blocks.fileNode({ data: Buffer.from('x') })).cid, TREE_CODE),
    expected: { error: 'InvalidDagError' }
  }
]

const STREAMS: VectorInit[] = [
  bad('stream-zstd-cut', 'A stream without its last byte', 'CorruptFrameError', {
    pieces: PIECES, isStream: true, frames: frames => { frames[2] = frames[2].slice(0, -1) }
  }),
  ...(Object.keys(CODES) as Array<keyof typeof CODES>).map(codec =>
    bad(`stream-${codec}-empty`, 'A marked file of no bytes', 'CorruptFrameError', {
      codec, pieces: [], isStream: true
    })),
  bad('stream-zstd-more', 'Other bytes after a stream', 'CorruptFrameError', {
    pieces: PIECES, isStream: true, trailer: () => Buffer.from('more')
  }),
  bad('stream-gzip-more', 'Other bytes after a stream', 'CorruptFrameError', {
    codec: 'gzip', pieces: PIECES, isStream: true, trailer: () => Buffer.from('more')
  }),
  bad('stream-lz4-cut', 'A stream without its last byte', 'CorruptFrameError', {
    codec: 'lz4', pieces: PIECES, isStream: true, frames: frames => { frames[2] = frames[2].slice(0, -1) }
  }),
  bad('stream-brotli-more', 'Another byte after a stream', 'CorruptFrameError', {
    codec: 'brotli', pieces: [PIECES[0]], isStream: true, trailer: () => Uint8Array.of(1)
  }),
  bad('stream-zstd-window', 'A window of 16 MiB', 'WindowTooLargeError', {
    pieces: [PIECES[0]], isStream: true, frames: frames => { frames[0] = LONG }
  })
]

export const HOSTILE: readonly VectorInit[] = [...HEADERS, ...FRAMES, ...TABLES, ...BASES, ...DAGS, ...STREAMS]
