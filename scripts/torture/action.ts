import type { Result } from './command.ts'
import type { Item } from './items.ts'
import type { World } from './world.ts'

/** What one process does. */
export interface Action {
  verb: string
  args: string[]
  stdin: Uint8Array
  items: readonly Item[]
  effect: 'pins' | 'unpins' | 'reads' | 'all'
  /** A directory that changes when the process begins to work, if there is one. */
  begins?: string
  /** Whether nothing but a kill may stop it. */
  sure: boolean
  /** Look at what it left outside of the repo. */
  check (result: Result): Promise<void>
}

/** What reads and changes nothing. What is pinned can be read. */
export function reading (world: World, items: readonly Item[]): Omit<Action, 'verb' | 'args'> {
  return {
    stdin: new Uint8Array(0),
    items,
    effect: 'reads',
    sure: items.every(item => world.states.get(item) === 'kept'),
    async check () {}
  }
}
