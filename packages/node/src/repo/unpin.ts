import { unmark } from '@ipfsz/core'
import { messageOf } from '@ipfsz/utils/message-of'
import { encode } from 'cborg'
import { StoreError } from '../errors.ts'
import { countKey, pinKey, readPinnedBlock } from './pin-records.ts'
import type { Records } from '@ipfsz/shared-store/records'
import type { CID } from 'multiformats/cid'

/**
 * Remove a pin from a store that nodes share. The store is asked once: a second request could remove what another node
 * pins meanwhile.
 */
export async function unpinShared (cid: CID, records: Pick<Records, 'delete' | 'has' | 'put' | 'read'>): Promise<void> {
  const plain = unmark(cid).toV1()

  try {
    await records.delete(pinKey(plain))
  } catch (cause) {
    const isThere = await Promise.resolve(records.has(pinKey(plain))).catch(() => undefined)

    const advice = isThere === false
      ? `${cid} is no longer pinned, but the store did not confirm the removal: wait 30 seconds before you pin it again`
      : `The store did not confirm that ${cid} is no longer pinned: run the command again`

    throw new StoreError(`${advice} (${messageOf(cause)})`, { cause })
  }

  // no node reads the counts of a store
  await uncount(plain, records).catch(() => {})
}

/** Lower the count of a pin's root, which programs that use Helia read. Counts for other pins stay. */
export async function uncount (plain: CID, records: Pick<Records, 'delete' | 'put' | 'read'>): Promise<void> {
  const { pinCount, pinnedBy } = await readPinnedBlock(plain, records)

  if (pinCount > 1) {
    await records.put(
      countKey(plain),
      encode({ pinCount: pinCount - 1, pinnedBy: pinnedBy.filter(bytes => Buffer.compare(bytes, plain.bytes) !== 0) })
    )
  } else {
    await records.delete(countKey(plain))
  }
}
