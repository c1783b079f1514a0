/**
 * The datastore entries of originals: which blocks an uncompressed file or tree has, and where in the compressed one
 * their bytes are.
 *
 * There is one entry for each original, and one for each of its blocks:
 *
 * - `/ipfsz/originals/root/COMPRESSED/VARIANT`: a state, and if the original is complete, what it is
 * - `/ipfsz/originals/block/BLOCK/COMPRESSED/VARIANT`: the bytes of an inner node, or the range of a leaf
 *
 * The blocks count only while the original's own entry says that it is complete. That entry is written last and
 * changed first, in one put, so a kill at any moment leaves an original with all of its blocks, or without any. Which
 * original a block belongs to is a part of its key: entries are written and deleted without reading any, several
 * processes may do so at once, and indexing again writes the same entries.
 *
 * Keys hold the first 20 bytes of a digest: as many as a digest must have to be trusted, and every block is compared
 * with its CID before anybody sees it. A leaf takes about 100 bytes, in a key of text and a value of a few bytes.
 */
import { concat } from '@ipfsz/utils/bytes'
import { decodeCids } from '@ipfsz/utils/decode-cids'
import { Key } from 'interface-datastore/key'
import { base32 } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { MIN_DIGEST_LENGTH } from '../constants.ts'
import { InvalidOriginalError } from '../errors.ts'
import { readPackedVarints, varint } from '../format/protobuf.ts'
import type { MultihashDigest } from 'multiformats'

/** The prefixes of the keys of all originals, and of all their blocks. */
export const ORIGINALS = '/ipfsz/originals/root'
export const BLOCKS = '/ipfsz/originals/block'

/** The layouts of files, by their numbers in keys. Append only: keys outlive a version. */
const LAYOUT_NUMBERS: readonly string[] = [
  'raw', 'unixfs-v1-2025', 'unixfs-v0-2015', 'kubo-cid-v1', 'kubo-test-cid-v1', 'kubo-v0-raw-leaves'
]

export interface Original {
  /** The CID of the uncompressed file or directory. */
  original: CID
  /** The marked CID of the compressed one. */
  compressed: CID
  type: 'file' | 'directory'
  /** How a file is split into blocks. Undefined for a directory. */
  layout?: string | undefined
  /** Bytes of all its blocks. */
  dagSize: number
}

/** Which original an entry belongs to. */
export interface OriginalId {
  compressed: CID
  /** The number of a file's layout, or the short digest of an original directory. */
  variant: string
}

/** An entry of an original that is being written (`begun`), is complete, or is being deleted (`ended`). */
export type OriginalEntry =
  | { state: 'begun', compressed: CID }
  | { state: 'complete' | 'ended' } & Omit<Original, 'layout'>

/** A block of an original: an inner node or directory with its bytes, or a leaf. */
export type BlockEntry =
  | { kind: 'node', bytes: Uint8Array }
  | { kind: 'raw' | 'dag-pb', offset: number, length: number }

/** The states and kinds, in the order of the bytes that stand for them. */
const STATES = ['begun', 'complete', 'ended'] as const
const KINDS = ['node', 'raw', 'dag-pb'] as const

/** Bytes of a whole digest of sha2-256. */
const SHA256_LENGTH = 32

/** Whether a block with this multihash can be indexed: all known layouts use sha2-256. */
export function isIndexed ({ code, digest }: MultihashDigest): boolean {
  return code === sha256.code && digest.byteLength === SHA256_LENGTH
}

export function fileId (compressed: CID, layout: string): OriginalId {
  return { compressed, variant: String(LAYOUT_NUMBERS.indexOf(layout)) }
}

/** Several directories may be compressed into one: a CIDv0 and a CIDv1 tree of the same files. */
export function treeId (compressed: CID, original: CID): OriginalId {
  return { compressed, variant: shortDigest(original.multihash) }
}

export function idOf ({ compressed, original, layout }: Original): OriginalId {
  return layout == null ? treeId(compressed, original) : fileId(compressed, layout)
}

