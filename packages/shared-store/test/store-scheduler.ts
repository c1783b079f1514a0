import type { Clock } from '../src/clock.ts'

/** A process in a world: a session or a collector. */
export interface Actor {
  name: string
  clock: Clock
  /** Gets no answers, and its timers do not fire. What it has sent is carried out. */
  isPaused: boolean
  /** The same, for ever. */
  isKilled: boolean
  /** Done with what it was to do. */
  isDone: boolean
  /**
   * When it began to look whether it may delete blocks, until these deletes are carried out: the clock cannot go on as
   * far as the timeout from there. This is what the protocol assumes of stores.
   */
  deletesSince: number | undefined
  /** Looks whether it may delete, or deletes. */
  isDeleting: boolean
}

interface Operation {
  actor: Actor
  name: string
  /** Deletes blocks, so that the clock waits for it. */
  isDelete: boolean
  /** Carries out the operation. Undefined when that was done. */
  effect: (() => void) | undefined
  /** Tells the sender. Undefined when that was done. */
  answer: (() => void) | undefined
  fail: (err: Error) => void
}

interface Timer {
  actor: Actor
  at: number
  run: () => void
}

export interface SchedulerInit {
  seed: number
  /** The lease timeout, in milliseconds of the scheduler's clock. */
  timeout: number
  /** Whether a delete may be carried out later than the timeout after its sender looked whether it may. */
  mayDeleteLate?: boolean
  /** Chances, out of a thousand steps. */
  chances: { fail: number, pause: number, kill: number }
}

/**
 * Chooses what happens next among all operations that were sent to a store, answers that are under way, and timers. So
 * an operation may be carried out long after it was sent, its answer may take longer than another process's whole
 * work, and processes pause or are killed between any two steps.
 */
export class Scheduler {
  readonly #init: SchedulerInit
  readonly #operations = new Set<Operation>()
  readonly #timers = new Set<Timer>()
  readonly #actors: Actor[] = []
  readonly trace: string[] = []
  #now = 0
  #random: number

  constructor (init: SchedulerInit) {
    this.#init = init
    this.#random = init.seed
  }

  actor (name: string): Actor {
    const actor: Actor = {
      name,
      clock: {
        now: () => this.#now,
        after: (milliseconds, run) => {
          const timer = { actor, at: this.#now + Math.max(0, milliseconds), run }
          this.#timers.add(timer)

          return () => { this.#timers.delete(timer) }
        }
      },
      isPaused: false,
      isKilled: false,
      isDone: false,
      deletesSince: undefined,
      isDeleting: false
    }
    this.#actors.push(actor)

    return actor
  }

  /** Send an operation to the store. If the signal aborts, the sender goes on, and the store may still carry it out. */
  async send<T> (actor: Actor, name: string, effect: () => T, signal?: AbortSignal, isDelete = false): Promise<T> {
    signal?.throwIfAborted()

    return new Promise<T>((resolve, reject) => {
      let result: { value: T } | { err: unknown } | undefined
      const operation: Operation = {
        actor,
        name,
        isDelete,
        effect: () => {
          try {
            result = { value: effect() }
          } catch (err) {
            result = { err }
          }
        },
        answer: () => {
          if (result != null && 'value' in result) {
            resolve(result.value)
          } else {
            reject(result?.err as Error)
          }
        },
        fail: reject
      }
      this.#operations.add(operation)
      signal?.addEventListener('abort', () => {
        operation.answer = undefined
        reject(signal.reason as Error)
      }, { once: true })
    })
  }

  /** A number from 0 to below `end`. */
  random (end: number): number {
    // mulberry32
    this.#random = this.#random + 0x6d2b79f5 | 0
    let t = Math.imul(this.#random ^ this.#random >>> 15, 1 | this.#random)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t

    return ((t ^ t >>> 14) >>> 0) % end
  }

  /**
   * Take steps until all processes are done or killed, and call `check` after each.
   *
   * @throws {Error} they are not after so many steps
   */
  async run (maxSteps: number, check: () => void): Promise<void> {
    for (let i = 0; i < maxSteps; i++) {
      await settled()

      if (this.#actors.every(({ isDone, isKilled }) => isDone || isKilled)) {
        return
      }

      this.#step()
      check()
    }

    await settled()
    throw new Error(`not done after ${maxSteps} steps: ${this.#actors.filter(a => !a.isDone).map(a => a.name).join()}`)
  }

  #step (): void {
    const { chances } = this.#init
    const dice = this.random(1000)
    const actor = this.#actors[this.random(this.#actors.length)]

    if (dice < chances.kill) {
      this.#note(actor, 'is killed')
      actor.isKilled = true
    } else if (dice < chances.kill + chances.pause) {
      this.#note(actor, actor.isPaused ? 'wakes up' : 'pauses')
      actor.isPaused = !actor.isPaused
    } else {
      this.#act(dice < chances.kill + chances.pause + chances.fail)
    }
  }

  #act (fails: boolean): void {
    const actions: Array<() => void> = []

    for (const operation of this.#operations) {
      const { actor, effect, answer } = operation

      if (effect != null) {
        actions.push(() => { this.#carryOut(operation) })
      } else if (answer == null || actor.isKilled) {
        this.#operations.delete(operation)
      } else if (!actor.isPaused) {
        actions.push(() => { this.#answer(operation, fails) })
      }
    }

    for (const timer of this.#timers) {
      if (timer.at <= this.#now && !timer.actor.isPaused && !timer.actor.isKilled) {
        actions.push(() => {
          this.#timers.delete(timer)
          this.#note(timer.actor, 'goes on')
          timer.run()
        })
      }
    }

    // time passes now and then, and if nothing else can happen
    if (actions.length === 0 || this.random(8) === 0) {
      this.#passTime()
    } else {
      actions[this.random(actions.length)]()
    }
  }

  #carryOut (operation: Operation): void {
    const { actor, name, effect } = operation
    this.#note(actor, name)
    operation.effect = undefined
    effect?.()
    this.#endDeletes(actor)
  }

  #answer (operation: Operation, fails: boolean): void {
    const { actor, name, answer, fail } = operation
    this.#operations.delete(operation)

    if (fails) {
      this.#note(actor, `loses the answer of: ${name}`)
      fail(new Error('the network is away'))
    } else {
      answer?.()
    }
  }

  #passTime (): void {
    const { timeout, mayDeleteLate } = this.#init
    const wanted = this.#now + [1, timeout / 6, timeout / 2, timeout, 2 * timeout][this.random(5)]
    const limits = this.#actors.map(actor => {
      this.#endDeletes(actor)

      return mayDeleteLate === true || actor.deletesSince == null ? Infinity : actor.deletesSince + timeout - 1
    })
    this.#now = Math.max(this.#now, Math.min(wanted, ...limits))

    // not all of those that pause do so for ever, or a delete would wait for ever
    for (const [i, actor] of this.#actors.entries()) {
      if (limits[i] <= this.#now) {
        actor.isPaused = false
      }
    }
  }

  /** The clock need not wait for a process that sends no more deletes, if those that it sent are carried out. */
  #endDeletes (actor: Actor): void {
    const isPending = Array.from(this.#operations).some(operation => (
      operation.actor === actor && operation.isDelete && operation.effect != null
    ))

    if ((!actor.isDeleting || actor.isKilled) && !isPending) {
      actor.deletesSince = undefined
    }
  }

  #note ({ name }: Actor, what: string): void {
    this.trace.push(`${this.#now} ${name}: ${what}`)
  }
}

/** Wait until every promise that can has settled. */
async function settled (): Promise<void> {
  await new Promise<void>(resolve => { setImmediate(resolve) })
}
