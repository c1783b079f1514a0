import type { DirectoryEntry } from '@ipfsz/core'
import type { TarHeader } from 'modern-tar'

/** The latest time that the header of an entry can hold, in seconds since 1970. The earliest is 0. */
const MAX_SECONDS = 8n ** 11n - 1n

/** The times that a `Date` can hold, in seconds: `ipfsz get` sets no others. */
const MAX_DATE = 8_640_000_000_000n

const NANOSECONDS = 1_000_000_000n

/**
 * The modification time of an entry. One before 1970, with a fraction, or after 2242 goes into a pax record, which
 * has a decimal number of any sign (POSIX, pax, "pax Extended Header"). In the header, the nearest that it can hold is
 * for those who read no pax records.
 */
export function tarTime (mtime: DirectoryEntry['mtime']): Pick<TarHeader, 'mtime' | 'pax'> {
  const { secs = 0n, nsecs = 0 } = mtime ?? {}
  const seconds = clamp(secs, -MAX_DATE, MAX_DATE)
  const inHeader = clamp(seconds, 0n, MAX_SECONDS)
  // a writer that knows nothing of them may have put more than a second there
  const fraction = nsecs > 0 && BigInt(nsecs) < NANOSECONDS ? BigInt(nsecs) : 0n

  return {
    mtime: new Date(Number(inHeader) * 1000),
    ...seconds === inHeader && fraction === 0n ? {} : { pax: { mtime: decimal(seconds * NANOSECONDS + fraction) } }
  }
}

function clamp (value: bigint, least: bigint, most: bigint): bigint {
  if (value < least) {
    return least
  }

  return value > most ? most : value
}

/** A number of nanoseconds in seconds. */
function decimal (nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  const fraction = String(size % NANOSECONDS).padStart(9, '0').replace(/0+$/, '')

  return `${nanoseconds < 0n ? '-' : ''}${size / NANOSECONDS}${fraction === '' ? '' : `.${fraction}`}`
}
