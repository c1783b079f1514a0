import { copyPart } from '../memory/copy-part.ts'
import { readInTurns } from '../memory/read-in-turns.ts'
import { readStream } from './read-stream.ts'
import type { ResponseContext } from './context.ts'
import type { OpenOptions } from '../memory/reading.ts'
import type { Memory } from '../memory/client-memory.ts'
import type { ByteRange } from '../request/range.ts'
import type { OpenedFile } from '../resolve/opened-file.ts'
import type { FileReadOptions, ReadCost, StoredFile } from '@ipfsz/core'

const MIB = 1024 * 1024

/** What a reader of blocks of 1 MiB holds: those that it reads ahead, or if memory is short the next one. */
const BLOCKS: ReadCost = { isSeekable: true, hasRanges: true, memory: 2 * MIB, memoryAhead: 10 * MIB }

/** Files of this many bytes and fewer do not count, 64 KiB. */
export const UNCOUNTED = 64 * 1024

export interface ReadFile {
  file: OpenedFile
  /** Original bytes. Undefined: known only at the end of a stream that another tool compressed. */
  size: number | undefined
  isCompressed: boolean
  /** Whether more is read of it at once. Otherwise it is closed at the end. */
  keepsOpen?: boolean
}

/**
 * The original bytes of a file, or a range of them, within the memory of all responses.
 *
 * @param unneeded - aborted when nobody waits for the bytes any more
 */
export async function * readFile (
  { init: { memory } }: Pick<ResponseContext, 'init'>,
  { file, size, isCompressed, keepsOpen }: ReadFile,
  unneeded: AbortController,
  range?: ByteRange
): AsyncGenerator<Uint8Array> {
  const { signal } = unneeded
  const { start, end } = range ?? { start: 0, end: size }
  const cost = isCompressed ? await (await file.open(signal)).readCost({ signal }) : BLOCKS
  const options = range == null ? {} : { offset: range.start, length: range.end - range.start }
  // what is read without reading ahead is copied
  const read = (options: FileReadOptions & OpenOptions): AsyncIterable<Uint8Array> =>
    file.read({ ...options, keepsOpen, transient: !options.readAhead })

  if (end == null || !cost.isSeekable) {
    closeIfShort(file, memory)
    const source = {
      memory: cost.memory,
      memoryAhead: cost.memoryAhead,
      offset: start,
      length: range == null ? undefined : range.end - range.start,
      hasRanges: cost.hasRanges,
      open: (from: Pick<FileReadOptions, 'offset' | 'length'>, how: OpenOptions) => read({ ...from, ...how })
    }

    yield * readStream(source, memory, unneeded)
  } else if (Math.max(end - start, isCompressed ? cost.memory : 0) <= UNCOUNTED) {
    yield * await copiesOf(file.read({ ...options, keepsOpen, signal }))
  } else {
    const source = {
      size: end - start,
      ...isCompressed ? cost : blocksCost(end - start),
      open: (offset: number, how: OpenOptions) =>
        read({ offset: start + offset, length: end - start - offset, ...how })
    }

    if (source.size <= UNCOUNTED) {
      closeIfShort(file, memory.ofSmall)
      // all of it is read before any is sent: it takes no memory while the client does not read
      // one frame, or a block, whose parts are read at the same time: each may wait in line for a busy disk
      const ahead = source.memory * 2
      yield * await copiesOf(readInTurns({ ...source, memory: ahead, memoryAhead: ahead }, memory.ofSmall, signal))
    } else {
      closeIfShort(file, memory)
      yield * readInTurns(source, memory, signal)
    }
  }
}

/** While a response waits for memory, it holds nothing: the root of a file may be as large as what is read of it. */
export function closeIfShort (file: OpenedFile, memory: Pick<Memory, 'isShort'>): void {
  if (memory.isShort) {
    file.close()
  }
}

async function copiesOf (source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const copies: Uint8Array[] = []

  for await (const bytes of source) {
    // a part of a block would keep all of it
    copies.push(bytes.byteLength < bytes.buffer.byteLength ? copyPart(bytes, 0, bytes.byteLength) : bytes)
  }

  return copies
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
      ...blocksCost(length),
      open: (offset, how) => frames({ offset, ...how })
    }, memory, signal)
}

function blocksCost (length: number): Pick<ReadCost, 'memory' | 'memoryAhead'> {
  return { memory: Math.min(BLOCKS.memory, length), memoryAhead: Math.min(BLOCKS.memoryAhead, length) }
}
