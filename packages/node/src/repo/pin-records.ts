import { isMarked, unmark } from '@ipfsz/core'
import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { decode } from 'cborg'
import { Key } from 'interface-datastore'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { PinRecordError } from '../errors.ts'
import type { Records } from '@ipfsz/shared-store/records'

/** The keys in a pin's metadata of the marked CID and of the name that was added. */
const CID_KEY = 'ipfsz.cid'
const NAME_KEY = 'ipfsz.name'

/** The most bytes of a pin's record. A file name has at most 255, and metadata by other programs are small too. */
const MAX_PIN_SIZE = 64 * 1024
/** Maximum number of bytes of a block's record: it holds the CID of every pin that Helia counted for the block. */
const MAX_COUNT_SIZE = 16 * 1024 * 1024
/** The prefix of all pins. */
const PINS = '/pin'
/** How many pins are read at a time. */
const CONCURRENCY = 32
/** The names of errors of a store, which say nothing of the record that was to be read: it may be in order. */
const OF_STORE = /^(?:AbortError$|Store(?!ObjectError$)|S3)/

export interface Pin {
  /** The plain CID, under which Helia stores the pin. */
  plainCid: CID
  /** The CID that was pinned: marked or plain. */
  cid: CID
  /** The name of the added file or directory. */
  name?: string
  /** How many levels below the root the pin keeps. Infinity in pins that ipfsz made. */
  depth: number
}

type Reader = Pick<Records, 'read' | 'placeOf'>

/**
 * Read all pins, as Helia writes them. Yields an error for each unreadable record and goes on: Helia's `pins.ls` ends
 * at the first one.
 *
 * @param isLeftOut - whether a pin is left out, by its plain CID: its record is not read, which may be a request
 */
export async function * readPins (
  records: Reader & Pick<Records, 'keys'>,
  signal: AbortSignal,
  isLeftOut?: (plainCid: CID) => boolean
): AsyncGenerator<Pin | PinRecordError> {
  const pins = mapOrdered(records.keys(PINS, signal), async key => readPin(key, records, isLeftOut), {
    concurrency: CONCURRENCY,
    signal
  })

  for await (const pin of pins) {
    if (pin != null) {
      yield pin
    }
  }
}

/** Read one pin. Returns undefined if there is no such record or it is left out, and the error if it cannot be read. */
export async function readPin (
  key: Key,
  records: Reader,
  isLeftOut: (plainCid: CID) => boolean = () => false
): Promise<Pin | PinRecordError | undefined> {
  let plainCid: CID | undefined

  try {
    plainCid = parseKey(key.baseNamespace())

    if (isLeftOut(plainCid)) {
      return undefined
    }

    const bytes = await records.read(key, MAX_PIN_SIZE)

    return bytes == null ? undefined : parsePin(plainCid, bytes)
  } catch (err) {
    if (err instanceof Error && OF_STORE.test(err.name)) {
      throw err
    }

    return new PinRecordError(records.placeOf(key), plainCid, err)
  }
}

function parseKey (key: string): CID {
  try {
    const cid = CID.parse(key, base36)

    // Helia would look for any other CID under another name
    if (cid.version === 1 && cid.toString(base36) === key) {
      return cid
    }
  } catch {
    // no CID
  }

  throw new TypeError('its file name is not a CIDv1 in base36')
}

function parsePin (plainCid: CID, bytes: Uint8Array): Pin {
  const { depth, metadata = {} } = parseMap(bytes)

  if (typeof depth !== 'number' || !(depth === Infinity || Number.isSafeInteger(depth)) || depth < 0) {
    throw new TypeError('its depth is missing or not a whole number from 0')
  }

  if (typeof metadata !== 'object' || metadata == null) {
    throw new TypeError('its metadata are not a map')
  }

  const { [CID_KEY]: marked, [NAME_KEY]: name } = metadata as Record<string, unknown>
  const cid = typeof marked === 'string' ? CID.parse(marked) : plainCid

  if (typeof marked === 'string' && !unmark(cid).toV1().equals(plainCid)) {
    throw new TypeError(`its metadata name ${cid}, whose plain CID is not ${plainCid}`)
  }

  return { plainCid, cid, ...typeof name === 'string' ? { name } : {}, depth }
}

/** How many pins Helia counts for a block, and the bytes of their CIDs. Helia's `pins.rm` mixes those CIDs up. */
export interface PinnedBlock {
  pinCount: number
  pinnedBy: Uint8Array[]
}

/**
 * Read Helia's pin count for a block. A missing or damaged record counts as 0: counts can always be rebuilt.
 */
export async function readPinnedBlock (plain: CID, records: Pick<Records, 'read'>): Promise<PinnedBlock> {
  try {
    const bytes = await records.read(countKey(plain), MAX_COUNT_SIZE)
    const { pinCount, pinnedBy } = bytes == null ? {} : parseMap(bytes)

    const isCount = Number.isSafeInteger(pinCount) && Number(pinCount) > 0

    if (isCount && Array.isArray(pinnedBy) && pinnedBy.every(cid => cid instanceof Uint8Array)) {
      return { pinCount: Number(pinCount), pinnedBy }
    }
  } catch {
    // damaged
  }

  return { pinCount: 0, pinnedBy: [] }
}

function parseMap (bytes: Uint8Array): Record<string, unknown> {
  if (bytes.byteLength === 0) {
    throw new TypeError('it is empty')
  }

  const value = decode(bytes) as unknown

  if (typeof value !== 'object' || value == null) {
    throw new TypeError('it is not a CBOR map')
  }

  return value as Record<string, unknown>
}

/** Where the count of pins of a block is. CIDs of the same bytes share one. */
export function countKey (plain: CID): Key {
  return new Key(`/pinned-block/${base36.encode(plain.multihash.bytes)}`)
}

/** Where the pin of a plain CID is. */
export function pinKey (plain: CID): Key {
  return new Key(`${PINS}/${plain.toString(base36)}`)
}

/** What a pin says besides its plain CID: the marked one and a name, if there are any. */
export function metadataOf (cid: CID, name?: string): Record<string, string> {
  return {
    ...isMarked(cid) ? { [CID_KEY]: cid.toString() } : {},
    ...name == null ? {} : { [NAME_KEY]: name }
  }
}
