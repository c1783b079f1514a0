/**
 * A model of garbage collection beside adds in a shared store (docs/shared-store.md): every step that a session or a
 * collector takes is one operation of the store, and any of them may come next. So a pause of any length is there, at
 * every point: the others go on. Nobody has a clock: whoever could be declared dead may be at any time. Only "wait
 * until no delete can come any more" is one step, which waits for the deletes that were sent.
 */
import { exploreStates, has } from './explore-states.ts'
import type { Exploration, State, StateModel, Visit } from './explore-states.ts'

/** A step that protects blocks, and that the model can leave out, or do wrong, to show that it is needed. */
export type Mutant =
  | 'the collector waits for no session'
  | 'the collector lists sessions before it writes the round'
  | 'the collector does not look at the pins again'
  | 'the collector looks at the pins again before it has waited'
  | 'the collector ignores objections'
  | 'the collector does not look for a fence before it deletes'
  | 'the collector looks for the round before the fence'
  | 'the collector ends a round while a delete is under way'
  | 'the collector has sent a delete of the name of its round before'
  | 'a clean-up does not wait for deletes'
  | 'a clean-up deletes the fence before the round'
  | 'a session lists rounds before it writes its object'
  | 'a session does not wait with condemned blocks'
  | 'a session looks for a block before it waits'
  | 'a session does not look for its object after the pin'
  | 'a session writes its object again'
  | 'a session takes its pin back when it was fenced'
  | 'a session does not wait after it fenced a round'

export interface ModelInit {
  /** For each session the blocks that it stores and pins, as bits. */
  dags: readonly number[]
  /** For each session the number of its pin: sessions that pin the same CID share it. */
  pins: readonly number[]
  /** The blocks that are there, unpinned, at the beginning. */
  garbage: number
  collectors: number
  /** How often each collector runs. */
  collections: number
  /**
   * Whether the store refuses deletes that come later than the wait, as those to S3 say how long they are good. If not,
   * the wait is one for all deletes that were sent: this is assumed of file systems.
   */
  refusesLate?: boolean
  mutant?: Mutant
}

// a session
const PUT_SESSION = 0
const OPEN = 1
const STORE = 2
const PIN = 3
const CONFIRM = 4
const END = 5
const SESSION_OVER = 6
// a collector
const READ_PINS = 0
const LIST_BLOCKS = 1
const PUT_ROUND = 2
const LIST_SESSIONS = 3
const WAIT = 4
const PINS_AGAIN = 5
const LOOK_1 = 6
const LOOK_2 = 7
const SEND_DELETES = 8
const DELETING = 9
const END_ROUND = 10
const COLLECTOR_OVER = 11
const CLEAN_WAIT = 12
const CLEAN_1 = 13
const CLEAN_2 = 14

// what a session knows of a round
const OPEN_ROUND = 0
const FENCED = 1
const IS_OVER = 2

/** Offsets of fields in a state, which is an array of small numbers. */
interface Layout {
  session: (s: number) => number
  known: (s: number, c: number) => number
  collector: (c: number) => number
  ack: (c: number, s: number) => number
  length: number
}

// the store
const BLOCKS = 0
const PINS = 1
const ACKNOWLEDGED = 2
// a session, from its offset
const S_PC = 0
const S_EXISTS = 1
const S_RELIES = 2
/** Blocks that it has looked for, and that were not there. */
const S_MISSED = 3
const S_DONE = 4
const S_POLLED = 5
/** How many fields a session has. */
const S_FIELDS = 6
// what a session knows of a collector's round
const K_ROUND = 0
const K_CONDEMNED = 1
const K_OBJECTIONS = 2
const K_STATE = 3
const K_ACK_DUE = 4
// a collector
const C_PC = 0
const C_RUNS = 1
const C_ROUND = 2
const C_CONDEMNED = 3
const C_ROUND_EXISTS = 4
const C_FENCE_EXISTS = 5
const C_AT = 6
const C_REACHED = 7
const C_CANDIDATES = 8
const C_WAITING = 9
const C_IN_FLIGHT = 10
/** Deletes that were allowed before the round was fenced. */
const C_OLD = 11
/** Whether a delete of its first round was sent, before there was one, and has not come yet. */
const C_EARLY = 12
/** How many fields a collector has. */
const C_FIELDS = 13

