import { MAX_WORTHWHILE_RATIO, MEASURED_BYTES, SAMPLE_INTERVAL, TRIAL_INTERVALS } from '../constants.ts'
import { Sample } from './sample.ts'
import type { Uint8ArrayList } from 'uint8arraylist'

/**
 * Whether it is worth compressing what goes in one direction: measured on the last
 * bytes that were compressed. Where they did not shrink, a sample of what is stored is
 * taken now and then, and one frame is tried again where the sample promises something.
 * Where it does not a frame is tried as well, since a sample shows no repetitions, but
 * far more rarely: for as long as that takes nothing else is sent.
 */
export class Shrinkage {
  #storing = false
  #original = 0
  #compressed = 0
  #sinceSample = 0
  #sinceTrial = 0
  /** How many trials in a row have saved nothing. */
  #failures = 0
  readonly #sample = new Sample()

  /** @param next - what is to be sent */
  isWorthwhile (next: Uint8ArrayList): boolean {
    return !this.#storing ||
      this.#sinceTrial >= this.#interval(TRIAL_INTERVALS.hopeless) ||
      (this.#sinceTrial >= this.#interval(TRIAL_INTERVALS.promising) && this.#sinceSample >= SAMPLE_INTERVAL && this.#promises(next))
  }

  countStored (size: number): void {
    this.#sinceSample += size
    this.#sinceTrial += size
  }

  countCompressed (size: number, compressed: number): void {
    if (this.#storing) {
      this.#storing = compressed > size * MAX_WORTHWHILE_RATIO
      this.#failures++
      this.#reset()
      return
    }

    this.#original += size
    this.#compressed += compressed

    if (this.#original >= MEASURED_BYTES) {
      this.#storing = this.#compressed > this.#original * MAX_WORTHWHILE_RATIO
      this.#failures = 0
      this.#reset()
    }
  }

  #promises (next: Uint8ArrayList): boolean {
    this.#sample.add(next)

    if (!this.#sample.full) {
      return false
    }

    const { compressible } = this.#sample
    this.#sample.clear()
    this.#sinceSample = 0

    return compressible
  }

  #interval ([first, most]: readonly [number, number]): number {
    return Math.min(first * 2 ** this.#failures, most)
  }

  #reset (): void {
    this.#original = 0
    this.#compressed = 0
    this.#sinceSample = 0
    this.#sinceTrial = 0
    this.#sample.clear()
  }
}
