import { createHash } from 'node:crypto'
import { StoreObjectError } from '../errors.ts'
import { readObject } from '../objects/read-object.ts'
import { TAIL_BYTES } from './tail-set.ts'
import type { ObjectStore } from '../objects/object-store.ts'

/** Maximum number of packs that a round condemns. Its object then has 800 kB, an acknowledgement 12.5 kB. */
export const MAX_CONDEMNED = 100_000

/** The first bytes: what the object is, and its version. */
const ROUND_MAGIC = Buffer.from('ipfsz round 1\n')
const ACK_MAGIC = Buffer.from('ipfsz acknowledgement 1\n')
const SHA_256_BYTES = 32

/** The object of a round, with the key that it is for: the tails of the condemned packs. */
export function encodeRound (key: string, tails: readonly Uint8Array[]): Uint8Array {
  return seal(key, ROUND_MAGIC, Buffer.concat(tails))
}

/**
 * Read the tails of the packs that a round condemns, or undefined if it has ended.
 *
 * @throws {StoreObjectError} the object is not a round
 */
export async function readRound (
  store: ObjectStore,
  key: string,
  signal?: AbortSignal
): Promise<Uint8Array[] | undefined> {
  const tails = await readSealed(store, key, { magic: ROUND_MAGIC, maxBytes: MAX_CONDEMNED * TAIL_BYTES, signal })

  if (tails == null) {
    return undefined
  }

  if (tails.byteLength === 0 || tails.byteLength % TAIL_BYTES !== 0) {
    throw new StoreObjectError(key, `${tails.byteLength} bytes are not a list of packs`)
  }

  return Array.from(
    { length: tails.byteLength / TAIL_BYTES },
    (_, i) => tails.subarray(i * TAIL_BYTES, (i + 1) * TAIL_BYTES)
  )
}

/** A bit for each condemned pack, set if the pack must not be deleted. */
export class Objections {
  readonly bits: Uint8Array

  constructor (condemned: number) {
    this.bits = new Uint8Array(Math.ceil(condemned / 8))
  }

  has (i: number): boolean {
    return (this.bits[i >> 3] >> (i & 7) & 1) === 1
  }

  add (i: number): void {
    this.bits[i >> 3] |= 1 << (i & 7)
  }

  addAll ({ bits }: Pick<Objections, 'bits'>): void {
    for (const [at, byte] of bits.entries()) {
      this.bits[at] |= byte
    }
  }
}

/** The object with which a session acknowledges a round, with the key that it is for. */
export function encodeAck (key: string, { bits }: Objections): Uint8Array {
  return seal(key, ACK_MAGIC, bits)
}

/**
 * Read the objections of a session, or undefined if it has not acknowledged.
 *
 * @param condemned - how many packs the round condemns
 * @throws {StoreObjectError} the object is not an acknowledgement of this round
 */
export async function readAck (
  store: ObjectStore,
  key: string,
  condemned: number,
  signal?: AbortSignal
): Promise<Pick<Objections, 'bits'> | undefined> {
  const expected = Math.ceil(condemned / 8)
  const bits = await readSealed(store, key, { magic: ACK_MAGIC, maxBytes: expected, signal })

  if (bits == null) {
    return undefined
  }

  if (bits.byteLength !== expected) {
    throw new StoreObjectError(key, `it has ${bits.byteLength} bytes instead of ${expected}`)
  }

  return { bits }
}

/**
 * A checksum finds damage: a wrong bit could delete a pack that somebody relies on. It is of the key too: the
 * acknowledgement of one session, copied to the key of another, would say that this one objects to nothing.
 */
function seal (key: string, magic: Uint8Array, content: Uint8Array): Uint8Array {
  return Buffer.concat([magic, checksumOf(key, magic, content), content])
}

async function readSealed (
  store: ObjectStore,
  key: string,
  { magic, maxBytes, signal }: { magic: Uint8Array, maxBytes: number, signal?: AbortSignal | undefined }
): Promise<Uint8Array | undefined> {
  const header = magic.byteLength + SHA_256_BYTES
  const bytes = await readObject(store, key, { offset: 0, length: header + maxBytes + 1, signal })

  if (bytes == null) {
    return undefined
  }

  if (bytes.byteLength > header + maxBytes) {
    throw new StoreObjectError(key, `it exceeds the limit of ${header + maxBytes} bytes`)
  }

  if (bytes.byteLength < header || Buffer.compare(bytes.subarray(0, magic.byteLength), magic) !== 0) {
    throw new StoreObjectError(key, `it does not begin with "${Buffer.from(magic).toString().trim()}"`)
  }

  const content = bytes.subarray(header)

  if (Buffer.compare(bytes.subarray(magic.byteLength, header), checksumOf(key, magic, content)) !== 0) {
    throw new StoreObjectError(key, 'its checksum is wrong')
  }

  return content
}

function checksumOf (key: string, magic: Uint8Array, content: Uint8Array): Uint8Array {
  return createHash('sha256').update(magic).update(`${key}\n`).update(content).digest()
}