// what became of them
const PENDING = 1
/** The store refuses them, when they are sent. */
const TOO_LATE = 2

function layoutOf (sessions: number, collectors: number): Layout {
  const known = 3 + sessions * S_FIELDS
  const collector = known + sessions * collectors * 5
  const ack = collector + collectors * C_FIELDS

  return {
    session: s => 3 + s * S_FIELDS,
    known: (s, c) => known + (s * collectors + c) * 5,
    collector: c => collector + c * C_FIELDS,
    ack: (c, s) => ack + c * sessions + s,
    length: ack + collectors * sessions
  }
}

/** Takes a step: copies the state, and changes the copy. */
type Step = (name: string, change: (next: State) => void) => void

/** Visit every state that can be reached, breadth first, until a block is lost that was acknowledged. */
export function explore (init: ModelInit): Exploration {
  return exploreStates(new Model(init))
}

class Model implements StateModel {
  readonly #init: ModelInit
  readonly #at: Layout
  readonly #scratch: State
  /** The pins, each once. */
  readonly #pins: readonly number[]

  constructor (init: ModelInit) {
    this.#init = init
    this.#at = layoutOf(init.dags.length, init.collectors)
    this.#scratch = new Uint8Array(this.#at.length)
    this.#pins = [...new Set(init.pins)]
  }

  first (): State {
    const state = new Uint8Array(this.#at.length)
    state[BLOCKS] = this.#init.garbage

    if (this.#is('the collector has sent a delete of the name of its round before')) {
      state[this.#at.collector(0) + C_EARLY] = 1
    }

    return state
  }

  hasLost (state: State): boolean {
    return this.#init.dags.some((dag, s) => has(state[ACKNOWLEDGED], s) && (
      (state[BLOCKS] & dag) !== dag || !has(state[PINS], this.#init.pins[s])
    ))
  }

  next (state: State, visit: Visit): void {
    for (let s = 0; s < this.#init.dags.length; s++) {
      this.#session(state, s, visit)
      this.#evict(state, s, visit)
    }

    for (let c = 0; c < this.#init.collectors; c++) {
      this.#collector(state, c, visit)
      this.#store(state, c, visit)
    }
  }

  #session (state: State, s: number, visit: Visit): void {
    const { dags, pins, collectors } = this.#init
    const at = this.#at.session(s)
    const pc = state[at + S_PC]
    const step: Step = (name, change) => {
      const next = this.#copy(state)
      change(next)
      visit(`session ${name}`, next)
    }
    const go = (name: string, to: number, change: (next: State) => void = () => {}): void => {
      step(name, next => {
        next[at + S_PC] = to
        change(next)
      })
    }
    const listsFirst = this.#is('a session lists rounds before it writes its object')

    if (pc === SESSION_OVER) {
      return
    }

    if (pc !== PUT_SESSION || listsFirst) {
      this.#poll(state, s, step)
    }

    if (this.#is('a session writes its object again') && pc > OPEN && state[at + S_EXISTS] === 0) {
      step('writes its object again', next => { next[at + S_EXISTS] = 1 })
    }

    const hasPolled = state[at + S_POLLED] === (1 << collectors) - 1

    switch (pc) {
      case PUT_SESSION:
        if (!listsFirst || hasPolled) {
          go('writes its object', OPEN, next => { next[at + S_EXISTS] = 1 })
        }

        break
      case OPEN:
        if (hasPolled) {
          go('has opened', STORE, next => { next[at + S_POLLED] = 0 })
        }

        break
      case STORE:
        // all at the same time
        for (let b = 0; b < 8; b++) {
          if (has(dags[s] & ~state[at + S_DONE], b)) {
            this.#storeBlock(state, s, 1 << b, step)
          }
        }

        break
      case PIN:
        go('pins', CONFIRM, next => { next[PINS] |= 1 << pins[s] })
        break
      case CONFIRM:
        if (state[at + S_EXISTS] === 1 || this.#is('a session does not look for its object after the pin')) {
          go('acknowledges', END, next => { next[ACKNOWLEDGED] |= 1 << s })
        } else {
          go('is lost', SESSION_OVER, next => {
            if (this.#is('a session takes its pin back when it was fenced')) {
              next[PINS] &= ~(1 << pins[s])
            }
          })
        }

        break
      case END:
        go('ends', SESSION_OVER, next => { next[at + S_EXISTS] = 0 })
        break
      default:
        throw new RangeError(`no such state: ${pc}`)
    }
  }

