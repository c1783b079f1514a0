/**
 * A model of garbage collection beside adds in a shared store of packs (docs/shared-store.md): every step is one
 * operation of the store, and any process may take the next one. So each may pause or die anywhere. Nobody has a clock:
 * whoever could be declared dead may be at any time. A delete that was sent may arrive at any later time, and again.
 *
 * Not split: the state is an array of small numbers, and all of its parts are needed to read any step.
 */
import { exploreStates, has } from './explore-states.ts'
import type { Exploration, State, StateModel, Visit } from './explore-states.ts'

/** A step that protects blocks, and that the model can leave out, or do wrong, to show that it is needed. */
export type PackMutant =
  | 'the collector waits for no session'
  | 'the collector lists sessions before it writes the round'
  | 'the collector does not look at the pins again'
  | 'the collector looks at the pins again before it has waited'
  | 'the collector ignores objections'
  | 'the collector copies nothing'
  | 'the collector copies after it has deleted'
  | 'the collector counts on condemned packs'
  | 'the collector does not look for its session before it deletes'
  | 'the collector ends a round before its packs are gone'
  | 'a clean-up ends the round of a collector'
  | 'a session lists rounds before it writes its object'
  | 'a session lists packs before it lists rounds'
  | 'a session relies on condemned packs'
  | 'a session does not rely on its own pack'
  | 'a session confirms before its pack is stored'
  | 'a session does not look for its object after the pin'
  | 'a session writes its object again'
  | 'a session takes its pin back when it was fenced'
  | 'a session gives its pack the name of one that was deleted'

export interface PackModelInit {
  /** For each session the blocks that it adds and pins, as bits. */
  dags: readonly number[]
  /** For each session the number of its pin: sessions that pin the same CID share it. */
  pins: readonly number[]
  /** The packs that are there at the beginning: the blocks of each, as bits. */
  packs: readonly number[]
  /** The blocks that are pinned from the beginning. */
  pinned: number
  collectors: number
  /** How often each collector runs. */
  collections: number
  /**
   * What the search leaves out, where there would be too many states: packs that each collector never condemns, as
   * bits, and sessions that are fenced although no collection waits for them.
   */
  leftOut?: { packs: readonly number[], evictions: boolean }
  mutant?: PackMutant
}

// a session
const PUT_SESSION = 0
const OPEN = 1
const LIST_PACKS = 2
const STORE = 3
const UPLOAD = 4
const PIN = 5
const CONFIRM = 6
const END = 7
const SESSION_OVER = 8
// a collector, after PUT_SESSION, OPEN and LIST_PACKS
const READ_PINS = 3
const PUT_ROUND = 4
const LIST_SESSIONS = 5
const WAIT = 6
const PINS_AGAIN = 7
const LIST_AGAIN = 8
const CHOOSE = 9
const COPY = 10
const CONFIRM_DELETES = 11
const SEND_DELETES = 12
const DELETING = 13
const END_ROUND = 14
const COLLECTOR_OVER = 15

// the store: sets of packs and of pins. Then the blocks of each pack
const EXIST = 0
const PINS = 1
const ACKNOWLEDGED = 2
/** Packs whose deletes were sent: they may arrive whenever, and again. */
const DELETES = 3
const CONTENTS = 4

// a session: also every collector has one
const S_PC = 0
const S_EXISTS = 1
/** The packs that it has listed. */
const S_LISTED = 2
/** The packs that rounds condemn, as far as it has seen them. */
const S_CONDEMNED = 3
const S_RELIES = 4
/** The rounds that it has looked for since it began. */
const S_POLLED = 5
/** Blocks for its own pack. */
const S_OWN = 6
const S_DONE = 7
const S_FIELDS = 8

// a collector
const C_AT = 0
const C_REACHED = 1
const C_WAITING = 2
/** The collector whose round this one completes, and which round of it that is. */
const C_TARGET = 3
const C_ROUND = 4
const C_OBJECTED = 5
const C_DELETES = 6
const C_RUNS = 7
const C_FIELDS = 8

