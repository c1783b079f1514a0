import { FIRST_OFFSETS, MAX_BLOCK, RAW_BLOCK, RLE_BLOCK } from './zstd-constants.ts'
import { readUint32 } from '../bytes/little-endian.ts'
import { executeSequences } from './zstd-execute.ts'
import { checkZstdFrame, corrupt, visitBlocks } from './zstd-frame.ts'
import { createLiterals, readLiterals } from './zstd-literals.ts'
import { createSequences, readSequencesHeader } from './zstd-sequences.ts'
import { xxh64Low } from '../checksums/xxh64.ts'
import type { Output } from './zstd-execute.ts'
import type { CompressedBlock, Literals } from './zstd-literals.ts'
import type { Sequences } from './zstd-sequences.ts'

/**
 * Decompress one Zstandard frame (RFC 8878) of exactly `size` bytes. Time depends only on the
 * length of the frame, the dictionary and the output, and memory on the dictionary, the output and
 * a block, whatever the frame claims.
 *
 * @throws {CorruptFrameError}
 */
export function decodeZstdFrame (frame: Uint8Array, size: number, dictionary?: Uint8Array): Uint8Array {
  const first = dictionary?.byteLength ?? 0
  const content = decodeZstdFrameInto(new Uint8Array(first + size), frame, { size, dictionary, checksumOf: xxh64Low })

  // a copy, so that the dictionary is not kept in memory with it
  return first === 0 ? content : content.slice()
}

export interface DecodeInit {
  size: number
  dictionary: Uint8Array | undefined
  /** The lower 32 bits of the content's XXH64. */
  checksumOf (content: Uint8Array): number
}

/**
 * Decompress a frame as `decodeZstdFrame` does.
 *
 * @param bytes - room for the dictionary and the output, which is the part of it that is returned. The
 * dictionary is put in front of the output, where matches refer to it like to output. So the loop over
 * sequences needs no branch for it.
 * @throws {CorruptFrameError}
 */
export function decodeZstdFrameInto (
  bytes: Uint8Array,
  frame: Uint8Array,
  { size, dictionary, checksumOf }: DecodeInit
): Uint8Array {
  const { window, length: headerLength, hasChecksum } = checkZstdFrame(frame, size, dictionary)
  const maxBlock = Math.min(window, MAX_BLOCK)
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const first = dictionary?.byteLength ?? 0
  const output: Output = {
    bytes,
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    position: first,
    offsets: Int32Array.from(FIRST_OFFSETS)
  }
  let state: ZstdState | undefined

  if (dictionary != null) {
    bytes.set(dictionary)
  }

  const end = visitBlocks(frame, headerLength, (type, start, length) => {
    if (length > maxBlock) {
      throw corrupt('a block is too long')
    }

    if (type === RAW_BLOCK || type === RLE_BLOCK) {
      copyBlock(output, frame.subarray(start), type, length)
    } else {
      state ??= createState(Math.min(maxBlock, size))
      const limit = Math.min(first + size, output.position + maxBlock)
      decodeBlock(state, output, { frame, view, start, end: start + length, limit })
    }
  })

  if (output.position !== first + size) {
    throw corrupt(`it holds ${output.position - first} bytes instead of ${size}`)
  }

  const content = bytes.subarray(first)

  if (hasChecksum && readUint32(frame, end) !== checksumOf(content)) {
    throw corrupt('its checksum does not match')
  }

  return content
}

/** The state that compressed blocks pass on to the next. */
export interface ZstdState {
  readonly literals: Literals
  readonly sequences: Sequences
}

export function createState (maxLiterals: number): ZstdState {
  return { literals: createLiterals(maxLiterals), sequences: createSequences() }
}

/** Copy the content of a block without compression: `length` bytes, or one byte `length` times (RLE). */
function copyBlock (output: Output, content: Uint8Array, type: number, length: number): void {
  const { bytes, position } = output
  const end = position + length

  if (end > bytes.byteLength) {
    throw corrupt('it decodes to too many bytes')
  }

  if (type === RLE_BLOCK) {
    bytes.fill(content[0], position, end)
  } else {
    bytes.set(content.subarray(0, length), position)
  }

  output.position = end
}

/** Decode a compressed block: literals and sequences (RFC 8878, section 3.1.1.3). */
export function decodeBlock ({ literals, sequences }: ZstdState, output: Output, block: CompressedBlock): void {
  readLiterals(literals, block, block.limit - output.position)
  readSequencesHeader(sequences, { frame: block.frame, start: literals.end, end: block.end })

  if (sequences.count === 0 && sequences.start !== block.end) {
    throw corrupt('other bytes follow the literals of a block')
  }

  executeSequences(sequences, literals, output, block)
}
