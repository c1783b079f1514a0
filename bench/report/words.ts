import { NOISE } from './loss.ts'

/** A figure that is easy to remember: two digits below 10, an integer from 10 on. */
export function brief (value: number): string {
  return value < 10 ? String(Number(value.toPrecision(2))) : Math.round(value).toLocaleString('en')
}

/** `1.4 to 1.7`, or one figure if both ends read the same. Undefined without values. */
export function range (values: readonly number[]): string | undefined {
  if (values.length === 0) {
    return undefined
  }

  const [least, most] = [Math.min(...values), Math.max(...values)].map(brief)

  return least === most ? least : `${least} to ${most}`
}

/** Turns speeds (times as fast) into slowdowns (times as long), without those within the noise. */
export function slowdowns (speeds: ReadonlyArray<number | undefined>): number[] {
  return speeds.filter(speed => speed != null && speed < 1 - NOISE).map(speed => 1 / Number(speed))
}

/** A text with a value in it, or nothing if there is no value. */
export function some (value: string | undefined, text: (value: string) => string): string[] {
  return value == null ? [] : [text(value)]
}

/** A line of the report: a bold topic, its parts, and a link to the page with the figures. None without parts. */
export function line (topic: string, page: string, parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [`**${topic}**: ${parts.join(', ')} ([${page}](benchmarks/${page}.md))`]
}
