import { KEY_SIZE } from './key.ts'
import type { Key } from './key.ts'

/** Bytes of an entry in tables and in index files. */
export const ENTRY_SIZE = 52

/** The length that says: what was here is deleted. */
const DELETED = 0xffffffff
const HIGH_BIT = 0x80000000

/** Where a block is, or was until it was deleted there. */
export interface Row {
  /** ID of the pack. */
  pack: string
  /** Offset of the frame in the pack. */
  frame: number
  /** Bytes of the frame in the pack; 0 of deletions. */
  stored: number
  raw: boolean
  /** Offset of the block in the decompressed frame. Its multihash ends there. */
  start: number
  /** Bytes of the block. */
  length: number
  deleted: boolean
}

/** Write an entry but for the number of its pack, which {@link setPackNumber} writes afterwards. */
export function writeEntry (
  target: Buffer,
  at: number,
  key: { bytes: Uint8Array, kind: number },
  { frame, stored, raw, start, length, deleted }: Omit<Row, 'pack'>
): void {
  target.set(key.bytes, at)
  target.writeUInt32LE((key.kind << 31) >>> 0, at + KEY_SIZE)
  target.writeUInt32LE(frame, at + 36)
  target.writeUInt32LE((stored | (raw ? HIGH_BIT : 0)) >>> 0, at + 40)
  target.writeUInt32LE(start, at + 44)
  target.writeUInt32LE(deleted ? DELETED : length, at + 48)
}

export function readRow (entries: Buffer, at: number, packs: readonly string[]): Row {
  const stored = entries.readUInt32LE(at + 40)
  const length = entries.readUInt32LE(at + 48)

  return {
    pack: packs[packNumber(entries, at)] ?? '',
    frame: entries.readUInt32LE(at + 36),
    stored: stored & ~HIGH_BIT,
    raw: stored >= HIGH_BIT,
    start: entries.readUInt32LE(at + 44),
    length,
    deleted: length === DELETED
  }
}

export function packNumber (entries: Buffer, at: number): number {
  return (entries.readUInt32LE(at + KEY_SIZE) & ~HIGH_BIT) >>> 0
}

export function setPackNumber (entries: Buffer, at: number, pack: number): void {
  entries.writeUInt32LE((entries.readUInt32LE(at + KEY_SIZE) & HIGH_BIT | pack) >>> 0, at + KEY_SIZE)
}

export function kindOf (entries: Buffer, at: number): number {
  return entries.readUInt32LE(at + KEY_SIZE) >>> 31
}

/** The key of an entry, in memory of its own. */
export function keyIn (entry: Buffer): Key {
  return { bytes: Uint8Array.prototype.slice.call(entry, 0, KEY_SIZE), kind: kindOf(entry, 0) }
}

export function hasKey (entries: Buffer, at: number, key: { bytes: Uint8Array, kind: number }): boolean {
  return kindOf(entries, at) === key.kind && compareKey(entries, at, key.bytes) === 0
}

/** The first bytes of a key as a number: two keys are in the same order as these, if they differ. */
export function prefixOf (bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) >>> 0
}

/** In a loop of its own, which mostly ends at the first byte: `Buffer.compare` takes ten times as long. */
export function compareKey (entries: Uint8Array, at: number, key: Uint8Array): number {
  for (let i = 0; i < KEY_SIZE; i++) {
    const difference = entries[at + i] - key[i]

    if (difference !== 0) {
      return difference
    }
  }

  return 0
}

/** Whether two rows are of one place: a deletion has the same as what it deletes. */
export function isSamePlace (a: Row, b: Row): boolean {
  return a.start === b.start && a.frame === b.frame && a.pack === b.pack
}

/** The place as a string: a deletion has the same as what it deletes. */
export function placeText ({ pack, frame, start }: Row): string {
  return `${pack}:${frame}:${start}`
}

/** The order in which reading is fastest. What is nowhere comes first. */
export function comparePlaces (a: Row | undefined, b: Row | undefined): number {
  const [packA, packB] = [a?.pack ?? '', b?.pack ?? '']

  return packA === packB ? (a?.frame ?? 0) - (b?.frame ?? 0) : packA < packB ? -1 : 1
}
