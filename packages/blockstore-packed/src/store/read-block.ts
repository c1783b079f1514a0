import { freeBlock } from '@ipfsz/utils/free-bytes'
import { settle, unwrap } from '@ipfsz/utils/map-ordered'
import { messageOf } from '@ipfsz/utils/message-of'
import { GetFailedError, NotFoundError } from 'interface-store'
import { codeOf } from '../disk/disk.ts'
import { DamagedPackError } from '../errors.ts'
import { comparePlaces } from '../format/entry.ts'
import { keyOf } from '../format/key.ts'
import { checkBlock } from './check-block.ts'
import { lookUp } from './look-up.ts'
import { withCause } from './with-cause.ts'
import type { StoreParts } from './store-parts.ts'
import type { Row } from '../format/entry.ts'
import type { Settled } from '@ipfsz/utils/map-ordered'
import type { CID } from 'multiformats/cid'

/** How often a block is looked up again because its pack was repacked meanwhile. */
const MAX_LOOKS = 8

/**
 * Read a block from memory or from a pack.
 *
 * @param known - where it was a moment ago
 * @throws {NotFoundError}
 * @throws {GetFailedError} the block is damaged, or its pack cannot be read
 */
export async function readBlock (
  { queue, view, reader, breaks, verify }: StoreParts,
  cid: CID,
  signal?: AbortSignal | null,
  known?: Row[]
): Promise<Uint8Array> {
  const key = keyOf(cid.multihash)
  const { bytes: multihash } = cid.multihash
  let cause: unknown

  if (breaks.isDue()) {
    await breaks.take()
  }

  if (!view.isKnown) {
    await view.refresh()
  }

  for (let look = 0; look < MAX_LOOKS; look++) {
    const pending = queue.get(key)

    if (pending != null) {
      // a copy: the caller may free the memory of what it read
      return new Uint8Array(pending)
    }

    let isGone = false

    const rows = (look === 0 ? known : undefined) ?? await view.find(key)

    for (const row of rows) {
      signal?.throwIfAborted()

      try {
        const bytes = await reader.read(row, multihash)

        if ((verify || rows.length > 1) && checkBlock(cid, bytes) === false) {
          throw new DamagedPackError(row.pack, row.frame, 'the block has another hash')
        }

        return bytes
      } catch (err) {
        // repacked: the block is in another pack now
        isGone ||= codeOf(err) === 'ENOENT'
        cause = err
      }
    }

    signal?.throwIfAborted()

    if (isGone) {
      await view.lookAgain()
    } else if (cause != null || view.isFresh()) {
      break
    } else {
      await view.refresh()
    }
  }

  // the block may be in a pack that cannot be read
  cause ??= view.errors.values().next().value

  throw cause == null || codeOf(cause) === 'ENOENT'
    ? new NotFoundError(`The block ${cid} was not found`)
    : withCause(new GetFailedError(`Could not read the block ${cid}: ${messageOf(cause)}`), cause)
}

/** Blocks that are looked up together, and bytes of those that are read in the order of the packs. */
const LOOKED_UP = 4096
const WINDOW_SIZE = 8 * 1024 * 1024

interface Wanted {
  cid: CID
  rows: Row[]
  /** The bytes, or why there are none. */
  read?: Settled<Uint8Array>
}

/** Read blocks, in the order in which they are asked for: those of a window in the order of the packs. */
export async function * readMany (
  parts: StoreParts,
  cids: readonly CID[],
  signal?: AbortSignal | null
): AsyncGenerator<{ cid: CID, bytes: Uint8Array }> {
  await parts.view.refresh()

  for (let start = 0; start < cids.length; start += LOOKED_UP) {
    const wanted = cids.slice(start, start + LOOKED_UP)
    const found = await lookUp(wanted.map(({ multihash }) => keyOf(multihash)), key => parts.view.find(key))

    for (const window of windows(wanted.map((cid, i) => ({ cid, rows: found[i] })))) {
      yield * readWindow(parts, window, signal)
    }
  }
}

async function * readWindow (
  parts: StoreParts,
  window: Wanted[],
  signal: AbortSignal | null | undefined
): AsyncGenerator<{ cid: CID, bytes: Uint8Array }> {
  for (const wanted of window.toSorted((a, b) => comparePlaces(a.rows[0], b.rows[0]))) {
    signal?.throwIfAborted()
    wanted.read = await settle(async ({ cid, rows }) => readBlock(parts, cid, signal, rows), wanted)
  }

  for (const { cid, read } of window) {
    yield { cid, bytes: unwrap(read as Settled<Uint8Array>) }
  }
}

function * windows (wanted: readonly Wanted[]): Generator<Wanted[]> {
  let size = 0
  let start = 0

  for (const [i, { rows: [row] }] of wanted.entries()) {
    size += row?.length ?? 0

    if (size >= WINDOW_SIZE || i === wanted.length - 1) {
      yield wanted.slice(start, i + 1)
      start = i + 1
      size = 0
    }
  }
}

/** Read blocks in the order of the packs, one at a time. What cannot be read is left out. */
export async function readEach (
  parts: StoreParts,
  cids: readonly CID[],
  use: (bytes: Uint8Array, index: number) => void,
  signal?: AbortSignal | null
): Promise<void> {
  await parts.view.refresh()
  const found = await lookUp(cids.map(({ multihash }) => keyOf(multihash)), key => parts.view.find(key), parts.breaks)

  for (const i of cids.map((_, i) => i).toSorted((a, b) => comparePlaces(found[a][0], found[b][0]))) {
    const read = readSoon(parts, cids[i], found[i], signal)
    const block = read instanceof Promise ? await read.catch(() => undefined) : read
    signal?.throwIfAborted()

    if (block != null) {
      use(block, i)
    }

    if (block != null && read instanceof Promise) {
      freeBlock(block)
    }
  }
}

/** Read a block. Most are small: without a promise, into memory that is used again. */
function readSoon (
  parts: StoreParts,
  cid: CID,
  rows: Row[],
  signal: AbortSignal | null | undefined
): Uint8Array | Promise<Uint8Array> {
  const { reader, breaks, verify } = parts
  const readAgain = async (): Promise<Uint8Array> => readBlock(parts, cid, signal, rows)

  if (rows.length !== 1 || verify || breaks.isDue()) {
    return readAgain()
  }

  try {
    const read = reader.read(rows[0], cid.multihash.bytes, false)

    return read instanceof Promise ? read.catch(readAgain) : read
  } catch {
    // it was repacked, perhaps
    return readAgain()
  }
}
