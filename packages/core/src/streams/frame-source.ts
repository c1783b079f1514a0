// Room: files that other tools compressed, whose decoders are in `@ipfsz/codecs`.
import { ByteReader } from '../util/byte-reader.ts'
import { readRange } from '../dag/read.ts'
import { InvalidTrailerError } from '../errors.ts'
import type { GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { ReadOptions } from '../dag/read.ts'
import type { StreamFrame } from './read-seek-table.ts'

/** How many bytes to read at a time of a frame that is not held as a whole, and of what is left out. */
const PIECE = 256 * 1024

/** What lies between two frames is read and left out if it is shorter, 1 MiB, as leaves are: else it is not fetched. */
const SHORT_GAP = 1024 * 1024

/**
 * Maximum stored bytes that a range may cost: 16 MiB, and 16 times the original bytes of its frames. Streams that are
 * flushed after each short line have less. A table may claim anything: 4 GiB of stored bytes for one original byte,
 * made of one block.
 */
const MAX_COST = 16 * 1024 * 1024
const MAX_COST_RATIO = 16

/** Maximum stored bytes that so many original ones may cost. */
export function maxCost (original: number): number {
  return MAX_COST + MAX_COST_RATIO * original
}

/** Stored bytes with no long gap between them, from `start` to `end` (exclusive). */
interface Run {
  start: number
  end: number
}

/** Gives the frames of a range one after the other, without fetching what is between them. */
export class FrameSource {
  readonly #open: (run: Run) => ByteReader
  readonly #runs: Generator<Run>
  #reader: ByteReader | undefined
  #position = 0
  #end = 0

  /**
   * @param frames - returns the frames; called again for each iteration
   * @throws {InvalidTrailerError} they have far more stored than original bytes
   */
  constructor (node: FileNode, frames: () => Iterable<StreamFrame>, blockstore: GetStore, options: ReadOptions) {
    checkCost(node, frames())
    this.#runs = runsOf(frames())
    this.#open = range => new ByteReader(readRange(node, range, blockstore, options), options.signal)
  }

  /** All of the next frame. */
  async read (frame: StreamFrame): Promise<Uint8Array> {
    const reader = await this.#seek(frame)
    this.#position += frame.length

    return reader.read(frame.length)
  }

  /** The next frame in pieces. */
  async * pieces (frame: StreamFrame): AsyncGenerator<Uint8Array> {
    const reader = await this.#seek(frame)
    this.#position += frame.length

    yield * take(reader, frame.length)
  }

  close (): void {
    this.#reader?.close()
  }

  async #seek ({ position }: StreamFrame): Promise<ByteReader> {
    if (this.#reader == null || position > this.#end) {
      const run = this.#runs.next().value as Run
      this.#reader?.close()
      this.#reader = this.#open(run)
      this.#position = run.start
      this.#end = run.end
    }

    for await (const bytes of take(this.#reader, position - this.#position)) {
      this.#position += bytes.byteLength
    }

    return this.#reader
  }
}

async function * take (reader: ByteReader, length: number): AsyncGenerator<Uint8Array> {
  for (let missing = length; missing > 0;) {
    const bytes = await reader.read(Math.min(missing, PIECE))

    if (bytes.byteLength === 0) {
      return
    }

    missing -= bytes.byteLength
    yield bytes
  }
}

function * runsOf (frames: Iterable<StreamFrame>): Generator<Run> {
  let run: Run | undefined

  for (const { position, length } of frames) {
    if (run != null && position - run.end >= SHORT_GAP) {
      yield run
      run = undefined
    }

    run = { start: run?.start ?? position, end: position + length }
  }

  if (run != null) {
    yield run
  }
}

/** What is left out costs a block, if it is not read. */
function checkCost ({ cid }: FileNode, frames: Iterable<StreamFrame>): void {
  let cost = 0
  let original = 0
  let end: number | undefined

  for (const { position, length, size } of frames) {
    cost += length + Math.min(position - (end ?? position), SHORT_GAP)
    original += size
    end = position + length
  }

  if (cost > maxCost(original)) {
    throw new InvalidTrailerError(cid, `its seek table has ${cost} stored bytes for ${original} original ones`)
  }
}
