import { createCipheriv } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { longText } from '../../test/support/data.ts'

/** The smallest file, in bytes. */
const MIN_SIZE = 1024
/** Multiples of it, modulo 1, lie evenly: so every batch has files of all sizes. */
const GOLDEN = (Math.sqrt(5) - 1) / 2
/** How much text files are cut from, 32 MiB. */
const TEXT_SIZE = 32 * 1024 * 1024
/** A large prime, so that files that follow each other begin at distant places of the text. */
const STRIDE = 15_485_863
/** Files in one directory. */
const FILES_PER_DIRECTORY = 100

export interface ContentInit {
  files: number
  /** Of all files together, in bytes. What the files have differs from it by a few percent. */
  size: number
  /** An integer from 1 to 2^31 - 1. */
  seed: number
}

/** A file of a tree, and what is in it. */
export interface ContentFile {
  /** Below the tree, with slashes. */
  name: string
  bytes: Uint8Array
}

/**
 * Generated files, the same for the same seed: half of them text, which compresses, and half of them noise. There are
 * many small files and few large ones: their sizes have a Pareto distribution with a shape of 1/2, which begins at
 * 1 KiB. Its largest value is chosen so that the mean is that of the options: of such a distribution that is the
 * geometric mean of both ends. A mean of 100 KiB makes files of up to 10 MiB.
 */
export class Content {
  readonly #text: Uint8Array
  readonly #seed: number
  readonly #files: number
  readonly #maxSize: number

  constructor ({ files, size, seed }: ContentInit) {
    this.#files = files
    this.#seed = seed
    this.#maxSize = Math.max(MIN_SIZE, Math.floor((size / files) ** 2 / MIN_SIZE))
    this.#text = longText(Math.max(TEXT_SIZE, 2 * this.#maxSize), seed)
  }

  /** The files from one number up to, but not including, another one. */
  * files (from: number, to: number): Generator<ContentFile> {
    for (let i = from; i < Math.min(to, this.#files); i++) {
      const size = this.#sizeOf(i)
      const isText = i % 2 === 0

      yield {
        name: `${Math.floor(i / FILES_PER_DIRECTORY)}/${i}.${isText ? 'txt' : 'bin'}`,
        bytes: isText ? this.#textOf(i, size) : this.#noiseOf(i, size)
      }
    }
  }

  /** Write files into a directory. @returns how many there are, and their bytes */
  async write (directory: string, from: number, to: number): Promise<{ files: number, size: number }> {
    let [files, size, parent] = [0, 0, '']

    for (const { name, bytes } of this.files(from, to)) {
      const path = join(directory, name)

      if (parent !== join(path, '..')) {
        parent = join(path, '..')
        await mkdir(parent, { recursive: true })
      }

      await writeFile(path, bytes)
      files++
      size += bytes.byteLength
    }

    return { files, size }
  }

  #sizeOf (i: number): number {
    const part = (i + 1) * GOLDEN % 1

    return Math.floor(MIN_SIZE / (1 - part * (1 - Math.sqrt(MIN_SIZE / this.#maxSize))) ** 2)
  }

  #textOf (i: number, size: number): Uint8Array {
    const start = i * STRIDE % (this.#text.byteLength - size)
    const bytes = this.#text.slice(start, start + size)
    // no two files are the same
    bytes.set(Buffer.from(`file ${i} of ${this.#seed}\n`))

    return bytes
  }

  /** The key stream of a cipher: no generator in JavaScript makes gigabytes in reasonable time. */
  #noiseOf (i: number, size: number): Uint8Array {
    const [key, iv] = [Buffer.alloc(16), Buffer.alloc(16)]
    key.writeUInt32BE(this.#seed)
    iv.writeUInt32BE(i)

    return createCipheriv('aes-128-ctr', key, iv).update(new Uint8Array(size))
  }
}
