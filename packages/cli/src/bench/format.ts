/** In MB/s with 3 significant digits. */
export function formatSpeed (bytesPerSecond: number): string {
  return Number.isFinite(bytesPerSecond) ? threeDigits(bytesPerSecond / 1e6) : '-'
}

/** `815 ms`, `8.15 s`, `14 min`, `2.3 h`, `12 d`. */
export function formatDuration (seconds: number): string {
  if (seconds < 0.9995) {
    return `${threeDigits(seconds * 1000)} ms`
  }

  if (seconds < 99.95) {
    return `${threeDigits(seconds)} s`
  }

  if (seconds < 3570) {
    return `${twoDigits(seconds / 60)} min`
  }

  return seconds < 171_000 ? `${twoDigits(seconds / 3600)} h` : `${twoDigits(seconds / 86_400)} d`
}

export function formatRatio (ratio: number): string {
  return ratio > 0 && ratio < 0.001 ? '<0.001' : ratio.toFixed(3)
}

export function formatPercent (part: number): string {
  return part > 0 && part < 0.0001 ? '<0.01 %' : `${threeDigits(part * 100)} %`
}

/** A margin of error, rounded up: `3 %`. */
export function formatMargin (part: number): string {
  return `${Math.max(1, Math.ceil(part * 100))} %`
}

function threeDigits (value: number): string {
  const rounded = Number(value.toPrecision(3))

  if (rounded >= 100) {
    return String(rounded)
  }

  return rounded >= 0.01 ? rounded.toPrecision(3) : rounded.toFixed(2)
}

function twoDigits (value: number): string {
  return value < 9.95 ? value.toFixed(1) : String(Math.round(value))
}
