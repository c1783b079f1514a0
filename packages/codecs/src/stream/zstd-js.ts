import { readUint32 } from '../format/bytes/little-endian.ts'
import { Xxh64 } from '../format/checksums/xxh64.ts'
import { FIRST_OFFSETS, MAX_BLOCK, RAW_BLOCK, RLE_BLOCK } from '../format/zstd/zstd-constants.ts'
import { createState, decodeBlock } from '../format/zstd/zstd-decode.ts'
import { corrupt } from '../format/zstd/zstd-frame.ts'
import { readZstdBlock, zstdFrames } from './zstd-frames.ts'
import type { ZstdState } from '../format/zstd/zstd-decode.ts'
import type { Output } from '../format/zstd/zstd-execute.ts'
import type { StreamDecoder } from './stream-decoder.ts'
import type { StreamInput } from './stream-input.ts'
import type { ZstdBlock, ZstdFrame } from './zstd-frames.ts'

/** The largest window that the decoder supports, 16 MiB. */
const MAX_WINDOW_SIZE = 16 * 1024 * 1024
const BLOCK_HEADER_LENGTH = 3

export function createStream (): StreamDecoder {
  return async function * (input, { maxWindowSize }) {
    const window = new ZstdWindow()

    for await (const frame of zstdFrames(input, Math.min(maxWindowSize, MAX_WINDOW_SIZE))) {
      window.reset(frame)
      yield * decodeFrame(input, frame, window)
    }
  }
}

async function * decodeFrame (input: StreamInput, frame: ZstdFrame, window: ZstdWindow): AsyncGenerator<Uint8Array> {
  const hash = frame.hasChecksum ? new Xxh64() : undefined
  let size = 0

  for (let isLast = false; !isLast;) {
    const block = await readZstdBlock(input, frame)
    const bytes = window.decode(block)
    isLast = block.isLast
    hash?.update(bytes)
    size += bytes.byteLength
    yield bytes
  }

  if (frame.contentSize != null && frame.contentSize !== size) {
    throw corrupt(`it holds ${size} bytes instead of ${frame.contentSize}`)
  }

  if (hash != null && readUint32(await input.read(4), 0) !== hash.digestLow()) {
    throw corrupt('its checksum does not match')
  }
}

/** Decodes the blocks of a frame, and keeps the window that later blocks may refer to. */
class ZstdWindow {
  /** Reused for all frames: there may be millions of small ones. */
  #output = createOutput(0)
  #state: ZstdState | undefined
  #window = 0

  reset ({ window, contentSize = Number.POSITIVE_INFINITY }: ZstdFrame): void {
    // with this room, the window moves only once for so many bytes, however small blocks are
    const room = Math.max(2 * MAX_BLOCK, window >> 1)
    const size = Math.min(window + room, contentSize)

    if (this.#output.bytes.byteLength < size) {
      this.#output = createOutput(size)
    }

    this.#output.position = 0
    this.#output.offsets.set(FIRST_OFFSETS)
    this.#state = undefined
    this.#window = window
  }

  decode ({ bytes: block, type, length }: ZstdBlock): Uint8Array {
    const output = this.#output
    const maxBlock = Math.min(this.#window, MAX_BLOCK)

    if (output.position + maxBlock > output.bytes.byteLength && output.position > this.#window) {
      output.bytes.copyWithin(0, output.position - this.#window, output.position)
      output.position = this.#window
    }

    const { position } = output
    const limit = Math.min(position + maxBlock, output.bytes.byteLength)

    if (type === RAW_BLOCK || type === RLE_BLOCK) {
      if (position + length > limit) {
        throw corrupt('it decodes to too many bytes')
      }

      if (type === RLE_BLOCK) {
        output.bytes.fill(block[BLOCK_HEADER_LENGTH], position, position + length)
      } else {
        output.bytes.set(block.subarray(BLOCK_HEADER_LENGTH), position)
      }

      output.position += length
    } else {
      const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
      this.#state ??= createState(maxBlock)
      decodeBlock(this.#state, output, {
        frame: block,
        view,
        start: BLOCK_HEADER_LENGTH,
        end: block.byteLength,
        limit
      })
    }

    return output.bytes.slice(position, output.position)
  }
}

function createOutput (size: number): Output {
  const bytes = new Uint8Array(size)

  return { bytes, view: new DataView(bytes.buffer), position: 0, offsets: Int32Array.from(FIRST_OFFSETS) }
}