  /** What a session does with one block. */
  #storeBlock (state: State, s: number, block: number, step: Step): void {
    const at = this.#at.session(s)
    const isIn = (field: number): boolean => (state[at + field] & block) !== 0
    const isThere = (state[BLOCKS] & block) !== 0
    const isDone = (next: State): void => {
      next[at + S_DONE] |= block
      next[at + S_MISSED] &= ~block

      if (next[at + S_DONE] === this.#init.dags[s]) {
        next[at + S_PC] = PIN
      }
    }

    if (isIn(S_RELIES) && isIn(S_MISSED)) {
      step('puts', next => {
        next[BLOCKS] |= block
        isDone(next)
      })
    } else if (this.#is('a session looks for a block before it waits')) {
      // from here on the field says which blocks were there
      if (!isIn(S_POLLED) && !isIn(S_MISSED)) {
        step('looks early', next => { next[at + (isThere ? S_POLLED : S_MISSED)] |= block })
      } else if (!this.#mustWait(state, s, block)) {
        step('goes on', next => {
          next[at + S_RELIES] |= block

          if (isIn(S_POLLED)) {
            isDone(next)
          }
        })
      }
    } else if (isIn(S_RELIES)) {
      step(isThere ? 'finds' : 'finds nothing', isThere ? isDone : next => { next[at + S_MISSED] |= block })
    } else if (!this.#mustWait(state, s, block)) {
      step('relies', next => { next[at + S_RELIES] |= block })
    }
  }

  /**
   * Somebody takes a session for dead, at any time: an operator, or a collector that clears up before its round. If it
   * lives it goes on without its object.
   */
  #evict (state: State, s: number, visit: Visit): void {
    const at = this.#at.session(s)

    if (state[at + S_EXISTS] === 1) {
      const next = this.#copy(state)
      next[at + S_EXISTS] = 0
      visit('somebody evicts a session', next)
    }
  }

  /** What a session does at any time: look at the rounds, acknowledge them, and fence those of dead collectors. */
  #poll (state: State, s: number, step: Step): void {
    const at = this.#at.session(s)

    for (let c = 0; c < this.#init.collectors; c++) {
      const k = this.#at.known(s, c)
      const collector = this.#at.collector(c)
      const exists = state[collector + C_ROUND_EXISTS] === 1
      const round = state[collector + C_ROUND]
      const isKnown = state[k + K_ROUND] !== 0

      const isNews = exists
        ? state[k + K_ROUND] !== round || (state[k + K_STATE] === OPEN_ROUND && state[collector + C_FENCE_EXISTS] === 1)
        : isKnown

      if (isNews || (state[at + S_PC] <= OPEN && !has(state[at + S_POLLED], c))) {
        step('polls', next => { this.#see(next, s, c) })
      }

      if (isKnown && state[k + K_ACK_DUE] === 1) {
        step('acknowledges a round', next => {
          next[k + K_ACK_DUE] = 0

          if (exists && state[k + K_ROUND] === round) {
            next[this.#at.ack(c, s)] = 1 + state[k + K_OBJECTIONS]
          }
        })
      }

      if (isKnown && state[k + K_STATE] === OPEN_ROUND) {
        step('fences a round', next => {
          next[k + K_STATE] = FENCED

          if (exists && state[k + K_ROUND] === round) {
            this.#fence(next, c)
          }
        })
      }

      const skipsWait = this.#is('a session does not wait after it fenced a round')

      if (state[k + K_STATE] === FENCED && (this.#mayWait(state, c) || skipsWait)) {
        step('takes a fenced round as over', next => {
          next[k + K_STATE] = IS_OVER

          if (!skipsWait && next[k + K_ROUND] === next[collector + C_ROUND]) {
            this.#wear(next, c)
          }
        })
      }
    }
  }

  /** A session looks at the round of a collector. */
  #see (next: State, s: number, c: number): void {
    const at = this.#at.session(s)
    const k = this.#at.known(s, c)
    const collector = this.#at.collector(c)
    const isFenced = next[collector + C_FENCE_EXISTS] === 1

    if (next[at + S_PC] <= OPEN) {
      next[at + S_POLLED] |= 1 << c
    }

    if (next[collector + C_ROUND_EXISTS] === 0) {
      next.fill(0, k, k + 5)
    } else if (next[k + K_ROUND] !== next[collector + C_ROUND]) {
      next[k + K_ROUND] = next[collector + C_ROUND]
      next[k + K_CONDEMNED] = next[collector + C_CONDEMNED]
      next[k + K_OBJECTIONS] = next[k + K_CONDEMNED] & next[at + S_RELIES]
      next[k + K_STATE] = isFenced ? FENCED : OPEN_ROUND
      next[k + K_ACK_DUE] = 1
    } else if (next[k + K_STATE] === OPEN_ROUND && isFenced) {
      next[k + K_STATE] = FENCED
    }
  }

  #mustWait (state: State, s: number, block: number): boolean {
    if (this.#is('a session does not wait with condemned blocks')) {
      return false
    }

    for (let c = 0; c < this.#init.collectors; c++) {
      const k = this.#at.known(s, c)

      if (
        state[k + K_STATE] !== IS_OVER &&
        (state[k + K_CONDEMNED] & ~state[k + K_OBJECTIONS] & block) !== 0
      ) {
        return true
      }
    }

    return false
  }

  #fence (next: State, c: number): void {
    const at = this.#at.collector(c)
    const pc = next[at + C_PC]

    if (next[at + C_FENCE_EXISTS] === 0) {
      next[at + C_FENCE_EXISTS] = 1
      next[at + C_OLD] = pc === LOOK_2 || pc === SEND_DELETES || next[at + C_IN_FLIGHT] !== 0 ? PENDING : 0
    }
  }

  /** Whether the wait for old deletes of a collector can end. If the store refuses late ones, it always does. */
  #mayWait (state: State, c: number): boolean {
    return this.#init.refusesLate === true || state[this.#at.collector(c) + C_OLD] !== PENDING
  }

  /** Deletes that were allowed before a round was fenced are good no longer, be they under way or not sent yet. */
  #wear (next: State, c: number): void {
    const at = this.#at.collector(c)

    if (next[at + C_OLD] === PENDING) {
      next[at + C_IN_FLIGHT] = 0
      next[at + C_OLD] = next[at + C_PC] === LOOK_2 || next[at + C_PC] === SEND_DELETES ? TOO_LATE : 0
    }
  }

  #collector (state: State, c: number, visit: Visit): void {
    const { dags } = this.#init
    const at = this.#at.collector(c)
    const pc = state[at + C_PC]
    const i = state[at + C_AT]
    const go = (name: string, to: number, change: (next: State) => void = () => {}): void => {
      const next = this.#copy(state)
      next[at + C_PC] = to
      next[at + C_AT] = 0
      change(next)

      if (next[at + C_PC] > DELETING && next[at + C_IN_FLIGHT] === 0) {
        next[at + C_OLD] = 0
      }

      visit(`collector ${name}`, next)
    }
    const isLast = i + 1 === (pc === LIST_SESSIONS ? dags.length : this.#pins.length)
    const along = (next: State): void => { next[at + C_AT] = i + 1 }
    const pin = (next: State): void => {
      if (has(state[PINS], this.#pins[i])) {
        next[at + C_REACHED] |= dags[this.#init.pins.indexOf(this.#pins[i])]
      }
    }
    const listsFirst = this.#is('the collector lists sessions before it writes the round')
    const looksEarly = this.#is('the collector looks at the pins again before it has waited')

    if (pc === COLLECTOR_OVER) {
      return
    }

    if (pc === LOOK_2 || pc === SEND_DELETES) {
      // whoever is killed elsewhere takes no step any more, as one that is paused. Here others wait for what it sends
      go('is killed', COLLECTOR_OVER)
    }

    switch (pc) {
      case READ_PINS:
        go('reads a pin', isLast ? LIST_BLOCKS : pc, next => {
          pin(next)
          if (!isLast) {
            along(next)
          }
        })

        if (i === 0) {
          this.#beginCleaning(state, c, go)
        }

        break
      case LIST_BLOCKS: {
        const candidates = state[BLOCKS] & ~state[at + C_REACHED]

        go('lists blocks', candidates === 0 ? COLLECTOR_OVER : listsFirst ? LIST_SESSIONS : PUT_ROUND, next => {
          next[at + C_CANDIDATES] = candidates
        })
        break
      }
      case PUT_ROUND:
        go('writes a round', listsFirst ? WAIT : LIST_SESSIONS, next => {
          next[at + C_ROUND]++
          next[at + C_CONDEMNED] = state[at + C_CANDIDATES]
          next[at + C_ROUND_EXISTS] = 1
          next[at + C_FENCE_EXISTS] = 0

          for (let s = 0; s < dags.length; s++) {
            next[this.#at.ack(c, s)] = 0
          }
        })
        break
      case LIST_SESSIONS:
        go('lists a session', !isLast ? pc : listsFirst ? PUT_ROUND : looksEarly ? PINS_AGAIN : WAIT, next => {
          if (state[this.#at.session(i) + S_EXISTS] === 1) {
            next[at + C_WAITING] |= 1 << i
          }

          if (!isLast) {
            along(next)
          }
        })
        break
      case WAIT:
        this.#wait(state, c, go)
        break
      case PINS_AGAIN:
        go('reads a pin again', !isLast ? pc : looksEarly ? WAIT : LOOK_1, next => {
          pin(next)

          if (!isLast) {
            along(next)
          }
        })
        break
      case LOOK_1:
      case LOOK_2:
        this.#look(state, c, go)
        break
      case SEND_DELETES:
        go('sends deletes', DELETING, next => {
          if (state[at + C_OLD] !== TOO_LATE) {
            next[at + C_IN_FLIGHT] |= state[at + C_CANDIDATES] & ~state[at + C_REACHED]
          }
        })
        break
      case DELETING:
        if (state[at + C_IN_FLIGHT] === 0 || this.#is('the collector ends a round while a delete is under way')) {
          go('has deleted', END_ROUND)
        }

        break
      case END_ROUND:
        go('ends a round', state[at + C_RUNS] + 1 < this.#init.collections ? READ_PINS : COLLECTOR_OVER, next => {
          next[at + C_RUNS]++
          next[at + C_ROUND_EXISTS] = 0
          next[at + C_FENCE_EXISTS] = 0
          next[at + C_REACHED] = 0
          next[at + C_CANDIDATES] = 0
          next[at + C_WAITING] = 0
        })
        break
      default:
        this.#clean(state, c, pc, go)
    }
  }

  #wait (state: State, c: number, go: (name: string, to: number, change?: (next: State) => void) => void): void {
    const at = this.#at.collector(c)
    const waiting = state[at + C_WAITING]
    const looksEarly = this.#is('the collector looks at the pins again before it has waited')
    const skipsLook = looksEarly || this.#is('the collector does not look at the pins again')

    if (waiting === 0 || this.#is('the collector waits for no session')) {
      go('has waited', skipsLook ? LOOK_1 : PINS_AGAIN)
      return
    }

    for (let s = 0; s < this.#init.dags.length; s++) {
      const ack = state[this.#at.ack(c, s)]
      const isWaiting = has(waiting, s)
      const over = (next: State): void => { next[at + C_WAITING] = waiting & ~(1 << s) }

      if (isWaiting && ack > 0) {
        go('reads an acknowledgement', WAIT, next => {
          over(next)

          if (!this.#is('the collector ignores objections')) {
            next[at + C_REACHED] |= ack - 1
          }
        })
      } else if (isWaiting && state[this.#at.session(s) + S_EXISTS] === 0) {
        go('finds no session', WAIT, over)
      } else if (isWaiting) {
        go('fences a session', WAIT, next => {
          over(next)
          next[this.#at.session(s) + S_EXISTS] = 0
        })
      }
    }
  }

  /** The collector looks whether its round is fenced, then whether it is there. */
  #look (state: State, c: number, go: (name: string, to: number, change?: (next: State) => void) => void): void {
    const at = this.#at.collector(c)
    const isFirst = state[at + C_PC] === LOOK_1
    const looksForFence = isFirst !== this.#is('the collector looks for the round before the fence')
    const isFine = looksForFence ? state[at + C_FENCE_EXISTS] === 0 : state[at + C_ROUND_EXISTS] === 1

    if (isFine || this.#is('the collector does not look for a fence before it deletes')) {
      go(isFirst ? 'looks' : 'looks again', isFirst ? LOOK_2 : SEND_DELETES)
    } else {
      go('is fenced', END_ROUND)
    }
  }

  #beginCleaning (
    state: State,
    c: number,
    go: (name: string, to: number, change?: (next: State) => void) => void
  ): void {
    const other = 1 - c

    if (this.#init.collectors > 1 && state[this.#at.collector(other) + C_ROUND_EXISTS] === 1) {
      go('fences a collector', CLEAN_WAIT, next => {
        this.#fence(next, other)
        // while it cleans up, the field holds the number of the round
        next[this.#at.collector(c) + C_WAITING] = state[this.#at.collector(other) + C_ROUND]
      })
    }
  }

  /** A collector cleans up what a dead one left. */
  #clean (
    state: State,
    c: number,
    pc: number,
    go: (name: string, to: number, change?: (next: State) => void) => void
  ): void {
    const other = this.#at.collector(1 - c)
    const round = this.#at.collector(c) + C_WAITING
    const isSame = state[other + C_ROUND] === state[round]
    const remove = (next: State, field: number): void => { next[other + field] *= isSame ? 0 : 1 }
    const [first, second] = this.#is('a clean-up deletes the fence before the round')
      ? [C_FENCE_EXISTS, C_ROUND_EXISTS]
      : [C_ROUND_EXISTS, C_FENCE_EXISTS]

    if (pc === CLEAN_WAIT) {
      const skipsWait = this.#is('a clean-up does not wait for deletes')

      if (this.#mayWait(state, 1 - c) || skipsWait) {
        go('has waited for deletes', CLEAN_1, next => {
          if (!skipsWait && isSame) {
            this.#wear(next, 1 - c)
          }
        })
      }
    } else if (pc === CLEAN_1) {
      go('cleans up', CLEAN_2, next => { remove(next, first) })
    } else {
      go('has cleaned up', READ_PINS, next => {
        remove(next, second)
        next[round] = 0
      })
    }
  }

  /** The store carries out a delete that was sent, perhaps long after its sender was killed. */
  #store (state: State, c: number, visit: Visit): void {
    const at = this.#at.collector(c)

    for (let b = 0; b < 8; b++) {
      if (has(state[at + C_IN_FLIGHT], b)) {
        const next = this.#copy(state)
        next[BLOCKS] &= ~(1 << b)
        next[at + C_IN_FLIGHT] &= ~(1 << b)

        if (next[at + C_IN_FLIGHT] === 0) {
          next[at + C_OLD] = 0
        }

        visit('the store deletes', next)
      }
    }

    if (state[at + C_EARLY] === 1) {
      const next = this.#copy(state)
      next[at + C_EARLY] = 0
      next[at + C_ROUND_EXISTS] *= state[at + C_ROUND] === 1 ? 0 : 1
      visit('the store deletes a round', next)
    }
  }

  #copy (state: State): State {
    this.#scratch.set(state)

    return this.#scratch
  }

  #is (mutant: Mutant): boolean {
    return this.#init.mutant === mutant
  }
}
