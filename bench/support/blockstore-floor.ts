import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'

const open = promisify(fs.open)
const write = promisify(fs.write)
const read = promisify(fs.read) as (file: number, bytes: Uint8Array) => Promise<unknown>
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

/** Decompress a block if it is compressed, and hash it. */
export async function decompressAlone ({ bytes, isCompressed }: Frame, size: number): Promise<Uint8Array> {
  const block = isCompressed
    ? await promisify(zstdDecompress)(bytes, { chunkSize: size + 1, maxOutputLength: size })
    : bytes
  createHash('sha256').update(block).digest()

  return block
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

  async get (block: Block): Promise<Uint8Array> {
    const { path, length, isCompressed } = this.#files.get(block) ?? { path: '', length: 0, isCompressed: false }
    const bytes = Buffer.allocUnsafeSlow(length)
    const file = await open(path, 'r')
    await read(file, bytes)
    await close(file)

    return decompressAlone({ bytes, isCompressed }, block.bytes.byteLength)
  }

  /** Stored bytes / bytes of the blocks. */
  get ratio (): number {
    const files = [...this.#files]

    return files.reduce((sum, [, { length }]) => sum + length, 0) /
      files.reduce((sum, [{ bytes }]) => sum + bytes.byteLength, 0)
  }
}
