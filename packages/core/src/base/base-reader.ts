import { collectBytes } from '@ipfsz/utils/bytes'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { InvalidBaseError } from '../errors.ts'
import { ByteReader } from '../util/byte-reader.ts'
import type { RegionSource } from '../frames/compressed-file.ts'
import type { Region } from '../format/header.ts'
import type { CID } from 'multiformats/cid'
import type { BaseContent } from './base-content.ts'

/**
 * Reads regions of a base. The regions of neighbouring frames overlap, and reading any of them decompresses
 * whole frames of the base: so it keeps the pieces that were read last.
 */
export class BaseReader implements RegionSource {
  readonly cid: CID
  readonly #content: BaseContent
  readonly #kept: number
  /** By number, the one used last at the end. */
  readonly #pieces = new Map<number, Promise<Uint8Array>>()
  /** Pieces that will soon be asked for: they are kept until then. */
  readonly #prepared = new Set<number>()
  /** Pieces that are being loaded: no more than are kept, however many frames are read at a time. */
  readonly #loading = new Set<Promise<unknown>>()

  /**
   * @param cid - the plain CID of the base
   * @param keptBytes - maximum number of bytes of pieces to keep, but always two pieces
   */
  constructor (cid: CID, content: BaseContent, keptBytes: number) {
    this.cid = cid
    this.#content = content
    this.#kept = Math.max(2, Math.floor(keptBytes / content.pieceSize))
  }

  get keptBytes (): number {
    return this.#kept * this.#content.pieceSize
  }

  /** Whether all pieces are kept, once they have been read. */
  get keepsAll (): boolean {
    return this.#pieceCount <= this.#kept
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
      throw new InvalidBaseError(this.cid, `it has ${size} bytes, and the bytes up to ${end} are needed`)
    }

    const { first, last } = this.#piecesOf({ offset, length })
    const from = offset - first * pieceSize
    const loading: Array<Promise<Uint8Array>> = []

    for (let number = first; number <= last; number++) {
      this.#prepared.delete(number)
      loading.push(this.#piece(number))
    }

    const pieces = await Promise.all(loading)

    if (pieces.length === 1) {
      return pieces[0].subarray(from, from + length)
    }

    const bytes = new Uint8Array(length)

    for (const [i, piece] of pieces.entries()) {
      const start = i * pieceSize - from

      bytes.set(piece.subarray(Math.max(-start, 0), length - start), Math.max(start, 0))
    }

    return bytes
  }

  /** Begin to load the pieces of a region that will soon be read, so many that others that are in use stay. */
  prepare (region: Region): void {
    const { first, last } = this.#piecesOf(region)

    // `read` says that the base is shorter
    if (region.offset + region.length > this.#content.size) {
      return
    }

    for (let number = first; number <= last; number++) {
      if (this.#pieces.has(number)) {
        continue
      }

      if (2 * this.#prepared.size + 2 >= this.#kept) {
        return
      }

      this.#prepared.add(number)
      // `read` throws the error
      this.#piece(number).catch(() => {})
    }
  }

  #piecesOf ({ offset, length }: Region): { first: number, last: number } {
    const { pieceSize } = this.#content

    return { first: Math.floor(offset / pieceSize), last: Math.floor((offset + length - 1) / pieceSize) }
  }

  /**
   * All of the base, in pieces. The first ones are kept, so that its regions need not read them again: regions that are
   * asked for before those have been read wait for them.
   */
  readAll (signal?: AbortSignal | null): AsyncGenerator<Uint8Array> {
    const kept = Array.from({ length: Math.min(this.#kept, this.#pieceCount) }, () =>
      Promise.withResolvers<Uint8Array>())

    for (const [number, { promise }] of kept.entries()) {
      // who reads all of it gets the error too
      promise.catch(() => {})
      this.#pieces.set(number, promise)
    }

    return this.#readAll(kept, signal)
  }

  async * #readAll (
    kept: ReadonlyArray<PromiseWithResolvers<Uint8Array>>,
    signal: AbortSignal | null | undefined
  ): AsyncGenerator<Uint8Array> {
    const { size, pieceSize, read } = this.#content
    const reader = new ByteReader(read(0, size), signal)
    let failure: unknown = new Error('the base is no longer read')

    try {
      for (let number = 0; number < this.#pieceCount; number++) {
        const piece = await reader.read(pieceSize)
        kept.at(number)?.resolve(piece)
        yield piece
      }
    } catch (err) {
      failure = err
      throw err
    } finally {
      kept.forEach(({ reject }) => { reject(failure) })
      reader.close()
    }
  }

  get #pieceCount (): number {
    return Math.ceil(this.#content.size / this.#content.pieceSize)
  }

  /** Free the memory of what is kept, unless others may use it. Nothing may be read afterwards, or be in use. */
  async close (): Promise<void> {
    const pieces = [...this.#pieces.values()]
    this.#pieces.clear()

    if (this.#content.isOwned) {
      for (const piece of await Promise.allSettled(pieces)) {
        if (piece.status === 'fulfilled') {
          freeBytes(piece.value)
        }
      }
    }
  }

  async #piece (number: number): Promise<Uint8Array> {
    const piece = this.#pieces.get(number) ?? this.#load(number)
    this.#pieces.delete(number)
    this.#pieces.set(number, piece)

    if (this.#pieces.size > this.#kept) {
      this.#forgetOne()
    }

    return piece
  }

  /** Forget the piece that was used longest ago. More than half are not prepared. */
  #forgetOne (): void {
    for (const number of this.#pieces.keys()) {
      if (!this.#prepared.has(number)) {
        this.#pieces.delete(number)
        return
      }
    }
  }

  async #load (number: number): Promise<Uint8Array> {
    const { size, pieceSize, read } = this.#content
    const start = number * pieceSize

    while (this.#loading.size >= this.#kept) {
      await Promise.race(this.#loading)
    }

    const piece = collectBytes(read(start, Math.min(start + pieceSize, size)))
    const end = Promise.allSettled([piece])
    this.#loading.add(end)

    try {
      return await piece
    } finally {
      this.#loading.delete(end)
    }
  }
}
