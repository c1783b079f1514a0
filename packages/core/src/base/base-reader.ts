import { InvalidBaseError } from '../errors.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { collectBytes } from '../util/bytes.ts'
import type { RegionSource } from '../frames/read-frames.ts'
import type { Region } from '../format/header.ts'
import type { CID } from 'multiformats/cid'
import type { BaseContent } from './base-content.ts'

/**
 * Reads regions of a base. The regions of neighbouring frames overlap, and reading any of them decompresses
 * whole frames of the base: so it keeps the pieces that were read last.
 */
export class BaseReader implements RegionSource {
  readonly #cid: CID
  readonly #content: BaseContent
  readonly #kept: number
  /** By number, the one used last at the end. */
  readonly #pieces = new Map<number, Promise<Uint8Array>>()

  /**
   * @param cid - of the base, for error messages
   * @param keptBytes - the most bytes of pieces to keep, but always two pieces
   */
  constructor (cid: CID, content: BaseContent, keptBytes: number) {
    this.#cid = cid
    this.#content = content
    this.#kept = Math.max(2, Math.floor(keptBytes / content.pieceSize))
  }

  /**
   * The original bytes of a region, which must not be changed: they may be a part of a piece.
   *
   * @throws {InvalidBaseError} the base is shorter
   */
  async read ({ offset, length }: Region): Promise<Uint8Array> {
    const { size, pieceSize } = this.#content
    const end = offset + length

    if (end > size) {
      throw new InvalidBaseError(this.#cid, `it has ${size} bytes, and the bytes up to ${end} are needed`)
    }

    const first = Math.floor(offset / pieceSize)
    const last = Math.floor((end - 1) / pieceSize)

    if (first === last) {
      const piece = await this.#piece(first)

      return piece.subarray(offset - first * pieceSize, end - first * pieceSize)
    }

    const bytes = new Uint8Array(length)

    for (let number = first; number <= last; number++) {
      const start = number * pieceSize
      const piece = await this.#piece(number)
      const from = Math.max(offset - start, 0)

      bytes.set(piece.subarray(from, end - start), Math.max(start - offset, 0))
    }

    return bytes
  }

  /** All of the base, in pieces. The first ones are kept, so that its regions need not read them again. */
  async * readAll (signal?: AbortSignal | null): AsyncGenerator<Uint8Array> {
    const { size, pieceSize, read } = this.#content
    const reader = new ByteReader(read(0, size), signal)

    try {
      for (let number = 0; number * pieceSize < size; number++) {
        const piece = await reader.read(pieceSize)

        if (this.#pieces.size < this.#kept) {
          this.#pieces.set(number, Promise.resolve(piece))
        }

        yield piece
      }
    } finally {
      reader.close()
    }
  }

  async #piece (number: number): Promise<Uint8Array> {
    const piece = this.#pieces.get(number) ?? this.#load(number)
    this.#pieces.delete(number)
    this.#pieces.set(number, piece)

    if (this.#pieces.size > this.#kept) {
      const [oldest] = this.#pieces.keys()
      this.#pieces.delete(oldest)
    }

    return piece
  }

  async #load (number: number): Promise<Uint8Array> {
    const { size, pieceSize, read } = this.#content
    const start = number * pieceSize

    return collectBytes(read(start, Math.min(start + pieceSize, size)))
  }
}