// the round of a collector
const R_NUMBER = 0
const R_EXISTS = 1
const R_PACKS = 2
const R_FIELDS = 3

// what a session has done with a collector's round
const A_SEEN = 0
/** 1 once it has acknowledged it. */
const A_DONE = 1
const A_OBJECTS = 2
const A_FIELDS = 3

type Change = (next: State) => void
type Go = (name: string, to: number, change?: Change) => void

/** Visit every state that can be reached, breadth first, until a block is lost that was acknowledged. */
export function explorePacks (init: PackModelInit): Exploration {
  return exploreStates(new PackModel(init))
}

class PackModel implements StateModel {
  readonly #init: PackModelInit
  readonly #scratch: State
  /** How many packs there may ever be: of the beginning, of sessions, and of collections. */
  readonly #packs: number
  readonly #sessions: number
  /** The blocks of each pin. The last one is there from the beginning. */
  readonly #pins: readonly number[]

  constructor (init: PackModelInit) {
    const { dags, pins, packs, collectors, collections } = init
    this.#init = init
    this.#packs = packs.length + dags.length + collectors * collections
    this.#sessions = dags.length + collectors
    this.#pins = [...Array.from(new Set(pins), pin => dags[pins.indexOf(pin)]), init.pinned]
    this.#scratch = new Uint8Array(this.#ack(collectors - 1, this.#sessions - 1) + A_FIELDS)
  }

