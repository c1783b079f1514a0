import { blockFileReader } from '@ipfsz/utils/block-file-reader'
import { checkBlock } from './hashes.ts'
import type { CID } from 'multiformats/cid'

type ReadCheckedFile = (
  cid: CID,
  options: { signal?: AbortSignal | null | undefined },
  isBusy: boolean
) => Promise<Uint8Array | undefined>

/**
 * Reads the files of a blockstore around it, where that is possible and saves time: see `blockFileReader`. Only the
 * hash tells whether a file is the block.
 *
 * @returns undefined if the store has no such files. Otherwise what reads one, in memory of its own: undefined if it is
 *   not the block, and the store says what is wrong
 */
export function checkedFileReader (store: object): ReadCheckedFile | undefined {
  const readFile = blockFileReader<CID>(store)

  return readFile && (async (cid, { signal }, isBusy) => {
    const bytes = await readFile(cid, { signal })

    try {
      await (bytes && checkBlock(cid, bytes, isBusy))

      return bytes
    } catch {
      return undefined
    }
  })
}
