import { enterBegin, enterEnd, makeAction } from './actions.ts'
import { Chance } from './chance.ts'
import { check, checkEnd } from './check.ts'
import { describeEnd, runAndKill, Violation } from './command.ts'
import { makeWorld } from './world.ts'
import type { Action } from './action.ts'
import type { Moment } from './command.ts'

export interface TortureOptions {
  /** How many processes to kill. */
  kills: number
  /** An integer from 1 to 2^31 - 1. */
  seed: number
  /** The time limit, in seconds. */
  time?: number
  /** Called with each action and how it ended. */
  onLine? (line: string): void
}

export interface TortureResult {
  kills: number
  checks: number
}

/** The assumed duration of an action until one like it has finished, in milliseconds. */
const FIRST_ESTIMATE = 900
/** The weight of the latest duration in the moving average. */
const WEIGHT = 0.2
/** Most kills come from when Node has started until just after the usual end, in parts of the duration. */
const STARTED = 0.35
const LATEST = 1.1
/** The part of kills that come while Node starts. */
const EARLY = 0.08
/** Of the pins and unpins that are killed, the part that is killed right after its first output. */
const PRINTED = 0.2
/** The part of its duration in which an action works on the repo. */
const WORKING = 0.5
/** The part of rounds in which the second process is killed too. */
const BOTH = 0.5
/** The second process starts at a random moment in this first part of the first one's duration. */
const LATEST_START = 0.6

/**
 * Kill the command at random moments, with two processes at a time on one repo. Check after
 * each pair that nothing they acknowledged is lost.
 *
 * @param directory - an empty directory for the repo and all files
 * @throws {Violation} names the step
 */
export async function torture (
  directory: string,
  { kills: wanted, seed, time = Infinity, onLine }: TortureOptions
): Promise<TortureResult> {
  const chance = new Chance(seed)
  const world = await makeWorld(directory)
  const estimates = new Map<string, number>()
  const deadline = performance.now() + time * 1000
  const done: TortureResult = { kills: 0, checks: 0 }

  for (let step = 1; done.kills < wanted && performance.now() < deadline; step++) {
    const first = makeAction(world, chance, 0)
    const second = makeAction(world, chance, 1, first)
    const delay = chance.part() * LATEST_START * estimate(estimates, first)
    const actions = [first, second]
    const moments = actions.map(
      (action, i) =>
        i === 0 || chance.part() < BOTH ? pickMoment(chance, action, estimate(estimates, action)) : undefined
    )
    actions.forEach(action => { enterBegin(action, world) })

    try {
      const ends = await Promise.allSettled(actions.map(async (action, i) => {
        await new Promise(resolve => { setTimeout(resolve, i * delay) })
        const result = await runAndKill(directory, world.repo, ['--json', ...action.args], action.stdin, moments[i])
        const killed = result.code == null && !result.wedged
        done.kills += killed ? 1 : 0
        onLine?.(
          `${step}\t${describe(action)}\t${killed
            ? 'killed'
            : `ended with ${result.code}`} after ${result.ms.toFixed(0)} ms`
        )

        if (result.code === 0) {
          estimates.set(action.verb, (1 - WEIGHT) * estimate(estimates, action) + WEIGHT * result.ms)
        } else if (!killed && (action.sure || result.wedged)) {
          throw new Violation(`${describe(action)} ${describeEnd(result)}`)
        }

        enterEnd(action, result, world)
        await action.check(result)
      }))
      // both have ended: none may run on in a repo that is kept to look at
      const wrong = ends.find(end => end.status === 'rejected')

      if (wrong != null) {
        throw wrong.reason
      }

      await check(world, chance)
      done.checks++
    } catch (err) {
      throw new Violation(
        `Step ${step} (${actions.map(action =>
          describe(action)).join('; ')}): ${err instanceof Error ? err.message : String(err)}`,
        { cause: err }
      )
    }
  }

  await checkEnd(world)

  return done
}

/**
 * When to kill an action. Some die as soon as they acknowledge something. Half of the others die after their
 * first sign of life, more of them early than late, because the critical part is short.
 */
function pickMoment (chance: Chance, { begins, effect }: Action, estimate: number): Moment {
  if ((effect === 'pins' || effect === 'unpins') && chance.part() < PRINTED) {
    return { from: 'print', after: 0 }
  }

  if (begins != null && chance.part() < 0.5) {
    return { from: { change: begins }, after: chance.part() ** 2 * WORKING * estimate }
  }

  return {
    after: estimate * (chance.part() < EARLY ? chance.part() * STARTED : STARTED + chance.part() * (LATEST - STARTED))
  }
}

function estimate (estimates: ReadonlyMap<string, number>, { verb }: Action): number {
  return estimates.get(verb) ?? FIRST_ESTIMATE
}

function describe ({ args, items, verb }: Action): string {
  const codec = verb === 'convert' ? ` ${args.slice(3).join(' ')}` : ''

  return `${verb}${codec} ${items.map(({ name }) => name).join(' ')}`.trimEnd()
}
