import { randomUUID } from 'node:crypto'
import { decode, encode } from 'cborg'
import { Key } from 'interface-datastore'
import { base32 } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { RepoError } from '../errors.ts'
import type { Records } from '@ipfsz/shared-store/records'

/** The prefix of all histories. */
const PREFIX = '/ipfsz/history'

/** Maximum number of versions of a name that are remembered. Older ones are forgotten; their pins stay. */
export const MAX_VERSIONS = 1000

/** Maximum number of bytes of a name in UTF-8, as of a file name. */
const MAX_NAME_LENGTH = 255

/** What was added under a name at one time. */
export interface Version {
  name: string
  /** The CID that `ipfsz add` printed. */
  cid: CID
  /** When it was added. */
  date: Date
  /** Original bytes. */
  size: number
  /** Bytes of the blocks that the repo did not have before. */
  addedSize: number
}

/** A version, and where its record is. */
export interface StoredVersion extends Version {
  key: Key
  /** A number that grows with each version of the name. */
  sequence: number
}

type HistoryRecords = Pick<Records, 'put' | 'delete' | 'query'>

/**
 * What was added under each name. Each version has a record of its own, so that a kill and processes that add at the
 * same time leave whole histories. A history keeps no blocks: only pins do.
 */
export class Histories {
  readonly #records: HistoryRecords

  constructor ({ records }: { records: HistoryRecords }) {
    this.#records = records
  }

  /** The versions of a name, the newest first. None for a name that has no history. */
  async versions (name: string): Promise<StoredVersion[]> {
    return this.#stored(await prefixOf(name))
  }

  /** The versions of all names. */
  async all (): Promise<StoredVersion[]> {
    return this.#stored(PREFIX)
  }

  /** The last version of each name, and how many versions the name has, by name. */
  async list (): Promise<Array<{ last: Version, versions: number }>> {
    const byName = Map.groupBy(await this.all(), ({ name }) => name)

    return [...byName.values()]
      .map(versions => ({ last: versions[0], versions: versions.length }))
      .toSorted((a, b) => a.last.name < b.last.name ? -1 : 1)
  }

  /** Add the newest version of a name, unless it is equal to the last one. Forgets the oldest of too many. */
  async append ({ name, cid, date, size, addedSize }: Version): Promise<void> {
    const prefix = await prefixOf(name)
    const before = await this.#stored(prefix)
    const last = before.at(0)

    if (last?.cid.equals(cid) === true) {
      return
    }

    // not the date: a clock may go backwards
    const sequence = (last?.sequence ?? 0) + 1

    await this.#records.put(
      new Key(`${prefix}/${randomUUID()}`),
      encode({ name, cid: cid.toString(), date: date.getTime(), size, addedSize, sequence })
    )

    for (const { key } of before.slice(MAX_VERSIONS - 1)) {
      await this.#records.delete(key)
    }
  }

  /** Forget one version. */
  async remove ({ key }: Pick<StoredVersion, 'key'>): Promise<void> {
    await this.#records.delete(key)
  }

  /** Forget all versions of a name, damaged records too. Returns how many there were. */
  async forget (name: string): Promise<number> {
    let forgotten = 0

    for await (const { key } of this.#records.query({ prefix: await prefixOf(name) })) {
      await this.#records.delete(key)
      forgotten++
    }

    return forgotten
  }

  async #stored (prefix: string): Promise<StoredVersion[]> {
    const stored: StoredVersion[] = []

    for await (const { key, value } of this.#records.query({ prefix })) {
      stored.push(parse(key, value))
    }

    // versions that two processes added at the same time have one number
    return stored.toSorted((a, b) => b.sequence - a.sequence || b.date.getTime() - a.date.getTime())
  }
}

/** Whether a history can have this name. */
export function isHistoryName (name: string): boolean {
  return name !== '' && Buffer.byteLength(name) <= MAX_NAME_LENGTH
}

/** By a hash: a name may have characters that a file name cannot have. */
async function prefixOf (name: string): Promise<string> {
  const { digest } = await sha256.digest(new TextEncoder().encode(name))

  return `${PREFIX}/${base32.baseEncode(digest)}`
}

function isCount (value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function parse (key: Key, value: Uint8Array): StoredVersion {
  try {
    const { name, cid, date, size, addedSize, sequence } = decode(value) as Record<string, unknown>
    const isDate = typeof date === 'number' && !Number.isNaN(new Date(date).getTime())

    if (typeof name !== 'string' || typeof cid !== 'string' || !isDate || ![size, addedSize, sequence].every(isCount)) {
      throw new TypeError('a field is missing or has another type')
    }

    return {
      key,
      name,
      cid: CID.parse(cid),
      date: new Date(date),
      size: Number(size),
      addedSize: Number(addedSize),
      sequence: Number(sequence)
    }
  } catch (err) {
    throw new RepoError(
      `The record ${key} of a history is damaged`,
      { cause: err, problem: 'damaged-history' }
    )
  }
}