/** The prefix of the keys of all originals of a compressed file or tree. */
export function originalsOf (compressed: CID): string {
  return `${ORIGINALS}/${shortDigest(compressed.multihash)}/`
}

export function originalKey (id: OriginalId): Key {
  return new Key(`${ORIGINALS}/${suffixOf(id)}`)
}

/** The prefix of the keys of a block: it has one for each original that holds it. */
export function entriesOfBlock (multihash: MultihashDigest): string {
  return `${BLOCKS}/${shortDigest(multihash)}/`
}

export function blockKey (multihash: MultihashDigest, id: OriginalId): Key {
  return new Key(`${entriesOfBlock(multihash)}${suffixOf(id)}`)
}

/** The end of the keys of all entries of an original. */
export function suffixOf ({ compressed, variant }: OriginalId): string {
  return `${shortDigest(compressed.multihash)}/${variant}`
}

/** The key of the original that a block's entry belongs to. */
export function originalKeyOfBlock (key: Key): Key {
  return new Key(`${ORIGINALS}/${key.toString().split('/').slice(-2).join('/')}`)
}

/** The layout in the key of a file, undefined for a directory. */
export function layoutOfKey (key: Key): string | undefined {
  return LAYOUT_NUMBERS[Number(key.toString().split('/').at(-1))]
}

export function encodeOriginal (entry: OriginalEntry): Uint8Array {
  const cids = entry.state === 'begun'
    ? [entry.compressed]
    : [entry.compressed, entry.original, textCid(`${entry.type} ${entry.dagSize}`)]

  return concat([Uint8Array.of(STATES.indexOf(entry.state)), ...cids.map(({ bytes }) => bytes)])
}

/** @throws {InvalidOriginalError} */
export function decodeOriginal (key: Key, value: Uint8Array): OriginalEntry {
  try {
    const state = STATES[value[0]]
    const [compressed, original, about] = decodeCids(value.subarray(1))

    if (state === 'begun') {
      return { state, compressed: required(compressed) }
    }

    const [type, dagSize] = new TextDecoder().decode(required(about).multihash.digest).split(' ')

    if (state == null || (type !== 'file' && type !== 'directory') || !Number.isSafeInteger(Number(dagSize))) {
      throw new RangeError('its state, type or size is invalid')
    }

    return { state, compressed, original, type, dagSize: Number(dagSize) }
  } catch (err) {
    throw new InvalidOriginalError(key.toString(), { cause: err })
  }
}

export function encodeBlockEntry (entry: BlockEntry): Uint8Array {
  const kind = Uint8Array.of(KINDS.indexOf(entry.kind))

  return entry.kind === 'node'
    ? concat([kind, entry.bytes])
    : concat([kind, Uint8Array.from([...varint(entry.offset), ...varint(entry.length)])])
}

/** @throws {InvalidOriginalError} */
export function decodeBlockEntry (key: Key, value: Uint8Array): BlockEntry {
  const kind = KINDS[value[0]]

  if (kind === 'node') {
    return { kind, bytes: value.subarray(1) }
  }

  try {
    const [offset, length, ...rest] = readPackedVarints(value.subarray(1))

    if (kind == null || length == null || rest.length > 0) {
      throw new RangeError('it is neither a node nor a range')
    }

    return { kind, offset, length }
  } catch (err) {
    throw new InvalidOriginalError(key.toString(), { cause: err })
  }
}

function shortDigest ({ digest }: MultihashDigest): string {
  // without the prefix of multibase. Base32 is safe on file systems that ignore case
  return base32.encode(digest.subarray(0, MIN_DIGEST_LENGTH)).slice(1)
}

function textCid (text: string): CID {
  return CID.createV1(raw.code, createDigest(identity.code, new TextEncoder().encode(text)))
}

function required<T> (value: T | undefined): T {
  if (value == null) {
    throw new RangeError('it is truncated')
  }

  return value
}
