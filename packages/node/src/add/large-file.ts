import { closeSync, fstatSync, readSync } from 'node:fs'
import { isAt } from '@ipfsz/utils/open-regular-file'
import { identityOf } from '../disk/file-identity.ts'
import { openToRead } from './read-small-files.ts'
import type { LargeFileEnd } from './small-files-protocol.ts'
import type { EncodedBlock, Metadata, SmallFileEncoder } from '@ipfsz/core/small-files'

/** How many bytes of blocks are sent together, 2 MiB: as many as the largest block of any kind may have. */
const STEP_SIZE = 2 * 1024 * 1024

/** Memory of files that came to their end. */
const free: Buffer[] = []

/** What came of a file in a step. */
export interface LargeFileStep {
  /** In memory that the next step uses again. */
  blocks: EncodedBlock[]
  /** How many bytes were read. */
  read: number
  end: LargeFileEnd | undefined
}

/** Encodes a large file in steps, on the calling thread. It waits between them. */
export class LargeFile {
  readonly #memory = free.pop() ?? Buffer.allocUnsafeSlow(STEP_SIZE)
  #blocks: EncodedBlock[] = []
  #size = 0
  #read = 0
  #isComplete = false
  #end: LargeFileEnd | undefined
  /** Resolves when a step is complete. */
  #ready = Promise.withResolvers<void>()
  /** Resolves with the beginning of the next one. */
  #next = Promise.withResolvers<void>()

  /** Begin with the first step. */
  constructor (path: string, metadata: Metadata | undefined, encoder: SmallFileEncoder | undefined) {
    void this.#run(path, metadata, encoder)
  }

  /** Resolves when a step is complete. */
  async step (): Promise<LargeFileStep> {
    await this.#ready.promise
    // what is read before the next step begins counts there
    const read = this.#read
    this.#read = 0

    return { blocks: this.#blocks, read, end: this.#end }
  }

  /** Begin the next step. */
  goOn (): void {
    this.#blocks = []
    this.#size = 0
    this.#isComplete = false
    this.#ready = Promise.withResolvers()
    const next = this.#next
    this.#next = Promise.withResolvers()
    next.resolve()
  }

  /** To be called when the last blocks were taken. */
  close (): void {
    free.push(this.#memory)
  }

  async #run (path: string, metadata: Metadata | undefined, encoder: SmallFileEncoder | undefined): Promise<void> {
    this.#end = await this.#encode(path, metadata, encoder)
    this.#ready.resolve()
  }

  /** Never rejects: the ordinary way reports whatever is wrong. */
  async #encode (
    path: string,
    metadata: Metadata = {},
    encoder: SmallFileEncoder | undefined
  ): Promise<LargeFileEnd> {
    let opened: number | undefined

    try {
      const fd = opened = openToRead(path)
      const stats = fstatSync(fd, { bigint: true })
      const isFile = stats.isFile() && isAt(path, stats)
      const encoded = isFile
        ? await encoder?.encodeLarge(target => this.#fill(fd, target), metadata, async block => this.#put(block))
        : undefined

      return { encoded, identity: BigInt64Array.from(identityOf(fstatSync(fd, { bigint: true }))) }
    } catch {
      return { encoded: undefined, identity: new BigInt64Array(0) }
    } finally {
      if (opened != null) {
        closeSync(opened)
      }
    }
  }

  #fill (fd: number, target: Uint8Array): number {
    const length = readSync(fd, target)
    this.#read += length

    return length
  }

  async #put ({ cid, bytes }: EncodedBlock): Promise<void> {
    while (this.#isComplete || this.#size + bytes.byteLength > STEP_SIZE) {
      // a smaller block might fit, but the others are listed already
      this.#isComplete = true
      this.#ready.resolve()
      await this.#next.promise
    }

    const start = this.#size
    this.#size += bytes.byteLength
    this.#memory.set(bytes, start)
    this.#blocks.push({ cid, bytes: this.#memory.subarray(start, this.#size) })
  }
}
