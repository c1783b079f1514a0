/** Runs a `SmallAddTask` of `task.ts` in a process of its own. */
import { join } from 'node:path'
import { measure } from '../../benchmark.ts'
import { SMALL_ADDS } from './small-adds.ts'
import type { Time } from '../../benchmark.ts'
import type { SmallAddTask } from '../task.ts'

// the parent process has ended
process.on('disconnect', () => { process.exit() })

const { side, input, directory, times } = JSON.parse(process.argv[2]) as SmallAddTask
const measured: Time[] = []

for (let time = 0; time < times; time++) {
  const { wall, cpu } = await measure(async () => SMALL_ADDS[side](input, join(directory, `${time}`)))
  measured.push({ wall, cpu })
}

process.send?.(measured, () => { process.exit() })
