import { mapOrdered } from '@ipfsz/utils/map-ordered'
import type { LeaseWatch } from './lease.ts'

/** How many leases are read at a time. */
const CONCURRENCY = 16

/** Read leases, and return the IDs of those that have not changed for so many milliseconds. */
export async function unchangedFor (
  milliseconds: number,
  watches: ReadonlyMap<string, LeaseWatch>,
  signal: AbortSignal
): Promise<string[]> {
  const read = mapOrdered(
    watches,
    async ([id, watch]) => ({ id, isDead: await watch.unchanged(signal) >= milliseconds }),
    { concurrency: CONCURRENCY, signal }
  )
  const dead: string[] = []

  for await (const { id, isDead } of read) {
    if (isDead) {
      dead.push(id)
    }
  }

  return dead
}
