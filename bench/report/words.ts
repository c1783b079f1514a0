import { NOISE } from './loss.ts'

/** A short figure: two digits below 10, no fraction from 10 upwards. */
export function brief (value: number): string {
  return value < 10 ? String(Number(value.toPrecision(2))) : Math.round(value).toLocaleString('en')
}

/** `1.4 to 1.7`, or one figure if both ends are the same. Undefined without values. */
export function range (values: readonly number[]): string | undefined {
  if (values.length === 0) {
    return undefined
  }

  const [least, most] = [Math.min(...values), Math.max(...values)].map(brief)

  return least === most ? least : `${least} to ${most}`
}

/** Turns speeds (times as fast) into durations (times as long), of those that are slower by more than noise. */
export function slowdowns (speeds: ReadonlyArray<number | undefined>): number[] {
  return speeds.filter(speed => speed != null && speed < 1 - NOISE).map(speed => 1 / Number(speed))
}

/** A text with a value in it, or nothing if there is no value. */
export function some (value: string | undefined, text: (value: string) => string): string[] {
  return value == null ? [] : [text(value)]
}

/** A line of the report: a bold topic, its sentences, and the page with the figures. No line without parts. */
export function line (topic: string, page: string, parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [`**${topic}**: ${parts.join('; ')} ([${page}](benchmarks/${page}.md))`]
}
