import { hash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress, zstdDecompressSync } from 'node:zlib'

const open = promisify(fs.open)
const write = promisify(fs.write)
const close = promisify(fs.close)
const rename = promisify(fs.rename)

/** The default level of a CompressedBlockstore. */
const LEVEL = 3

/** A block that would shrink by less than this part is stored plain, as in a CompressedBlockstore. */
const MIN_GAIN = 0.05

interface Block {
  readonly bytes: Uint8Array
}

/** The stored bytes of a block. */
export interface Frame {
  bytes: Uint8Array
  isCompressed: boolean
}

/** Compress a block, and nothing else. */
export async function compressAlone ({ bytes }: Block): Promise<Frame> {
  const { byteLength } = bytes
  const frame = await promisify(zstdCompress)(bytes, {
    chunkSize: Math.max(64, byteLength >> 1),
    pledgedSrcSize: byteLength,
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL }
  })

  return frame.byteLength > byteLength * (1 - MIN_GAIN)
    ? { bytes, isCompressed: false }
    : { bytes: frame, isCompressed: true }
}

/**
 * Decompress a frame.
 *
 * @param isAlone - whether no other block is read meanwhile. Reaching another thread and back would only take time then
 */
export async function decompress (frame: Uint8Array, size: number, isAlone: boolean): Promise<Uint8Array> {
  // one byte more than the block, otherwise zlib needs another call to see that it is done
  const options = { chunkSize: size + 1, maxOutputLength: size }

  return isAlone ? zstdDecompressSync(frame, options) : promisify(zstdDecompress)(frame, options)
}

/**
 * Decompress a block if it is compressed, and hash it: on this thread, also while others decompress. WebCrypto copies
 * what it hashes, which took a tenth more processor time, and this thread is busy for less than half of the time.
 */
export async function decompressAlone (
  { bytes, isCompressed }: Frame,
  size: number,
  isAlone: boolean
): Promise<Uint8Array> {
  const block = isCompressed ? await decompress(bytes, size, isAlone) : bytes
  hash('sha256', block, 'buffer')

  return block
}

/** Decompress a frame that nobody else has, and free its memory. A block that is stored plain is its own frame. */
export async function consumeAlone (frame: Frame, size: number, isAlone: boolean): Promise<Uint8Array> {
  const block = await decompressAlone(frame, size, isAlone)

  if (frame.isCompressed) {
    free(frame.bytes)
  }

  return block
}

/** Free memory at once: collecting it as garbage would take part of the time. Not if it has other bytes too. */
export function free ({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    buffer.transfer(0)
  }
}

/** Blocks as frames in memory. */
export class FrameMemory {
  readonly #frames = new Map<Block, Frame>()

  async put (block: Block): Promise<void> {
    this.#frames.set(block, await compressAlone(block))
  }

  async get (block: Block, isAlone: boolean): Promise<Uint8Array> {
    return decompressAlone(this.#frames.get(block) as Frame, block.bytes.byteLength, isAlone)
  }
}

/** Blocks as files of frames, without anything that could be left out: every call of the system is needed. */
export class FrameFiles {
  readonly #directory: string
  readonly #files = new Map<Block, { path: string, length: number, isCompressed: boolean }>()

  /** @param directory - an empty one */
  constructor (directory: string) {
    this.#directory = directory
  }

  async put (block: Block): Promise<void> {
    const { bytes, isCompressed } = await compressAlone(block)
    const path = join(this.#directory, String(this.#files.size))
    this.#files.set(block, { path, length: bytes.byteLength, isCompressed })
    const file = await open(`${path}.tmp`, 'w')
    await write(file, bytes)
    await close(file)
    await rename(`${path}.tmp`, path)
  }

  async get (block: Block, isAlone: boolean): Promise<Uint8Array> {
    const { path, length, isCompressed } = this.#files.get(block) ?? { path: '', length: 0, isCompressed: false }
    const bytes = Buffer.allocUnsafeSlow(length)
    // on this thread: calls in the thread pool would wait behind the work of the codec
    const file = fs.openSync(path, 'r')
    fs.readSync(file, bytes)
    fs.closeSync(file)

    return consumeAlone({ bytes, isCompressed }, block.bytes.byteLength, isAlone)
  }

  /** Stored bytes / bytes of the blocks. */
  get ratio (): number {
    const files = [...this.#files]

    return files.reduce((sum, [, { length }]) => sum + length, 0) /
      files.reduce((sum, [{ bytes }]) => sum + bytes.byteLength, 0)
  }
}
