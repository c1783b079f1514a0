import { UsageError } from '../errors.ts'

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

const NAMES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/**
 * Bytes from a text such as `65536`, `64KiB`, `4 MiB` or `1MB`.
 *
 * @throws {UsageError}
 */
export function parseSize (text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const bytes = Number(number) * UNITS[unit?.toLowerCase()]

  if (!Number.isSafeInteger(bytes)) {
    throw new UsageError(`"${text}" is not a size: write a number of bytes, or for instance 64KiB or 4MiB`)
  }

  return bytes
}

/**
 * A whole number from 0.
 *
 * @throws {UsageError}
 */
export function parseNumber (text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN

  if (!Number.isSafeInteger(number)) {
    throw new UsageError(`"${text}" is not a whole number from 0`)
  }

  return number
}

/** Bytes for people: `823 B`, `4.00 MiB`. */
export function formatSize (bytes: number | bigint): string {
  let value = Number(bytes)
  let unit = 0

  while (value >= 1024 && unit < NAMES.length - 1) {
    value /= 1024
    unit++
  }

  const digits = value < 10 ? 2 : value < 100 ? 1 : 0

  return `${unit === 0 ? value : value.toFixed(digits)} ${NAMES[unit]}`
}

/**
 * The values of an option that is given several times, or once with commas.
 *
 * @param commas - whether a comma is not part of a value
 */
export function collect<T> (parse: (text: string) => T, commas = true): (text: string, before?: T[]) => T[] {
  return (text, before = []) => [...before, ...(commas ? text.split(',').map(part => part.trim()) : [text]).map(parse)]
}

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/**
 * Milliseconds from a text such as `500ms`, `10s`, `5m`, `48h`, or a number of seconds.
 *
 * @throws {UsageError}
 */
export function parseDuration (text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const milliseconds = Math.round(Number(number) * SECONDS[unit === '' ? 's' : unit?.toLowerCase()] * 1000)

  if (!Number.isSafeInteger(milliseconds) || milliseconds <= 0) {
    throw new UsageError(`"${text}" is not a duration: write for instance 10s, 5m or 48h`)
  }

  return milliseconds
}
