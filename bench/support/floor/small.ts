import { mkdir, rm } from 'node:fs/promises'
import { progress, rotate } from '../../benchmark.ts'
import { runSmallAdds } from '../task.ts'
import { toRows } from './rows.ts'
import { SMALL_ADDS } from './small-adds.ts'
import type { Row, Time } from '../../benchmark.ts'
import type { SmallAddTask } from '../task.ts'

/** Small files to add. */
interface SmallInput {
  name: string
  size: number
  input: SmallAddTask['input']
  /** How many processes add it with each side, and how often each does. */
  rounds: number
  times: number
}

const SIDES = Object.keys(SMALL_ADDS)

/** Add small files in several ways, beside what that cannot do without: in new processes, and in warm ones. */
export async function compareSmallAdds (inputs: readonly SmallInput[], directory: string): Promise<Row[]> {
  const rows: Row[] = []

  for (const { name, size, input, rounds, times } of inputs) {
    progress(`add, ${name}`)
    const [first, later] = [0, 1].map(() => new Map<string, Time[]>(SIDES.map(side => [side, []])))

    for (let round = 0; round < rounds; round++) {
      for (const side of rotate(SIDES, round)) {
        await mkdir(directory)
        const [cold, ...warm] = await runSmallAdds({ side, input, directory, times })
        await rm(directory, { recursive: true })
        first.get(side)?.push(cold)
        later.get(side)?.push(...warm)
      }
    }

    rows.push(...toRows({ input: name, process: 'new' }, size, first))
    rows.push(...times > 1 ? toRows({ input: name, process: 'warm' }, size, later) : [])
  }

  return rows
}
