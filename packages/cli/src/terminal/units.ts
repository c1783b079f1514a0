import { UsageError } from '../errors.ts'

export { formatSize } from '@ipfsz/utils/format-size'

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4
}

/** Parse a size such as `65536`, `64KiB`, `4 MiB` or `1MB` into bytes. */
export function parseSize (text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const bytes = Number(number) * UNITS[unit?.toLowerCase()]

  if (!Number.isSafeInteger(bytes)) {
    throw new UsageError(`"${text}" is not a size: use a whole number of bytes, or a unit, as in 64KiB or 4MiB`)
  }

  return bytes
}

/**
 * Parse a size as `parseSize` does, or `none`, which is 0.
 *
 * @throws {UsageError} it is neither
 */
export function parseSizeOrNone (text: string): number {
  return text === 'none' ? 0 : parseSize(text)
}

/** Parse how much may stay unused: a percentage, or a size as `parseSize` does. */
export function parseUnused (text: string): { share: number } | { bytes: number } {
  const [, percent] = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim()) ?? []

  if (percent == null) {
    return { bytes: parseSize(text) }
  }

  if (Number(percent) > 100) {
    throw new UsageError(`"${text}" is more than 100 %`)
  }

  return { share: Number(percent) / 100 }
}

/** Parse a whole number from 0. */
export function parseNumber (text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN

  if (!Number.isSafeInteger(number)) {
    throw new UsageError(`"${text}" is not a whole number: use 0 or more`)
  }

  return number
}

/** Format a number of things for people: `1 block`, `2 blocks`. */
export function count (number: number | bigint, thing: string): string {
  return `${number} ${thing}${Number(number) === 1 ? '' : 's'}`
}

/**
 * Make a Commander parser for an option that takes several values: repeated, or separated by commas.
 *
 * @param commas - whether commas separate values, by default true
 */
export function collect<T> (parse: (text: string) => T, commas = true): (text: string, before?: T[]) => T[] {
  return (text, before = []) => [...before, ...(commas ? text.split(',').map(part => part.trim()) : [text]).map(parse)]
}

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/** Parse a duration such as `500ms`, `10s`, `5m`, `48h`, or a number of seconds, into milliseconds. */
export function parseDuration (text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const milliseconds = Math.round(Number(number) * SECONDS[unit === '' ? 's' : unit?.toLowerCase()] * 1000)

  if (!Number.isSafeInteger(milliseconds) || milliseconds <= 0) {
    throw new UsageError(`"${text}" is not a duration. Examples: 10s, 5m, 48h`)
  }

  return milliseconds
}

const HOUR = 3_600_000

/**
 * Parse an age as restic writes it, such as `12h`, `30d` or `1y6m`, into milliseconds. `m` are months: one counts 31
 * days, and a year 366, so that nothing is younger than its age says.
 */
export function parseAge (text: string): number {
  const [found = '', ...numbers] = /^(?:(\d+)y)?(?:(\d+)m)?(?:(\d+)d)?(?:(\d+)h)?$/i.exec(text.trim()) ?? []
  const [years, months, days, hours] = numbers.map(number => Number(number ?? 0))
  const milliseconds = (((years * 366) + (months * 31) + days) * 24 + hours) * HOUR

  if (found === '' || !Number.isSafeInteger(milliseconds)) {
    throw new UsageError(`"${text}" is not an age in years, months, days and hours. Examples: 12h, 30d, 1y6m`)
  }

  return milliseconds
}
