import { passInTurns, readInTurns } from '../memory/turns.ts'
import type { ResponseContext } from './context.ts'
import type { ByteRange } from '../request/range.ts'
import type { StoredFile } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

const MIB = 1024 * 1024

/** What a reader of blocks of 1 MiB holds: those that it reads ahead, or if memory is short the next one. */
const BLOCKS_MEMORY = 10 * MIB
const SHORT_BLOCKS_MEMORY = 2 * MIB

/** What a reader of a compressed file holds that cannot be read from any byte on: 8 MiB and what it reads ahead. */
const STREAM_MEMORY = 16 * MIB

/** How many frames a reader of original bytes holds, with what they are decompressed from. */
const FRAMES = 3
const SHORT_FRAMES = 1

/** Files of this many bytes and fewer do not count, 64 KiB. */
export const UNCOUNTED = 64 * 1024

export interface ReadFile {
  cid: CID
  /** Original bytes. Undefined: known only at the end of a stream that another tool compressed. */
  size: number | undefined
  isCompressed: boolean
}

/**
 * The original bytes of a file, or a range of them, within the memory of all responses.
 *
 * @param unneeded - aborted when nobody waits for the bytes any more
 */
export async function * readFile (
  { components: { fs }, init: { memory } }: Pick<ResponseContext, 'components' | 'init'>,
  { cid, size, isCompressed }: ReadFile,
  unneeded: AbortController,
  range?: ByteRange
): AsyncGenerator<Uint8Array> {
  const { signal } = unneeded
  const { start, end } = range ?? { start: 0, end: size }
  const options = { signal, ...range == null ? {} : { offset: range.start, length: range.end - range.start } }
  const stored = isCompressed ? await fs.storedFile(cid, { signal }) : undefined

  const canResume = end != null && (stored != null || !isCompressed)
  const frame = stored == null ? 0 : frameMemory(stored)
  const endOfFrame = stored == null ? undefined : frameEnds(stored)

  if (!canResume) {
    yield * passInTurns(fs.cat(cid, options), STREAM_MEMORY, memory, unneeded)
  } else if (Math.max(end - start, frame) <= UNCOUNTED) {
    for await (const bytes of fs.cat(cid, options)) {
      // a part of a block would keep all of it
      yield bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes
    }
  } else {
    yield * readInTurns({
      size: end - start,
      memory: isShort => stored == null
        ? blocksMemory(isShort, end - start)
        : frame * (isShort ? SHORT_FRAMES : FRAMES),
      open: (offset, isShort, signal) => {
        const at = start + offset
        const until = isShort ? endOfFrame?.(at) ?? end : end

        return fs.cat(cid, {
          signal,
          offset: at,
          length: Math.min(until, end) - at,
          ...isShort ? { blockReadConcurrency: 1 } : {}
        })
      }
    }, memory, signal)
  }
}

/** The frames of a file as they are stored, within the memory of all responses. */
export function readStored (
  { init: { memory } }: Pick<ResponseContext, 'init'>,
  { frames, length }: StoredFile,
  signal: AbortSignal
): AsyncIterable<Uint8Array> {
  return length <= UNCOUNTED
    ? frames({ signal })
    : readInTurns({
      size: length,
      memory: isShort => blocksMemory(isShort, length),
      open: (offset, isShort, signal) => frames({ signal, offset, ...isShort ? { blockReadConcurrency: 1 } : {} })
    }, memory, signal)
}

/** Says where the frame ends that holds a byte. To be asked in ascending order. */
function frameEnds ({ frameSize, frameSizes }: StoredFile): (at: number) => number {
  if (frameSizes == null) {
    return at => at - at % frameSize + frameSize
  }

  let frame = 0
  let end = frameSizes[0]

  return at => {
    while (end <= at) {
      end += frameSizes[++frame]
    }

    return end
  }
}

function frameMemory ({ size, frameSize, length, frameLengths }: StoredFile): number {
  return Math.min(size, frameSize) + Math.ceil(length / Math.max(frameLengths.length, 1))
}

function blocksMemory (isShort: boolean, length: number): number {
  return Math.min(isShort ? SHORT_BLOCKS_MEMORY : BLOCKS_MEMORY, length)
}
