import type { Result } from './command.ts'
import type { Item } from './items.ts'
import type { World } from './world.ts'

/** A command for one process to run. */
export interface Action {
  verb: string
  args: string[]
  stdin: Uint8Array
  items: readonly Item[]
  effect: 'pins' | 'unpins' | 'reads' | 'all'
  /** A directory whose first change shows that the process has begun to work. */
  begins?: string
  /** Whether it must succeed unless it is killed. */
  sure: boolean
  /** Check what it wrote outside the repo: stdout or files. */
  check (result: Result): Promise<void>
}

/** An action that changes nothing. It must succeed if all its items are pinned. */
export function reading (world: World, items: readonly Item[]): Omit<Action, 'verb' | 'args'> {
  return {
    stdin: new Uint8Array(0),
    items,
    effect: 'reads',
    sure: items.every(item => world.states.get(item) === 'kept'),
    async check () {}
  }
}
