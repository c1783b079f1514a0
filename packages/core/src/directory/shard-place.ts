import { quoteName } from '@ipfsz/utils/quote-name'
import { murmur364 } from '@multiformats/murmur3'
import { MAX_SHARD_FANOUT } from '../constants.ts'
import { MESSAGE } from '../dag/message.ts'
import { InvalidDagError } from '../errors.ts'
import { readFields } from '../format/protobuf.ts'
import type { FileNode } from '../dag/node.ts'

/** The length of a name's hash. Kubo and Helia place names only by murmur3-x64-64. */
const HASH_BITS = 64

/** A shard's place in its directory: the bits that the hashes of all names in it begin with. */
export interface ShardPlace {
  bits: number
  prefix: bigint
}

export const ROOT_PLACE: ShardPlace = { bits: 0, prefix: 0n }

/**
 * How many hexadecimal digits the labels of a shard begin with.
 *
 * @throws {InvalidDagError} the shard has an invalid fanout, or places names by another hash function
 */
export function prefixLength ({ cid, data, unixfs }: FileNode): number {
  const fanout = Number(unixfs.fanout ?? 0n)

  if (fanout < 2 || fanout > MAX_SHARD_FANOUT || !Number.isInteger(Math.log2(fanout))) {
    throw new InvalidDagError(cid, `is a shard with a fanout of ${fanout}`)
  }

  for (const { number, value } of readFields(data)) {
    // ipfs-unixfs does not return this field, and Helia drops it when it changes a mode
    if (number === MESSAGE.hashType && value !== murmur364.code) {
      throw new InvalidDagError(cid, `is a shard with the hash function 0x${value.toString(16)}`)
    }
  }

  return (fanout - 1).toString(16).length
}

/**
 * How many bits of a hash choose a child of the shard.
 *
 * @throws {InvalidDagError} the shard is so deep that the hash has too few bits left
 */
export function slotBits (shard: FileNode, { bits }: ShardPlace): number {
  const taken = Math.log2(Number(shard.unixfs.fanout))

  if (bits + taken > HASH_BITS) {
    throw new InvalidDagError(shard.cid, `is a shard deeper than a hash of ${HASH_BITS} bits can reach`)
  }

  return taken
}

/**
 * The index of the child that a label belongs to.
 *
 * @throws {InvalidDagError} the label is invalid
 */
export function slotOf ({ cid, unixfs }: FileNode, label: string, prefix: number): number {
  const digits = label.slice(0, prefix)
  const slot = Number.parseInt(digits, 16)

  if (!/^[0-9a-f]+$/i.test(digits) || digits.length < prefix || slot >= Number(unixfs.fanout)) {
    throw new InvalidDagError(cid, `is a shard with the label ${quoteName(label)}`)
  }

  return slot
}

export function childPlace ({ bits, prefix }: ShardPlace, slot: number, taken: number): ShardPlace {
  return { bits: bits + taken, prefix: prefix << BigInt(taken) | BigInt(slot) }
}

/** The hash that decides where a name is placed. */
export async function hashName (name: string): Promise<bigint> {
  const hash = await murmur364.encode(new TextEncoder().encode(name))

  return new DataView(hash.buffer, hash.byteOffset).getBigUint64(0)
}

/** Whether a name with this hash belongs below a place. */
export function leadsTo (hash: bigint, { bits, prefix }: ShardPlace): boolean {
  return hash >> BigInt(HASH_BITS - bits) === prefix
}

/** The index of the child, in a shard at a place, that a hash leads to. */
export function slotFor (hash: bigint, { bits }: ShardPlace, taken: number): number {
  return Number(BigInt.asUintN(taken, hash >> BigInt(HASH_BITS - bits - taken)))
}
