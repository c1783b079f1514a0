import { MAX_WORTHWHILE_RATIO, MEASURED_BYTES, SAMPLE_INTERVAL, TRIAL_INTERVALS } from '../constants.ts'
import { Sample } from './sample.ts'
import type { Uint8ArrayList } from 'uint8arraylist'

/**
 * Decides whether to compress one direction of a connection, by how much the last compressed
 * bytes shrank. If they did not shrink, samples the stored bytes now and then, and tries one
 * frame when a sample looks compressible. Samples miss repetitions, so it also tries a frame
 * if none does, but far more rarely: nothing else is sent during a trial.
 */
export class Shrinkage {
  #storing = false
  #original = 0
  #compressed = 0
  #sinceSample = 0
  #sinceTrial = 0
  /** Trials in a row that saved nothing. */
  #failures = 0
  readonly #sample = new Sample()

  /** @param next - the bytes to send next */
  isWorthwhile (next: Uint8ArrayList): boolean {
    if (!this.#storing || this.#sinceTrial >= this.#interval(TRIAL_INTERVALS.hopeless)) {
      return true
    }

    return this.#sinceTrial >= this.#interval(TRIAL_INTERVALS.promising) &&
      this.#sinceSample >= SAMPLE_INTERVAL &&
      this.#looksCompressible(next)
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

  #looksCompressible (next: Uint8ArrayList): boolean {
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
