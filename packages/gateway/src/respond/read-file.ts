import { readInTurns } from '../memory/read-in-turns.ts'
import { readStream } from './read-stream.ts'
import type { ResponseContext } from './context.ts'
import type { OpenOptions } from '../memory/reading.ts'
import type { ByteRange } from '../request/range.ts'
import type { CatOptions, ReadCost, StoredFile } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

const MIB = 1024 * 1024

/** What a reader of blocks of 1 MiB holds: those that it reads ahead, or if memory is short the next one. */
const BLOCKS: ReadCost = { isSeekable: true, memory: 2 * MIB, memoryAhead: 10 * MIB }

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
  const cost = isCompressed ? await fs.readCost(cid, { signal }) : BLOCKS
  const options = range == null ? {} : { offset: range.start, length: range.end - range.start }
  // what is read without reading ahead is copied
  const read = (options: CatOptions): AsyncIterable<Uint8Array> =>
    fs.cat(cid, { ...options, transient: options.readAhead !== true })

  if (end == null || !cost.isSeekable) {
    const source = {
      memory: cost.memory,
      memoryAhead: cost.memoryAhead,
      offset: start,
      length: range == null ? undefined : range.end - range.start,
      // of an original that has to be compared as a whole, the size is known
      canRestart: size == null || range != null,
      open: (from: Pick<CatOptions, 'offset' | 'length'>, how: OpenOptions) => read({ ...from, ...how })
    }

    yield * readStream(source, memory, unneeded)
  } else if (Math.max(end - start, isCompressed ? cost.memory : 0) <= UNCOUNTED) {
    for await (const bytes of fs.cat(cid, { ...options, signal })) {
      // a part of a block would keep all of it
      yield bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes
    }
  } else {
    const source = {
      size: end - start,
      ...isCompressed ? cost : blocksCost(end - start),
      open: (offset: number, how: OpenOptions) =>
        read({ offset: start + offset, length: end - start - offset, ...how })
    }

    if (source.size <= UNCOUNTED) {
      // all of it is read before any is sent: it takes no memory while the client does not read
      // one frame, or a block, whose parts are read at the same time: each may wait in line for a busy disk
      const ahead = source.memory * 2
      yield * await copiesOf(readInTurns({ ...source, memory: ahead, memoryAhead: ahead }, memory.ofSmall, signal))
    } else {
      yield * readInTurns(source, memory, signal)
    }
  }
}

async function copiesOf (source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const copies: Uint8Array[] = []

  for await (const bytes of source) {
    copies.push(bytes.slice())
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
