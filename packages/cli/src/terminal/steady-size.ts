import { formatSize } from './units.ts'

/** A size keeps its unit until it falls below this part of it. */
const SLACK = 0.8

/** Formats a size that changes. One that goes up and down around a mebibyte does not change its unit each time. */
export class SteadySize {
  #unit = 1

  format (bytes: number): string {
    const fitting = 1024 ** Math.floor(Math.log2(Math.max(bytes, 1)) / 10)

    if (fitting > this.#unit || bytes < this.#unit * SLACK) {
      this.#unit = fitting
    }

    const [, name] = formatSize(this.#unit).split(' ')

    return fitting < this.#unit ? `${(bytes / this.#unit).toFixed(2)} ${name}` : formatSize(Math.round(bytes))
  }
}
