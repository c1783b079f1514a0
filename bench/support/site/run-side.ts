import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { atExit } from '../at-exit.ts'
import type { AddMeasured, MeasureSideInit } from './measure-side.ts'
import type { Measured } from './trial.ts'

/**
 * How long a side may take to end what it started, in milliseconds, before it is killed: mounts, too, which stay if it
 * is. On a machine with far more to do than cores, 30 seconds were not enough.
 */
const GRACE = 120_000

/** The argument of `side-process.ts`. */
export interface SideTask extends MeasureSideInit {
  /** Of the side. */
  id: string
}

/** What was measured with a kind of objects; or that this was all, and why if not all was measured. */
export type SideMessage = { objects: number, measured: readonly Measured[] } | { failure?: string }

/** Thrown when measuring a side once took too long. What it had measured before is kept. */
export class SideTimeoutError extends Error {
  static override readonly name = 'SideTimeoutError'
  override name = 'SideTimeoutError'
  readonly id: string

  constructor (id: string, timeout: number) {
    super(`${id} had not ended after ${Math.round(timeout / 1000)} seconds`)
    this.id = id
  }
}

/**
 * Measure a side once, in a process of its own.
 *
 * @param timeout - how long it may take, in milliseconds
 * @throws {SideTimeoutError}
 * @throws what the side threw, or that its process ended
 */
export async function runSide (
  task: SideTask,
  timeout: number,
  add: AddMeasured,
  program = join(import.meta.dirname, 'side-process.ts')
): Promise<void> {
  const { id, directory } = task
  await mkdir(directory)
  const child = fork(program, [JSON.stringify(task)])
  const stay = atExit(() => { child.kill() })
  // its last message may come after it has ended, and before it is disconnected
  const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  let failure: Error | undefined = new Error('its process ended: see what it printed above')

  child.on('message', (message: SideMessage) => {
    if ('measured' in message) {
      add(message.objects, message.measured)
    } else {
      failure = message.failure == null ? undefined : new Error(message.failure)
    }
  })

  try {
    if (!await endsWithin(ended, timeout)) {
      failure = new SideTimeoutError(id, timeout)
      // it ends what it started
      child.kill()

      if (!await endsWithin(ended, GRACE)) {
        child.kill('SIGKILL')
        await ended
      }
    }
  } finally {
    stay()
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }

  if (failure != null) {
    throw failure
  }
}

/**
 * Measure a side, and once more from the beginning if it hangs: stock nodes do not always find each other.
 *
 * @param run - calls `runSide`
 * @throws as `run`
 */
export async function againIfItHangs (run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (err) {
    if (!(err instanceof SideTimeoutError)) {
      throw err
    }

    await run()
  }
}

async function endsWithin (ended: Promise<unknown>, time: number): Promise<boolean> {
  const timer = new AbortController()

  try {
    return await Promise.race([
      ended.then(() => true), setTimeout(time, false, { signal: timer.signal })
    ])
  } finally {
    timer.abort()
  }
}
