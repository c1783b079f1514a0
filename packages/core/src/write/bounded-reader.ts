import { slices } from '@ipfsz/utils/bytes'
import { coreCount } from '../frames/frame-concurrency.ts'
import { Budget } from '../util/budget.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { SMALL_FILE_SIZE } from '../constants.ts'
import type { Allocate } from '@ipfsz/utils/bytes'

/**
 * The memory that all files of one call may use for original bytes. A file holds its first
 * piece until the file is written, and each later piece until that is compressed. Each kind
 * has a budget of its own: with a single one, files could hold all of it with their first
 * pieces while each waits for more.
 */
export class FilesBudget {
  readonly first: Budget
  readonly later: Budget
  /** Threads that compress, one for each core. */
  readonly threads = new Budget(coreCount())

  constructor (inFlightBytes: number) {
    this.first = new Budget(inFlightBytes / 2)
    this.later = new Budget(inFlightBytes / 2)
  }
}

/** Reads one of several files. Each read waits until the shared budget has room. */
export class BoundedReader extends ByteReader {
  readonly #budget: FilesBudget
  readonly #budgetSignal: AbortSignal | null | undefined
  /** Bytes held by the first piece. Undefined before it is read. */
  #first?: number
  /** Sizes of the later pieces that are not compressed yet. */
  readonly #later = new Map<Uint8Array, number>()

  constructor (source: AsyncIterable<Uint8Array> | Uint8Array, budget: FilesBudget, signal?: AbortSignal | null) {
    super(source, signal)
    this.#budget = budget
    this.#budgetSignal = signal
  }

  override async read (length: number, allocate?: Allocate): Promise<Uint8Array> {
    const isFirst = this.#first == null

    if (isFirst && await this.peek(Math.min(SMALL_FILE_SIZE, length)) < SMALL_FILE_SIZE) {
      this.#first = 0
      return super.read(length, allocate)
    }

    const budget = isFirst ? this.#budget.first : this.#budget.later
    let held = length
    await budget.take(length, this.#budgetSignal)

    try {
      const piece = await super.read(length, allocate)
      held = piece.byteLength
      budget.give(length - held)

      if (!isFirst && held > 0) {
        this.#later.set(piece, held)
      }

      return piece
    } catch (err) {
      budget.give(held)
      held = 0
      throw err
    } finally {
      if (isFirst) {
        this.#first = held
      }
    }
  }

  override close (): void {
    this.#budget.first.give(this.#first ?? 0)
    this.#first = 0

    for (const piece of this.#later.keys()) {
      this.release(piece)
    }

    super.close()
  }

  /** Cut a later piece in parts, each of which is released by itself. */
  split (piece: Uint8Array, size: number): Uint8Array[] {
    const parts = [...slices(piece, size)]

    if (this.#later.delete(piece)) {
      for (const part of parts) {
        this.#later.set(part, part.byteLength)
      }
    }

    return parts
  }

  /** Return the room of a later piece to the budget: nothing needs its bytes any more. */
  release (piece: Uint8Array): void {
    this.#budget.later.give(this.#later.get(piece) ?? 0)
    this.#later.delete(piece)
  }
}
