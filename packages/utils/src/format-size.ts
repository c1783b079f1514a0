const NAMES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Format a number of bytes for people: `823 B`, `4.00 MiB`. */
export function formatSize (bytes: number | bigint): string {
  let value = Number(bytes)
  let unit = 0

  while (value >= 1024 && unit < NAMES.length - 1) {
    value /= 1024
    unit++
  }

  return `${unit === 0 ? value : threeDigits(value)} ${NAMES[unit]}`
}

function threeDigits (value: number): string {
  if (value < 10) {
    return value.toFixed(2)
  }

  return value.toFixed(value < 100 ? 1 : 0)
}
