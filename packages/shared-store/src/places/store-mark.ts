import { readObject } from '../objects/read-object.ts'
import { checkLevel } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import { messageOf } from '@ipfsz/utils/message-of'
import { StoreError } from '../errors.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { CodecName } from '@ipfsz/codecs'

/** The key of the mark. */
export const MARK_KEY = 'ipfsz-store.json'
/** The versions of stores: each block is an object, blocks are in packs, or are being moved into packs. */
const [OLDER, PACKS, CONVERTING] = [1, 2, 3]
/** Maximum number of bytes of a mark. */
const MAX_SIZE = 64 * 1024
/** How long a node may stand still while it adds, 30 seconds. The garbage of a killed one can be collected then. */
export const DEFAULT_LEASE_TIMEOUT = 30_000
/** In milliseconds: a shorter one would not outlast a pause of a busy machine, a longer one holds up collections. */
const [MIN_LEASE_TIMEOUT, MAX_LEASE_TIMEOUT] = [100, 600_000]
/** Of a UUID. */
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** How the blocks of a store are compressed: packs with zstd. CIDs do not depend on it. */
export interface StoreCompression {
  codec: CodecName | 'none'
  level?: number
}

/** The object that makes a bucket or a directory a store. */
export interface StoreMark {
  /** Different for each store. Tells whether another one lies where this one was. */
  id: string
  compression: StoreCompression
  /** Whether each block is an object, as in stores of early versions: it is read, and can be converted. */
  isOlder?: boolean | undefined
  /** Whether blocks are being moved into packs: nobody else can use the store until that is complete. */
  isConverting?: boolean | undefined
  /**
   * After this many milliseconds without a sign of life, an add or a garbage collection of another node counts as dead.
   */
  leaseTimeout: number
}

/**
 * Read the mark of a store.
 *
 * @param name - the store, for messages
 * @returns undefined if there is none
 * @throws {StoreError} a newer ipfsz made the store, or the mark is damaged
 */
export async function readMark (objects: ObjectStore, name: string): Promise<StoreMark | undefined> {
  const bytes = await readObject(objects, MARK_KEY, { length: MAX_SIZE + 1 })

  return bytes == null ? undefined : decodeMark(bytes, name)
}

/**
 * Read the bytes of a mark.
 *
 * @param name - the store, for messages
 * @throws {StoreError} a newer ipfsz made the store, or the mark is damaged
 */
export function decodeMark (bytes: Uint8Array, name: string): StoreMark {
  let version: unknown

  try {
    if (bytes.byteLength > MAX_SIZE) {
      throw new TypeError(`it exceeds the limit of ${MAX_SIZE} bytes`)
    }

    const mark = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Record<string, unknown>
    version = mark.version

    if (version === OLDER || version === PACKS || version === CONVERTING) {
      return { ...parse(mark), isOlder: version === OLDER, isConverting: version === CONVERTING }
    }

    if (!Number.isSafeInteger(version) || Number(version) < OLDER) {
      throw new TypeError('it has no version')
    }
  } catch (err) {
    throw new StoreError(
      `The mark ${MARK_KEY} of the store ${name} is damaged (${messageOf(err)}): restore it from a backup`,
      { cause: err }
    )
  }

  throw new StoreError(
    `The store ${name} has version ${String(version)}, but this ipfsz supports only ${OLDER} to ` +
      `${CONVERTING}: update it on this node`
  )
}

/**
 * Check that nodes can use a store.
 *
 * @throws {StoreError} its blocks are being moved into packs
 */
export function checkUsable (mark: StoreMark, name: string): void {
  if (mark.isConverting === true) {
    throw new StoreError(`The blocks of the store ${name} are being moved into packs`, { problem: 'converting' })
  }
}

/** Make a store of what is empty, or change its mark. */
export async function writeMark (objects: ObjectStore, mark: Omit<StoreMark, 'isOlder'>): Promise<void> {
  await objects.put(MARK_KEY, encodeMark(mark))
}

export function encodeMark (
  { id, compression, isConverting = false, leaseTimeout }: Omit<StoreMark, 'isOlder'>
): Uint8Array {
  const version = isConverting ? CONVERTING : PACKS

  return Buffer.from(`${JSON.stringify({ version, id, compression, leaseTimeout }, undefined, 2)}\n`)
}

function parse (
  { id, compression, leaseTimeout }: Record<string, unknown>
): Pick<StoreMark, 'id' | 'compression' | 'leaseTimeout'> {
  const { codec: name, level } = typeof compression === 'object' && compression != null
    ? compression as Record<string, unknown>
    : {}
  const codec = allCodecs().find(codec => codec.name === name)

  if (typeof id !== 'string' || !ID.test(id)) {
    throw new TypeError('it has no id')
  }

  if (typeof leaseTimeout !== 'number' || !(leaseTimeout >= MIN_LEASE_TIMEOUT && leaseTimeout <= MAX_LEASE_TIMEOUT)) {
    throw new TypeError(`its leaseTimeout is not between ${MIN_LEASE_TIMEOUT} and ${MAX_LEASE_TIMEOUT}`)
  }

  if (name === 'none') {
    return { id, compression: { codec: name }, leaseTimeout }
  }

  if (codec == null || (level != null && typeof level !== 'number')) {
    throw new TypeError(`there is no codec ${JSON.stringify(name)} with a level of ${JSON.stringify(level)}`)
  }

  const checked = level == null ? {} : { level: checkLevel(codec, level) }

  return { id, compression: { codec: codec.name, ...checked }, leaseTimeout }
}
