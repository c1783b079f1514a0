/** Visits every state of a model of a protocol. */

/** Small numbers, which the model gives a meaning. */
export type State = Uint8Array
/** Is called with a state that the next call overwrites. */
export type Visit = (name: string, next: State) => void

export interface StateModel {
  first: () => State
  /** Visit the states that one step leads to. */
  next: (state: State, visit: Visit) => void
  /** Whether something is lost that must not be. */
  hasLost: (state: State) => boolean
}

export interface Exploration {
  states: number
  /** The steps that lead to a lost block, if any do. */
  counterexample: string[] | undefined
  /** The steps that some state allows: what was never possible proves nothing. */
  steps: ReadonlySet<string>
}

/** Visit every state that can be reached, breadth first, until a block is lost that was acknowledged. */
export function exploreStates (model: StateModel): Exploration {
  const state = Buffer.from(model.first())
  /** All states as strings of one character for each number, and how each was first reached. */
  const keys = [keyOf(state)]
  const from = [-1]
  const by = ['']
  const seen = new Set(keys)
  const steps = new Set<string>()
  let i = 0

  const visit = (step: string, next: State): void => {
    const key = keyOf(next)

    if (!seen.has(key)) {
      seen.add(key)
      keys.push(key)
      from.push(i)
      by.push(step)
    }

    steps.add(step)
  }

  for (; i < keys.length; i++) {
    state.write(keys[i], 'latin1')

    if (model.hasLost(state)) {
      return { states: keys.length, counterexample: pathTo(i, from, by), steps }
    }

    model.next(state, visit)
  }

  return { states: keys.length, counterexample: undefined, steps }
}

export function has (bits: number, i: number): boolean {
  return (bits >> i & 1) === 1
}

function keyOf (state: State): string {
  return Buffer.from(state.buffer, state.byteOffset, state.byteLength).toString('latin1')
}

function pathTo (state: number, from: readonly number[], by: readonly string[]): string[] {
  const path: string[] = []

  for (let at = state; from[at] >= 0; at = from[at]) {
    path.unshift(by[at])
  }

  return path
}
