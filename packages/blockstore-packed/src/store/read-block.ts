import { settle, unwrap } from '@ipfsz/utils/map-ordered'
import { messageOf } from '@ipfsz/utils/message-of'
import { GetFailedError, NotFoundError } from 'interface-store'
import { codeOf } from '../disk/disk.ts'
import { comparePlaces } from '../format/entry.ts'
import { keyOf } from '../format/key.ts'
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
 * @throws {NotFoundError}
 * @throws {GetFailedError} the block is damaged, or its pack cannot be read
 */
export async function readBlock (
  { queue, view, reader, breaks }: StoreParts,
  cid: CID,
  signal?: AbortSignal | null
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
      return pending
    }

    let isGone = false

    for (const row of await view.find(key)) {
      signal?.throwIfAborted()

      try {
        return await reader.read(row, multihash)
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

/** Blocks, and bytes of blocks, that are read in the order of the packs. */
const WINDOW_BLOCKS = 4096
const WINDOW_SIZE = 8 * 1024 * 1024

interface Wanted {
  cid: CID
  row: Row | undefined
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

  for (let start = 0; start < cids.length;) {
    const window = await findWindow(parts, cids, start)

    for (const wanted of window.toSorted((a, b) => comparePlaces(a.row, b.row))) {
      signal?.throwIfAborted()
      wanted.read = await settle(async cid => readBlock(parts, cid, signal), wanted.cid)
    }

    for (const { cid, read } of window) {
      yield { cid, bytes: unwrap(read as Settled<Uint8Array>) }
    }

    start += window.length
  }
}

async function findWindow ({ view }: StoreParts, cids: readonly CID[], start: number): Promise<Wanted[]> {
  const window: Wanted[] = []

  for (let size = 0; size < WINDOW_SIZE && window.length < WINDOW_BLOCKS && start + window.length < cids.length;) {
    const cid = cids[start + window.length]
    const rows = view.find(keyOf(cid.multihash))
    const [row] = rows instanceof Promise ? await rows : rows
    window.push({ cid, row })
    size += row?.length ?? 0
  }

  return window
}
