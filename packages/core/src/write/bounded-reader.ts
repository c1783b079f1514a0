import { ByteBudget } from './byte-budget.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { SMALL_FILE_SIZE } from '../constants.ts'
import type { Allocate } from '../util/bytes.ts'
import type { Codec } from '@ipfsz/codecs'

/**
 * Room for the original bytes of all files that one call works on at one time. A
 * file holds its first piece until it is written, and each later one until it is
 * compressed. Were both taken from one budget, files could hold all of it while
 * each waits for more.
 */
export class FilesBudget {
  readonly first: ByteBudget
  readonly later: ByteBudget

  constructor (inFlightBytes: number) {
    this.first = new ByteBudget(inFlightBytes / 2)
    this.later = new ByteBudget(inFlightBytes / 2)
  }
}

/** Reads one of several files, as there is room for its pieces. */
export class BoundedReader extends ByteReader {
  readonly #budget: FilesBudget
  readonly #boundSignal: AbortSignal | null | undefined
  /** Bytes of the first piece, none before it is read. */
  #first?: number
  /** Later pieces that are not compressed yet. */
  readonly #later = new Map<Uint8Array, number>()

  constructor (source: AsyncIterable<Uint8Array>, budget: FilesBudget, signal?: AbortSignal | null) {
    super(source, signal)
    this.#budget = budget
    this.#boundSignal = signal
  }

  override async read (length: number, allocate?: Allocate): Promise<Uint8Array> {
    const isFirst = this.#first == null

    if (isFirst && await this.peek(Math.min(SMALL_FILE_SIZE, length)) < SMALL_FILE_SIZE) {
      this.#first = 0
      return super.read(length, allocate)
    }

    const budget = isFirst ? this.#budget.first : this.#budget.later
    let held = length
    await budget.take(length, this.#boundSignal)

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
      this.#done(piece)
    }

    super.close()
  }

  /** The codec, which gives the room of a piece back when it is compressed. */
  bounded (codec: Codec): Codec {
    return {
      name: codec.name,
      code: codec.code,
      levels: codec.levels,
      implementation: codec.implementation,
      compress: async (piece, options) => {
        try {
          return await codec.compress(piece, options)
        } finally {
          this.#done(piece)
        }
      },
      decompress: (frame, options) => codec.decompress(frame, options)
    }
  }

  #done (piece: Uint8Array): void {
    this.#budget.later.give(this.#later.get(piece) ?? 0)
    this.#later.delete(piece)
  }
}