  first (): State {
    const state = new Uint8Array(this.#scratch.length)
    state[EXIST] = (1 << this.#init.packs.length) - 1
    state[PINS] = 1 << this.#pins.length - 1
    state.set(this.#init.packs, CONTENTS)

    return state
  }

  hasLost (state: State): boolean {
    const blocks = this.#blocksIn(state, state[EXIST])
    const isLost = (dag: number): boolean => (blocks & dag) !== dag

    return isLost(this.#init.pinned) || this.#init.dags.some((dag, s) => (
      has(state[ACKNOWLEDGED], s) && (isLost(dag) || !has(state[PINS], this.#init.pins[s]))
    ))
  }

  next (state: State, visit: Visit): void {
    for (let s = 0; s < this.#sessions; s++) {
      this.#poll(state, s, visit)

      if (state[this.#session(s) + S_EXISTS] === 1 && this.#init.leftOut?.evictions !== true) {
        // an operator does, or a collector
        this.#step(state, visit, 'somebody evicts a session', next => { next[this.#session(s) + S_EXISTS] = 0 })
      }
    }

    this.#init.dags.forEach((_, s) => { this.#add(state, s, visit) })

    for (let c = 0; c < this.#init.collectors; c++) {
      this.#collect(state, c, visit)

      if (this.#is('a clean-up ends the round of a collector') && state[this.#round(c) + R_EXISTS] === 1) {
        this.#step(state, visit, 'a clean-up ends a round', next => { next[this.#round(c) + R_EXISTS] = 0 })
      }
    }

    for (let p = 0; p < this.#packs; p++) {
      if (has(state[DELETES] & state[EXIST], p)) {
        this.#step(state, visit, 'the store deletes a pack', next => { next[EXIST] &= ~(1 << p) })
      }
    }
  }

  /** What every session does at any time: look at the rounds, and acknowledge them. */
  #poll (state: State, s: number, visit: Visit): void {
    const at = this.#session(s)
    const listsFirst = this.#is('a session lists rounds before it writes its object') && s < this.#init.dags.length

    if ((state[at + S_PC] === PUT_SESSION && !listsFirst) || this.#isOver(state, s)) {
      return
    }

    for (let c = 0; c < this.#init.collectors; c++) {
      const round = this.#round(c)
      const ack = this.#ack(c, s)
      const isNews = state[round + R_EXISTS] === 1 && state[ack + A_SEEN] !== state[round + R_NUMBER]

      if (isNews || (state[at + S_PC] <= OPEN && !has(state[at + S_POLLED], c))) {
        this.#step(state, visit, 'a session polls', next => {
          next[at + S_POLLED] |= state[at + S_PC] <= OPEN ? 1 << c : 0

          if (isNews) {
            next[ack + A_SEEN] = state[round + R_NUMBER]
            next[ack + A_OBJECTS] = state[round + R_PACKS] & state[at + S_RELIES]
            next[at + S_CONDEMNED] |= state[round + R_PACKS]
          }
        })
      }

      const isDue = state[round + R_EXISTS] === 1 && state[ack + A_SEEN] === state[round + R_NUMBER] &&
        state[ack + A_DONE] === 0

      if (isDue) {
        this.#step(state, visit, 'a session acknowledges a round', next => { next[ack + A_DONE] = 1 })
      }
    }
  }

  #add (state: State, s: number, visit: Visit): void {
    const { dags, pins, packs } = this.#init
    const at = this.#session(s)
    const pc = state[at + S_PC]
    const own = this.#is('a session gives its pack the name of one that was deleted') ? 0 : packs.length + s
    const go = this.#goer(state, at + S_PC, 'a session', visit)
    const storesLate = this.#is('a session confirms before its pack is stored')
    const [afterStore, afterUpload, afterConfirm] = storesLate ? [PIN, END, UPLOAD] : [UPLOAD, PIN, END]

    if (this.#is('a session writes its object again') && pc > OPEN && pc < SESSION_OVER && state[at + S_EXISTS] === 0) {
      go('writes its object again', pc, next => { next[at + S_EXISTS] = 1 })
    }

    switch (pc) {
      case PUT_SESSION:
      case OPEN:
      case LIST_PACKS:
        this.#open(state, s, STORE, go)
        break
      case STORE:
        this.#storeBlocks(state, s, afterStore, go)
        break
      case UPLOAD:
        if (state[at + S_OWN] === 0) {
          go('has nothing to store', afterUpload)
        } else {
          go('stores its pack', afterUpload, next => {
            next[at + S_RELIES] |= this.#is('a session does not rely on its own pack') ? 0 : 1 << own
            this.#putPack(next, own, state[at + S_OWN])
          })
        }

        break
      case PIN:
        go('pins', CONFIRM, next => { next[PINS] |= 1 << pins[s] })
        break
      case CONFIRM:
        if (state[at + S_EXISTS] === 1 || this.#is('a session does not look for its object after the pin')) {
          go('confirms', afterConfirm, next => { next[ACKNOWLEDGED] |= 1 << s })
        } else {
          go('is lost', SESSION_OVER, next => {
            next[PINS] &= this.#is('a session takes its pin back when it was fenced') ? ~(1 << pins[s]) : 0xff
          })
        }

        break
      case END:
        go('ends', SESSION_OVER, next => { next[at + S_EXISTS] = 0 })
        break
      default:
        if (dags[s] < 0) {
          throw new RangeError('a session adds something')
        }
    }
  }

  /** How every session begins. */
  #open (state: State, s: number, to: number, go: Go): void {
    const at = this.#session(s)
    const isAdd = s < this.#init.dags.length
    const hasPolled = state[at + S_POLLED] === (1 << this.#init.collectors) - 1
    const listsRoundsFirst = isAdd && this.#is('a session lists rounds before it writes its object')
    const listsPacksFirst = isAdd && this.#is('a session lists packs before it lists rounds')
    const listed = (next: State): void => { next[at + S_LISTED] = state[EXIST] }

    if (state[at + S_PC] === PUT_SESSION && (!listsRoundsFirst || hasPolled)) {
      go('writes its object', OPEN, next => {
        next[at + S_EXISTS] = 1

        if (listsPacksFirst) {
          listed(next)
        }
      })
    } else if (state[at + S_PC] === OPEN && hasPolled) {
      go('has seen the rounds', listsPacksFirst ? to : LIST_PACKS)
    } else if (state[at + S_PC] === LIST_PACKS) {
      go('lists packs', to, listed)
    }
  }

  /** A block that is in a pack on which the session may rely is not stored again. */
  #storeBlocks (state: State, s: number, to: number, go: Go): void {
    const at = this.#session(s)
    const dag = this.#init.dags[s]

    if (state[at + S_DONE] === dag) {
      go('has all blocks', to)
      return
    }

    if (state[at + S_LISTED] !== state[EXIST] && !this.#is('a session lists packs before it lists rounds')) {
      go('lists packs again', STORE, next => { next[at + S_LISTED] = state[EXIST] })
    }

    for (let b = 0; b < 8; b++) {
      if (has(dag & ~state[at + S_DONE], b)) {
        const [pack] = this.#packsWith(state, b, state[at + S_LISTED] & this.#usable(state, s))

        go(pack == null ? 'keeps a block for its pack' : 'finds a block', STORE, next => {
          next[at + S_DONE] |= 1 << b
          next[at + S_OWN] |= pack == null ? 1 << b : 0
          next[at + S_RELIES] |= pack == null ? 0 : 1 << pack
        })
      }
    }
  }

