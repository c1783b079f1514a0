import { constants, open, opendir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { unmark } from '@ipfsz/core'
import { decode } from 'cborg'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { PinRecordError } from '../errors.ts'

/** Where in a pin's metadata the marked CID is, and the name that was added. */
export const CID_KEY = 'ipfsz.cid'
export const NAME_KEY = 'ipfsz.name'

/** The most bytes of a pin's record: a name of a file has at most 255, and metadata of others are small too. */
const MAX_PIN_SIZE = 64 * 1024
/** The most bytes of the record of a block: it has the CID of every pin that Helia counted for it. */
const MAX_COUNT_SIZE = 16 * 1024 * 1024
/** What files of records end with. Those that are being written have other names. */
const EXTENSION = '.data'

export interface Pin {
  /** The plain CID, which the pin is for. */
  plainCid: CID
  /** What was pinned: the marked CID, where it was that. */
  cid: CID
  /** What the added file or directory was called. */
  name?: string
  /** How many levels below the root are kept, as Helia has it: all of those that ipfsz made. */
  depth: number
}

/**
 * Read the pins in a directory as Helia writes them (its `pins.ls` ends at the first
 * record that it cannot read). What is not a pin comes as the error that it is.
 *
 * @throws {Error} of the system: the directory cannot be read
 */
export async function * readPins (directory: string, signal: AbortSignal): AsyncGenerator<Pin | PinRecordError> {
  for await (const { name } of await opendir(directory)) {
    signal.throwIfAborted()

    if (name.endsWith(EXTENSION)) {
      const pin = await readPin(join(directory, name))

      if (pin != null) {
        yield pin
      }
    }
  }
}

/** One pin, none where nothing is pinned under that name. */
export async function readPin (file: string): Promise<Pin | PinRecordError | undefined> {
  let plainCid: CID | undefined

  try {
    plainCid = parseKey(basename(file, EXTENSION))
    const bytes = await readRecord(file, MAX_PIN_SIZE)

    return bytes == null ? undefined : parsePin(plainCid, bytes)
  } catch (err) {
    return new PinRecordError(file, plainCid, err)
  }
}

function parseKey (key: string): CID {
  try {
    const cid = CID.parse(key, base36)

    // another is one that Helia would look for under another name
    if (cid.version === 1 && cid.toString(base36) === key) {
      return cid
    }
  } catch {
    // no CID
  }

  throw new TypeError('its name is not that of a pin')
}

function parsePin (plainCid: CID, bytes: Uint8Array): Pin {
  const { depth, metadata = {} } = parseMap(bytes)

  if (typeof depth !== 'number' || !(depth === Infinity || Number.isSafeInteger(depth)) || depth < 0) {
    throw new TypeError('it has no depth')
  }

  if (typeof metadata !== 'object' || metadata == null) {
    throw new TypeError('its metadata are none')
  }

  const { [CID_KEY]: marked, [NAME_KEY]: name } = metadata as Record<string, unknown>
  const cid = typeof marked === 'string' ? CID.parse(marked) : plainCid

  if (typeof marked === 'string' && !unmark(cid).toV1().equals(plainCid)) {
    throw new TypeError(`it says to be the pin of ${cid}`)
  }

  return { plainCid, cid, ...typeof name === 'string' ? { name } : {}, depth }
}

/** How many pins Helia counts for a block, and the bytes of their CIDs, which its `pins.rm` mixes up. */
export interface PinnedBlock {
  pinCount: number
  pinnedBy: Uint8Array[]
}

/** What Helia counts for a block, nothing where the record is damaged or not there: a count can always be made anew. */
export async function readPinnedBlock (file: string): Promise<PinnedBlock> {
  try {
    const bytes = await readRecord(file, MAX_COUNT_SIZE)
    const { pinCount, pinnedBy } = bytes == null ? {} : parseMap(bytes)

    if (Number.isSafeInteger(pinCount) && Number(pinCount) > 0 && Array.isArray(pinnedBy) && pinnedBy.every(cid => cid instanceof Uint8Array)) {
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
    throw new TypeError('it is no record')
  }

  return value as Record<string, unknown>
}

/** The bytes of a file, none where it has been deleted. */
async function readRecord (file: string, maxSize: number): Promise<Uint8Array | undefined> {
  let handle

  try {
    // not waited for: whoever writes into a pipe
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined
    }

    throw err
  }

  try {
    const stats = await handle.stat()
    const { size } = stats

    if (!stats.isFile()) {
      throw new TypeError('it is no file')
    }

    if (size > maxSize) {
      throw new TypeError(`it has ${size} bytes, more than ${maxSize}`)
    }

    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
