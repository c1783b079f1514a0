import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The bytes of all blocks below some roots, including bases, for a progress bar, as far as the roots state them. */
export async function storedSize (
  roots: readonly CID[],
  files: Pick<Ipfsz, 'stat'>,
  signal: AbortSignal
): Promise<number> {
  let total = 0

  for (const root of roots) {
    // whoever reads the blocks reports the error
    total += await files.stat(root, { extended: true, offline: true, signal }).then(
      ({ fetchSize }) => Number(fetchSize),
      () => 0
    )
    signal.throwIfAborted()
  }

  return total
}
