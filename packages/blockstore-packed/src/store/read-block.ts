import { messageOf } from '@ipfsz/utils/message-of'
import { GetFailedError, NotFoundError } from 'interface-store'
import { codeOf } from '../disk/disk.ts'
import { keyOf } from '../format/key.ts'
import { withCause } from './with-cause.ts'
import type { StoreParts } from './store-parts.ts'
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
  { queue, view, reader }: StoreParts,
  cid: CID,
  signal?: AbortSignal | null
): Promise<Uint8Array> {
  const key = keyOf(cid.multihash)
  const { bytes: multihash } = cid.multihash
  let cause: unknown

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
