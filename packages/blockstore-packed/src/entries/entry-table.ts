// Room: where blocks are: tables in memory, and sorted index files that are made of packs.
import { ENTRY_SIZE, compareKey, hasKey, prefixOf, readRow, setPackNumber, writeEntry } from '../format/entry.ts'
import { KEY_SIZE } from '../format/key.ts'
import type { Row } from '../format/entry.ts'
import type { Key } from '../format/key.ts'

const FIRST_ENTRIES = 64
/** Slots for each entry at least, so that few collide. */
const SLOTS = 2

/** The entries of a pack that no index file covers yet, in memory: 60 to 80 bytes for each. */
export class EntryTable {
  /** The IDs of packs, by the numbers that entries have. */
  readonly packs: string[] = []
  readonly #numbers = new Map<string, number>()
  #entries = Buffer.alloc(FIRST_ENTRIES * ENTRY_SIZE)
  #slots = new Int32Array(FIRST_ENTRIES * SLOTS).fill(-1)
  #count = 0

  get count (): number {
    return this.#count
  }

  add (key: Key, row: Row): void {
    if ((this.#count + 1) * ENTRY_SIZE > this.#entries.byteLength) {
      this.#grow()
    }

    const at = this.#count * ENTRY_SIZE
    writeEntry(this.#entries, at, key, row)
    setPackNumber(this.#entries, at, this.#numberOf(row.pack))
    this.#place(this.#count++)
  }

  /** Add the rows of a key. */
  find (key: Key, rows: Row[]): void {
    for (let slot = this.#slotOf(key.bytes); this.#slots[slot] >= 0; slot = (slot + 1) % this.#slots.length) {
      const at = this.#slots[slot] * ENTRY_SIZE

      if (hasKey(this.#entries, at, key)) {
        rows.push(readRow(this.#entries, at, this.packs))
      }
    }
  }

  /** The entries sorted by key. */
  * sorted (): Generator<Buffer> {
    // numbers sort many times as fast as entries: the first bytes of the key, and which entry it is
    const order = Float64Array.from(
      { length: this.#count },
      (_, i) => prefixOf(this.#entries, i * ENTRY_SIZE) * 2 ** 20 + i
    ).toSorted()
    const at = (i: number): number => order[i] % 2 ** 20 * ENTRY_SIZE
    const prefix = (i: number): number => Math.floor(order[i] / 2 ** 20)

    for (let start = 0; start < order.length;) {
      let end = start + 1

      while (end < order.length && prefix(end) === prefix(start)) {
        end++
      }

      const same = Array.from({ length: end - start }, (_, i) => at(start + i))

      for (const entry of same.toSorted((a, b) => compareKey(this.#entries, a, this.#key(b)))) {
        yield this.#entries.subarray(entry, entry + ENTRY_SIZE)
      }

      start = end
    }
  }

  #key (at: number): Buffer {
    return this.#entries.subarray(at, at + KEY_SIZE)
  }

  #numberOf (pack: string): number {
    let number = this.#numbers.get(pack)

    if (number == null) {
      number = this.packs.push(pack) - 1
      this.#numbers.set(pack, number)
    }

    return number
  }

  #grow (): void {
    const entries = Buffer.alloc(this.#entries.byteLength * 2)
    this.#entries.copy(entries)
    this.#entries = entries
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1)

    for (let i = 0; i < this.#count; i++) {
      this.#place(i)
    }
  }

  #place (entry: number): void {
    let slot = this.#slotOf(this.#key(entry * ENTRY_SIZE))

    while (this.#slots[slot] >= 0) {
      slot = (slot + 1) % this.#slots.length
    }

    this.#slots[slot] = entry
  }

  /** Digests are random already. */
  #slotOf (key: Uint8Array): number {
    return prefixOf(key, 0) % this.#slots.length
  }
}

/** Copies of entries whose packs have the numbers of another list. */
export function renumber (entry: Buffer, number: number): Buffer {
  const copy = Buffer.from(entry)
  setPackNumber(copy, 0, number)

  return copy
}
