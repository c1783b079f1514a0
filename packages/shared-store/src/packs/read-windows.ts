/** Pieces that one request reads at most, unless a frame is larger: 8 MiB. */
const MAX_PIECES = 64
/** The same of what is expected, 20 MiB: two requests read a pack. */
export const MAX_EXPECTED = 160
/** How much more than what is expected may be requested: the second request of a pack ends behind it. */
const SLACK = 1.25
/** How many times as much the next request reads, if what was read before it was used. */
const GROWTH = 8
/** Bytes that are read beside wanted ones because they are expected, and not used yet, at most: 48 MiB. */
export const MAX_AHEAD = 48 * 1024 * 1024
/** Requests of a process that are remembered. */
const MAX_WINDOWS = 256

/** Pieces of a pack: from one up to another, which is not one of them. */
export interface Pieces {
  pack: string
  from: number
  to: number
}

/** Pieces that a request has read. */
interface Window extends Pieces {
  /** How many pieces were to be read, with those that were there. */
  size: number
  /** Bytes of it that were used. */
  used: number
}

/**
 * Decides how much a request reads. Blocks that are wanted one after the other mostly lie so in a pack, in several
 * places of it: blocks that do not shrink are behind those that do. A request beside another one reads eight times as
 * much, if half of that was used. One elsewhere reads as much as the last one if that was used, or else one piece.
 */
export class ReadWindows {
  readonly #pieceSize: number
  readonly #maxAhead: number
  /** The oldest first. */
  readonly #windows: Window[] = []
  /** Bytes that are about to be read. */
  #expected = 0
  /** Those that were read beside wanted ones, and not used yet. */
  #ahead = 0
  /** Bits for the pieces of each pack that were read while more was expected: a disk may have them. */
  readonly #read = new Map<string, bigint>()

  /**
   * @param pieceSize - in bytes
   * @param maxAhead - bytes that are read because they are expected, and not used yet, at most
   */
  constructor (pieceSize: number, maxAhead = MAX_AHEAD) {
    this.#pieceSize = pieceSize
    this.#maxAhead = maxAhead
  }

  /**
   * So many bytes are about to be read: requests begin large, and remain so as long as what they read is used. Somebody
   * else may have said how many, so what is read in vain is bounded.
   */
  expect (bytes: number): void {
    this.#expected = bytes * SLACK
    this.#ahead = 0
    this.#read.clear()
  }

  /** Note that bytes which begin in the first of some pieces are used. */
  use ({ pack, from }: Pieces, bytes: number): void {
    const window = this.#windows.findLast(window => window.pack === pack && window.from <= from && from < window.to)

    if (window != null) {
      window.used += bytes
    }

    this.#ahead = Math.max(0, this.#ahead - bytes)
  }

  /** Which pieces to read when some are wanted: none beside them that are there. */
  next ({ pack, from, to }: Pieces, isThere: (piece: number) => boolean): Pieces {
    const read = this.#read.get(pack) ?? 0n
    const wasRead = (piece: number): boolean => (read >> BigInt(piece) & 1n) === 1n
    // what was dropped from memory is not what is expected, and may come from a disk
    const isExpected = this.#expected > 0 && !wasRead(from)
    const size = this.#sizeFor({ pack, from, to }, isExpected)
    const isWanted = (piece: number): boolean => !isThere(piece) && wasRead(piece) === wasRead(from)
    // what belongs together may also lie before
    const start = from - from % size
    let [first, end] = [from, to]

    while (first > start && isWanted(first - 1)) {
      first--
    }

    while (end < start + size && isWanted(end)) {
      end++
    }

    if (isExpected) {
      this.#expected = Math.max(0, this.#expected - (end - first) * this.#pieceSize)
      this.#read.set(pack, read | (1n << BigInt(end - first)) - 1n << BigInt(first))
    }

    // not what is wanted now
    this.#ahead += (end - first - (to - from)) * this.#pieceSize
    this.#windows.push({ pack, from: first, to: end, size, used: 0 })
    this.#windows.splice(0, this.#windows.length - MAX_WINDOWS)

    return { pack, from: first, to: end }
  }

  #sizeFor ({ pack, from, to }: Pieces, isExpected: boolean): number {
    const near = this.#windows.filter(window => window.pack === pack)
    const before = near.filter(window => window.from <= from).toSorted((a, b) => b.to - a.to).at(0)
    const after = near.filter(window => window.from > from).toSorted((a, b) => a.from - b.from).at(0)
    const grown = (window: Window | undefined, distance: number): number => {
      const size = this.#usedSize(window)

      return distance < GROWTH * size ? GROWTH * size : 1
    }

    const expected = isExpected ? Math.min(this.#expected, this.#maxAhead - this.#ahead) / this.#pieceSize : 0

    return Math.max(
      Math.min(MAX_EXPECTED, Math.floor(expected)),
      Math.min(MAX_PIECES, Math.max(
        grown(before, from - (before?.to ?? 0)),
        grown(after, (after?.from ?? 0) - to),
        this.#usedSize(this.#windows.at(-1))
      ))
    )
  }

  /** The size of a window if half of what was read was used. */
  #usedSize (window: Window | undefined): number {
    return window != null && window.used >= (window.to - window.from) * this.#pieceSize / 2 ? window.size : 0
  }
}