  #collect (state: State, c: number, visit: Visit): void {
    const s = this.#init.dags.length + c
    const session = this.#session(s)
    const at = this.#collector(c)
    const pc = state[session + S_PC]
    const go = this.#goer(state, session + S_PC, 'a collector', visit)
    const looksEarly = this.#is('the collector looks at the pins again before it has waited')
    const listsFirst = this.#is('the collector lists sessions before it writes the round')

    switch (pc) {
      case PUT_SESSION:
      case OPEN:
      case LIST_PACKS:
        this.#open(state, s, READ_PINS, go)
        break
      case READ_PINS:
        this.#readPin(state, c, listsFirst ? LIST_SESSIONS : PUT_ROUND, go)
        break
      case PUT_ROUND:
        this.#putRound(state, c, listsFirst ? WAIT : LIST_SESSIONS, go)
        break
      case LIST_SESSIONS:
        this.#listSession(state, c, listsFirst ? PUT_ROUND : looksEarly ? PINS_AGAIN : WAIT, go)
        break
      case WAIT:
        this.#wait(state, c, looksEarly || this.#is('the collector does not look at the pins again')
          ? LIST_AGAIN
          : PINS_AGAIN, go)
        break
      case PINS_AGAIN:
        this.#readPin(state, c, looksEarly ? WAIT : LIST_AGAIN, go)
        break
      case LIST_AGAIN:
        go('lists packs again', CHOOSE, next => { next[session + S_LISTED] = state[EXIST] })
        break
      case CHOOSE:
        this.#choose(state, c, this.#is('the collector copies after it has deleted') ? CONFIRM_DELETES : COPY, go)
        break
      case COPY:
        this.#copy(state, c, this.#is('the collector copies after it has deleted') ? END_ROUND : CONFIRM_DELETES, go)
        break
      case CONFIRM_DELETES:
        if (state[session + S_EXISTS] === 1 ||
          this.#is('the collector does not look for its session before it deletes')) {
          go('confirms', SEND_DELETES)
        } else {
          go('is lost', COLLECTOR_OVER)
        }

