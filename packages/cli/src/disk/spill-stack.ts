import { open, rm } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import type { FileHandle } from 'node:fs/promises'

/** Bytes that are held in memory before all of them go to the file. */
const HELD_BYTES = 4 * 1024 * 1024
/** Bytes that are read from the file at one time. */
const READ_BYTES = 64 * 1024
/** Bytes of the length before each value. */
const LENGTH_BYTES = 4

const NOTHING = Buffer.alloc(0)

export interface SpillStackInit {
  /**
   * Bytes that are held in memory.
   *
   * @default 4194304
   */
  heldBytes?: number
}

/**
 * A stack of any number of values in a few MiB of memory. What is more than that goes to
 * a file, which is made when it is needed.
 */
export class SpillStack<T> {
  readonly #path: string
  readonly #heldBytes: number
  #file: FileHandle | undefined
  /** Bytes in the file. What is pushed later is in memory. */
  #spilled = 0
  #held: Buffer = NOTHING
  #heldLength = 0
  /** What was read from the file last. */
  #read: { start: number, bytes: Buffer } = { start: 0, bytes: NOTHING }

  /**
   * @param path - where the file may be made; nothing may be there
   */
  constructor (path: string, { heldBytes = HELD_BYTES }: SpillStackInit = {}) {
    this.#path = path
    this.#heldBytes = heldBytes
  }

  /** Where the next value will be, for `from` and `truncate`. */
  get end (): number {
    return this.#spilled + this.#heldLength
  }

  async push (value: T): Promise<void> {
    const bytes = serialize(value)
    const needed = LENGTH_BYTES + bytes.byteLength

    if (this.#heldLength + needed > this.#heldBytes) {
      await this.#spill()
    }

    this.#makeRoom(needed)
    this.#held.writeUInt32LE(bytes.byteLength, this.#heldLength)
    this.#held.set(bytes, this.#heldLength + LENGTH_BYTES)
    this.#heldLength += needed
  }

  /**
   * The values from a position to the end. Whoever pushes others meanwhile takes them off
   * before the next value.
   */
  async * from (position: number): AsyncGenerator<T> {
    const { end } = this

    for (let at = position; at < end;) {
      const length = (await this.#bytes(at, LENGTH_BYTES)).readUInt32LE()
      const bytes = await this.#bytes(at + LENGTH_BYTES, length)
      at += LENGTH_BYTES + length
      // these are our own bytes: nobody else has the file
      yield deserialize(bytes) as T
    }
  }

  /** Take off all values from a position on. */
  truncate (position: number): void {
    this.#heldLength = Math.max(0, position - this.#spilled)

    if (position < this.#spilled) {
      this.#spilled = position
      this.#read = { start: 0, bytes: NOTHING }
    }
  }

  /** Delete the file, if there is one. */
  async close (): Promise<void> {
    if (this.#file != null) {
      await this.#file.close()
      await rm(this.#path, { force: true })
    }
  }

  async #spill (): Promise<void> {
    this.#file ??= await this.#open()

    for (let done = 0; done < this.#heldLength;) {
      done += (await this.#file.write(this.#held, done, this.#heldLength - done, this.#spilled + done)).bytesWritten
    }

    this.#spilled += this.#heldLength
    this.#heldLength = 0
  }

  async #open (): Promise<FileHandle> {
    const file = await open(this.#path, 'wx+', 0o600)
    // so that a kill leaves nothing; Windows deletes no file that is open, `close` does
    await rm(this.#path, { force: true }).catch(() => {})

    return file
  }

  #makeRoom (needed: number): void {
    const length = this.#heldLength + needed

    if (length > this.#held.byteLength) {
      const held = Buffer.alloc(Math.max(length, Math.min(this.#held.byteLength * 2, this.#heldBytes)))
      this.#held.copy(held, 0, 0, this.#heldLength)
      this.#held = held
    }
  }

  /** Bytes of one length or one value, which are all in the file or all in memory. */
  async #bytes (position: number, length: number): Promise<Buffer> {
    if (position >= this.#spilled) {
      const start = position - this.#spilled

      // a copy: what comes of it must not change with the next push
      return Buffer.from(this.#held.subarray(start, start + length))
    }

    const { start, bytes } = this.#read

    if (position < start || position + length > start + bytes.byteLength) {
      this.#read = { start: position, bytes: await this.#readFile(position, Math.min(Math.max(length, READ_BYTES), this.#spilled - position)) }
    }

    const offset = position - this.#read.start

    return this.#read.bytes.subarray(offset, offset + length)
  }

  async #readFile (position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)

    for (let done = 0; done < length;) {
      const { bytesRead = 0 } = await this.#file?.read(bytes, done, length - done, position + done) ?? {}

      if (bytesRead === 0) {
        throw new Error(`${this.#path} ended before what was written to it`)
      }

      done += bytesRead
    }

    return bytes
  }
}
