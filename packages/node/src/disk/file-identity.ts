import type { BigIntStats } from 'node:fs'

/** What changes when a file does. */
export type Identity = Pick<BigIntStats, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>

/** How many numbers an identity has. */
export const IDENTITY_SIZE = 4

/**
 * The longest time between two changes of a file that give it the same times, in milliseconds: some file systems count
 * in seconds, the others with the ticks of the system's clock.
 */
const GRANULARITY = 2000
const PER_MILLISECOND = 1_000_000n

/**
 * The numbers of an identity. The device is not among them: its number may change with each boot. The ctime tells what
 * the mtime may hide, as it cannot be set.
 */
export function identityOf ({ size, mtimeNs, ctimeNs, ino }: Identity): bigint[] {
  // inodes have 64 bits, without a sign
  return [size, mtimeNs, ctimeNs, BigInt.asIntN(64, ino)]
}

export function isSameIdentity (one: ArrayLike<bigint>, other: ArrayLike<bigint>): boolean {
  for (let i = 0; i < IDENTITY_SIZE; i++) {
    if (one[i] !== other[i]) {
      return false
    }
  }

  return true
}

/**
 * Whether a file changed so long before it was examined that another change would give it other times. Git calls the
 * others racy. Those with times in the future are among them.
 *
 * @param examined - when, in milliseconds since 1970
 */
export function isSettled ({ mtimeNs, ctimeNs }: Identity, examined: number): boolean {
  const latest = BigInt(Math.floor(examined) - GRANULARITY) * PER_MILLISECOND

  return mtimeNs < latest && ctimeNs < latest
}