        break
      case SEND_DELETES:
        go('sends deletes', DELETING, next => { next[DELETES] |= state[at + C_DELETES] })
        break
      case DELETING:
        if ((state[EXIST] & state[at + C_DELETES]) === 0 ||
          this.#is('the collector ends a round before its packs are gone')) {
          go('has deleted', this.#is('the collector copies after it has deleted') ? COPY : END_ROUND)
        }

        break
      case END_ROUND:
        this.#endRound(state, c, go)
        break
      default:
    }
  }

  #readPin (state: State, c: number, to: number, go: Go): void {
    const at = this.#collector(c)
    const i = state[at + C_AT]
    const isLast = i + 1 === this.#pins.length

    go('reads a pin', isLast ? to : state[this.#session(this.#init.dags.length + c) + S_PC], next => {
      next[at + C_AT] = isLast ? 0 : i + 1
      next[at + C_REACHED] |= has(state[PINS], i) ? this.#pins[i] : 0
    })
  }

  /** Complete a round that another collection has left, or condemn packs: any, be they garbage or not. */
  #putRound (state: State, c: number, to: number, go: Go): void {
    const session = this.#session(this.#init.dags.length + c)
    const at = this.#collector(c)
    const own = this.#round(c)

    for (let other = 0; other < this.#init.collectors; other++) {
      const left = this.#round(other)

      if (state[left + R_EXISTS] === 1) {
        go('takes over a round', to, next => {
          next[at + C_TARGET] = other
          next[at + C_ROUND] = state[left + R_NUMBER]
        })
      }
    }

    if (state[own + R_EXISTS] === 1) {
      return
    }

    const packs = Array.from({ length: this.#packs }, (_, p) => 1 << p & state[session + S_LISTED] &
      ~state[session + S_CONDEMNED] & ~(this.#init.leftOut?.packs[c] ?? 0)).filter(pack => pack !== 0)
    const all = packs.reduce((sum, pack) => sum | pack, 0)

    for (const condemned of new Set([...packs, all])) {
      if (condemned === 0) {
        go('has nothing to delete', COLLECTOR_OVER)
      } else {
        go('writes a round', to, next => {
          next[own + R_NUMBER]++
          next[own + R_EXISTS] = 1
          next[own + R_PACKS] = condemned
          next[at + C_TARGET] = c
          next[at + C_ROUND] = next[own + R_NUMBER]
          next[session + S_CONDEMNED] |= condemned

          for (let s = 0; s < this.#sessions; s++) {
            next.fill(0, this.#ack(c, s), this.#ack(c, s) + A_FIELDS)
          }

          next[this.#ack(c, this.#init.dags.length + c) + A_SEEN] = next[own + R_NUMBER]
        })
      }
    }
  }

  #listSession (state: State, c: number, to: number, go: Go): void {
    const at = this.#collector(c)
    const i = state[at + C_AT]
    const isLast = i + 1 === this.#sessions
    const own = this.#init.dags.length + c

    go('lists a session', isLast ? to : LIST_SESSIONS, next => {
      next[at + C_AT] = isLast ? 0 : i + 1
      next[at + C_WAITING] |= i !== own && state[this.#session(i) + S_EXISTS] === 1 ? 1 << i : 0
    })
  }

  #wait (state: State, c: number, to: number, go: Go): void {
    const at = this.#collector(c)

    if (state[at + C_WAITING] === 0 || this.#is('the collector waits for no session')) {
      go('has waited', to, next => { next[at + C_WAITING] = 0 })
      return
    }

    for (let s = 0; s < this.#sessions; s++) {
      const ack = this.#ack(state[at + C_TARGET], s)
      const isWaiting = has(state[at + C_WAITING], s)
      const over = (next: State): void => { next[at + C_WAITING] &= ~(1 << s) }

      if (isWaiting && state[this.#session(s) + S_EXISTS] === 0) {
        go('finds no session', WAIT, over)
      } else if (isWaiting && state[ack + A_DONE] === 1 && state[ack + A_SEEN] === state[at + C_ROUND]) {
        go('reads an acknowledgement', WAIT, next => {
          over(next)
          next[at + C_OBJECTED] |= this.#is('the collector ignores objections') ? 0 : state[ack + A_OBJECTS]
        })
      } else if (isWaiting) {
        go('fences a session', WAIT, next => {
          over(next)
          next[this.#session(s) + S_EXISTS] = 0
        })
      }
    }
  }

  /** What it deletes, and which blocks of that it must copy: those that pins reach, and that are nowhere else. */
  #choose (state: State, c: number, to: number, go: Go): void {
    const s = this.#init.dags.length + c
    const session = this.#session(s)
    const at = this.#collector(c)
    const deletes = state[this.#round(state[at + C_TARGET]) + R_PACKS] & ~state[at + C_OBJECTED]
    const needed = this.#is('the collector copies nothing') ? 0 : this.#blocksIn(state, deletes) & state[at + C_REACHED]
    const usable = this.#is('the collector counts on condemned packs') ? 0xff : this.#usable(state, s)
    let copied = 0

    for (let b = 0; b < 8; b++) {
      if (has(needed, b)) {
        const [pack] = this.#packsWith(state, b, state[session + S_LISTED] & usable & ~deletes)
        copied |= pack == null ? 1 << b : 0
      }
    }

    go('looks what it must copy', to, next => {
      next[at + C_DELETES] = deletes
      next[session + S_OWN] = copied
    })
  }

  #copy (state: State, c: number, to: number, go: Go): void {
    const { dags, packs, collections } = this.#init
    const session = this.#session(dags.length + c)
    const at = this.#collector(c)
    const pack = packs.length + dags.length + c * collections + state[at + C_RUNS]
    const copied = state[session + S_OWN]

    if (copied === 0) {
      go('copies nothing', to)
    } else if ((this.#blocksIn(state, state[EXIST]) & copied) === copied) {
      go('copies blocks', to, next => { this.#putPack(next, pack, copied) })
    } else {
      // of a pin that was never confirmed, or of a round that another collection completes
      go('misses a block', COLLECTOR_OVER)
    }
  }

  /** A round stays until its packs are gone: those to which sessions object are for the next collection. */
  #endRound (state: State, c: number, go: Go): void {
    const session = this.#session(this.#init.dags.length + c)
    const at = this.#collector(c)
    const round = this.#round(state[at + C_TARGET])
    const isSame = state[round + R_NUMBER] === state[at + C_ROUND]
    const isOver = (state[round + R_PACKS] & state[EXIST]) === 0 ||
      this.#is('the collector ends a round before its packs are gone')
    const runs = state[at + C_RUNS] + 1

    go(isOver ? 'ends a round' : 'leaves a round', runs < this.#init.collections ? PUT_SESSION : COLLECTOR_OVER,
      next => {
        if (isOver && isSame) {
          next[round + R_EXISTS] = 0
        }

        next.fill(0, session + S_EXISTS, session + S_FIELDS)
        next.fill(0, at, at + C_FIELDS)
        next[at + C_RUNS] = runs

        // the next run is another session
        for (let other = 0; other < this.#init.collectors; other++) {
          const ack = this.#ack(other, this.#init.dags.length + c)
          next.fill(0, ack, ack + A_FIELDS)
        }
      })
  }

  #putPack (next: State, pack: number, blocks: number): void {
    next[EXIST] |= 1 << pack
    next[CONTENTS + pack] = blocks
  }

  /** The packs on which a session may rely from now on. */
  #usable (state: State, s: number): number {
    const at = this.#session(s)
    const isBlind = this.#is('a session relies on condemned packs') && s < this.#init.dags.length

    return isBlind ? 0xff : ~state[at + S_CONDEMNED] | state[at + S_RELIES]
  }

  #packsWith (state: State, block: number, packs: number): number[] {
    return Array.from({ length: this.#packs }, (_, p) => p)
      .filter(p => has(packs, p) && has(state[CONTENTS + p], block))
  }

  #blocksIn (state: State, packs: number): number {
    let blocks = 0

    for (let p = 0; p < this.#packs; p++) {
      blocks |= has(packs, p) ? state[CONTENTS + p] : 0
    }

    return blocks
  }

  #isOver (state: State, s: number): boolean {
    return state[this.#session(s) + S_PC] === (s < this.#init.dags.length ? SESSION_OVER : COLLECTOR_OVER)
  }

  #goer (state: State, pc: number, who: string, visit: Visit): Go {
    return (name, to, change = () => {}) => {
      this.#step(state, visit, `${who} ${name}`, next => {
        next[pc] = to
        change(next)
      })
    }
  }

  #step (state: State, visit: Visit, name: string, change: Change): void {
    this.#scratch.set(state)
    change(this.#scratch)
    visit(name, this.#scratch)
  }

  #session (s: number): number {
    return CONTENTS + this.#packs + s * S_FIELDS
  }

  #collector (c: number): number {
    return this.#session(this.#sessions) + c * C_FIELDS
  }

  #round (c: number): number {
    return this.#collector(this.#init.collectors) + c * R_FIELDS
  }

  #ack (c: number, s: number): number {
    return this.#round(this.#init.collectors) + (c * this.#sessions + s) * A_FIELDS
  }

  #is (mutant: PackMutant): boolean {
    return this.#init.mutant === mutant
  }
}
