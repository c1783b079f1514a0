import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { removeFile } from '@ipfsz/utils/while-open'
import { withPath } from './target-errors.ts'
import type { FileHandle } from 'node:fs/promises'

/** How many bytes are held in memory before they all go to the file. */
const HELD_BYTES = 4 * 1024 * 1024
/** How many bytes are read from the file at once. */
const READ_BYTES = 64 * 1024
/** The size in bytes of the length before each value, and after it. */
const LENGTH_BYTES = 4

const NOTHING = Buffer.alloc(0)

export interface SpillStackInit {
  /**
   * How many bytes are held in memory.
   *
   * @default 4194304
   */
  heldBytes?: number
}

/**
 * A stack for any number of values that takes a few MiB of memory. Larger stacks spill into a file, which is created
 * when it is first needed.
 */
export class SpillStack<T> {
  readonly #path: string
  readonly #heldBytes: number
  #file: FileHandle | undefined
  /** Bytes in the file. Everything pushed later is in memory. */
  #spilled = 0
  #held: Buffer = NOTHING
  #heldLength = 0
  /** The bytes last read from the file, and their position. */
  #read: { start: number, bytes: Buffer } = { start: 0, bytes: NOTHING }

  /**
   * @param path - where to create the file; nothing may exist there
   */
  constructor (path: string, { heldBytes = HELD_BYTES }: SpillStackInit = {}) {
    this.#path = path
    this.#heldBytes = heldBytes
  }

  /** The position of the next value, for `from` and `truncate`. */
  get end (): number {
    return this.#spilled + this.#heldLength
  }

  async push (value: T): Promise<void> {
    const bytes = serialize(value)
    const needed = 2 * LENGTH_BYTES + bytes.byteLength

    if (this.#heldLength + needed > this.#heldBytes) {
      await this.#spill()
    }

    this.#makeRoom(needed)
    this.#held.writeUInt32LE(bytes.byteLength, this.#heldLength)
    this.#held.set(bytes, this.#heldLength + LENGTH_BYTES)
    this.#held.writeUInt32LE(bytes.byteLength, this.#heldLength + needed - LENGTH_BYTES)
    this.#heldLength += needed
  }

  /**
   * The values from a position to the current end. A caller that pushes values while iterating must truncate them
   * before it asks for the next one.
   */
  async * from (position: number): AsyncGenerator<T> {
    const { end } = this

    for (let at = position; at < end;) {
      const length = (await this.#bytes(at, LENGTH_BYTES)).readUInt32LE()
      const bytes = await this.#bytes(at + LENGTH_BYTES, length)
      at += length + 2 * LENGTH_BYTES
      // safe to deserialize: no other process has the file
      yield deserialize(bytes) as T
    }
  }

  /** Remove the value that was pushed last. */
  async pop (): Promise<T | undefined> {
    const { end } = this

    if (end === 0) {
      return undefined
    }

    const length = (await this.#bytes(end - LENGTH_BYTES, LENGTH_BYTES, 'before')).readUInt32LE()
    const start = end - length - 2 * LENGTH_BYTES
    const bytes = await this.#bytes(start + LENGTH_BYTES, length, 'before')
    this.truncate(start)

    return deserialize(bytes) as T
  }

  /** Remove all values from a position on. */
  truncate (position: number): void {
    this.#heldLength = Math.max(0, position - this.#spilled)

    if (position < this.#spilled) {
      const { start, bytes } = this.#read
      this.#spilled = position
      // what is pushed next may take the place of what was read after it
      this.#read = { start, bytes: bytes.subarray(0, Math.max(0, position - start)) }
    }
  }

  /** Delete the file, if there is one. */
  async close (): Promise<void> {
    if (this.#file != null) {
      await this.#file.close()
      await removeFile(this.#path)
    }
  }

  async #spill (): Promise<void> {
    this.#file ??= await this.#open()

    for (let done = 0; done < this.#heldLength;) {
      const { bytesWritten } = await this.#file.write(this.#held, done, this.#heldLength - done, this.#spilled + done)
        .catch((err: unknown) => { throw withPath(err, dirname(this.#path)) })
      done += bytesWritten
    }

    this.#spilled += this.#heldLength
    this.#heldLength = 0
  }

  async #open (): Promise<FileHandle> {
    const file = await open(this.#path, 'wx+', 0o600)
    // unlinked now, so that a kill leaves nothing; Windows cannot delete an open file: there `close` does
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

  /**
   * Read a length or a value, which lies either all in the file or all in memory.
   *
   * @param ahead - what is read next: what lies before it, or after it
   */
  async #bytes (position: number, length: number, ahead: 'before' | 'after' = 'after'): Promise<Buffer> {
    if (position >= this.#spilled) {
      const start = position - this.#spilled

      // a copy: the next push may overwrite these bytes
      return Buffer.from(this.#held.subarray(start, start + length))
    }

    const { start, bytes } = this.#read

    if (position < start || position + length > start + bytes.byteLength) {
      const most = Math.max(length, READ_BYTES)
      const first = ahead === 'before' ? Math.max(0, position + length - most) : position
      const last = ahead === 'before' ? position + length : Math.min(position + most, this.#spilled)

      this.#read = { start: first, bytes: await this.#readFile(first, last - first) }
    }

    const offset = position - this.#read.start

    return this.#read.bytes.subarray(offset, offset + length)
  }

  async #readFile (position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)

    for (let done = 0; done < length;) {
      const { bytesRead = 0 } = await this.#file?.read(bytes, done, length - done, position + done) ?? {}

      if (bytesRead === 0) {
        throw new Error(
          `the temporary file ${this.#path} ends at byte ${position + done}, before the last byte written to it`
        )
      }

      done += bytesRead
    }

    return bytes
  }
}
