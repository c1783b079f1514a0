import type { Version } from '../repo/history.ts'

/**
 * Which versions of a name to keep, by the rules of restic. A version that any rule keeps is kept. Every rule keeps the
 * newest version, and one that counts periods the oldest too if there are fewer of them.
 */
export interface KeepRules {
  /** How many versions to keep, the newest first. */
  last?: number | undefined
  /** How many hours to keep the newest version of. Hours without a version do not count. */
  hourly?: number | undefined
  /** How many days, in the time zone of the process. */
  daily?: number | undefined
  /** How many weeks, which begin on Monday. */
  weekly?: number | undefined
  /** How many months. */
  monthly?: number | undefined
  /** How many years. */
  yearly?: number | undefined
  /** Keep what was added at most this many milliseconds before the newest version. */
  within?: number | undefined
}

/** The period that a date belongs to, for each rule that counts periods. */
const PERIODS: ReadonlyArray<readonly [keyof KeepRules, (date: Date) => string]> = [
  ['last', (): string => ''],
  ['hourly', date => `${dayOf(date)} ${date.getHours()}`],
  ['daily', dayOf],
  ['weekly', date => dayOf(mondayBefore(date))],
  ['monthly', date => `${date.getFullYear()}-${date.getMonth()}`],
  ['yearly', date => String(date.getFullYear())]
]

/** Whether the rules keep anything at all. */
export function keepsAny (rules: KeepRules): boolean {
  return rules.within != null || PERIODS.some(([rule]) => (rules[rule] ?? 0) > 0)
}

/**
 * The rules that keep each version: none for one that is to be forgotten.
 *
 * @param versions - the newest first
 */
export function rulesThatKeep (versions: ReadonlyArray<Pick<Version, 'date'>>, rules: KeepRules): string[][] {
  const { within } = rules
  const newest = versions.at(0)?.date.getTime() ?? 0
  const counters = PERIODS.map(([rule, periodOf]) => ({
    rule, periodOf, left: rules[rule] ?? 0, seen: new Set<string>()
  }))

  return versions.map(({ date }, i) => {
    const isOldest = i === versions.length - 1
    const kept = counters.filter(counter => {
      const period = counter.periodOf(date)

      if (counter.left === 0 || (counter.rule !== 'last' && counter.seen.has(period) && !isOldest)) {
        return false
      }

      counter.seen.add(period)
      counter.left--

      return true
    }).map(({ rule }) => rule)

    return within != null && newest - date.getTime() <= within ? [...kept, 'within'] : kept
  })
}

function dayOf (date: Date): string {
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`
}

function mondayBefore (date: Date): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - (date.getDay() + 6) % 7)
}
