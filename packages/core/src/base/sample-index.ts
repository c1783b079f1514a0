import { GEAR } from '../cut/gear.ts'
import { checkOf, gearOf, isRun, SAMPLE_LENGTH, viewOf } from './samples.ts'

/** Maximum number of samples of a base. With their table they take about 6 MiB. */
const MAX_SAMPLES = 2 ** 18
/** The fewest bytes from one sample to the next. Twice as often finds no more, and takes twice as long. */
const MIN_STEP = 256

/** How many samples are remembered that are equal. */
const MAX_EQUAL = 4
/** How far a sample may lie from where its hash says. Only hostile content needs more. */
const MAX_PROBES = 64

/**
 * Samples of a base: its bytes at every multiple of `step`. A sample that another file also has is found wherever
 * it lies there, since that file is searched byte by byte.
 */
export class SampleIndex {
  /** Bytes from one sample to the next: 256, and more if the base has more than 64 MiB. */
  readonly step: number
  /** How many samples the base has. */
  readonly count: number
  /** The samples that the last search found, nearest to the base's beginning first. */
  readonly found: number[] = []
  readonly #gears: Int32Array
  readonly #checks: Int32Array
  /** An open hash table of the samples' numbers plus one. Half of it stays empty. */
  readonly #slots: Uint32Array
  readonly #slotShift: number
  /** A bit for some bits of each gear hash: most bytes of another file need no look into the table. */
  readonly #filter: Uint8Array
  #added = 0
  /** The bytes of a sample that the next bytes complete. */
  #begun = new Uint8Array(0)
  /** Where the next bytes lie in the base. */
  #position = 0

  /** @param size - bytes of the base */
  constructor (size: number) {
    let step = MIN_STEP

    while (size > step * MAX_SAMPLES) {
      step *= 2
    }

    const count = size < SAMPLE_LENGTH ? 0 : Math.floor((size - SAMPLE_LENGTH) / step) + 1
    const bits = Math.max(32 - Math.clz32(count), 3)

    this.step = step
    this.count = count
    this.#gears = new Int32Array(count)
    this.#checks = new Int32Array(count)
    this.#slots = new Uint32Array(2 ** (bits + 1))
    this.#slotShift = 31 - bits
    this.#filter = new Uint8Array(2 ** bits)
  }

  /** Add the next bytes of the base. */
  add (bytes: Uint8Array): void {
    if (this.#begun.byteLength > 0) {
      const sample = new Uint8Array(Math.min(SAMPLE_LENGTH, this.#begun.byteLength + bytes.byteLength))
      sample.set(this.#begun)
      sample.set(bytes.subarray(0, sample.byteLength - this.#begun.byteLength), this.#begun.byteLength)
      this.#begun = sample

      if (sample.byteLength === SAMPLE_LENGTH) {
        this.#insert(sample, viewOf(sample), 0)
        this.#begun = new Uint8Array(0)
      }
    }

    const view = viewOf(bytes)
    let start = this.#added * this.step - this.#position

    if (this.#begun.byteLength === 0) {
      for (; start + SAMPLE_LENGTH <= bytes.byteLength && this.#added < this.count; start += this.step) {
        this.#insert(bytes, view, start)
      }

      this.#begun = this.#added < this.count ? bytes.slice(Math.min(start, bytes.byteLength)) : this.#begun
    }

    this.#position += bytes.byteLength
  }

  /** Whether a sample is the 32 bytes of another file that begin at `start`. */
  has (sample: number, view: DataView, start: number): boolean {
    return this.#checks[sample] === checkOf(view, start)
  }

  /**
   * Find the next bytes of another file that are a sample. The samples are in `found`, at most {@link MAX_EQUAL}.
   *
   * @param from - where to begin
   * @returns where they begin. -1: there are none
   */
  search (bytes: Uint8Array, view: DataView, from: number): number {
    const length = bytes.byteLength

    if (from + SAMPLE_LENGTH > length) {
      return -1
    }

    const filter = this.#filter
    const shift = this.#slotShift - 2
    let gear = gearOf(bytes, from)

    for (let next = from + SAMPLE_LENGTH; ; next++) {
      const bit = gear >>> shift

      if ((filter[bit >>> 3] & 1 << (bit & 7)) !== 0 && this.#find(gear, view, next - SAMPLE_LENGTH)) {
        return next - SAMPLE_LENGTH
      }

      if (next >= length) {
        return -1
      }

      gear = (gear << 1) + GEAR[bytes[next]] | 0
    }
  }

  #find (gear: number, view: DataView, start: number): boolean {
    const last = this.#slots.length - 1
    this.found.length = 0
    let check: number | undefined

    for (let probe = 0, slot = gear >>> this.#slotShift; probe < MAX_PROBES; probe++, slot = slot + 1 & last) {
      const sample = this.#slots[slot] - 1

      if (sample < 0) {
        break
      }

      if (this.#gears[sample] === gear && this.#checks[sample] === (check ??= checkOf(view, start))) {
        this.found.push(sample)
      }
    }

    return this.found.length > 0
  }

  #insert (bytes: Uint8Array, view: DataView, start: number): void {
    const sample = this.#added++
    const gear = gearOf(bytes, start)
    const check = checkOf(view, start)
    this.#gears[sample] = gear
    this.#checks[sample] = check

    if (isRun(bytes, start)) {
      return
    }

    const last = this.#slots.length - 1
    let equal = 0
    let slot = gear >>> this.#slotShift

    for (let probe = 0; probe < MAX_PROBES && equal < MAX_EQUAL; probe++, slot = slot + 1 & last) {
      const other = this.#slots[slot] - 1

      if (other < 0) {
        const bit = gear >>> this.#slotShift - 2
        this.#slots[slot] = sample + 1
        this.#filter[bit >>> 3] |= 1 << (bit & 7)

        return
      }

      equal += this.#gears[other] === gear && this.#checks[other] === check ? 1 : 0
    }
  }
}
