/**
 * Measures a side once, in a process of its own: what it started ends with it, when it takes too long too.
 * `run-side.ts` starts it, and gets what was measured in messages.
 */
import { measureSide } from './measure-side.ts'
import { SIDES } from './sides.ts'
import type { SideMessage, SideTask } from './run-side.ts'

// the parent process has ended
process.on('disconnect', () => { process.exit() })

const { id, ...init } = JSON.parse(process.argv[2]) as SideTask
const side = SIDES.find(side => side.id === id)

if (side == null) {
  throw new Error(`there is no side ${id}`)
}

try {
  await measureSide(side, init, (objects, measured) => { send({ objects, measured }) })
  send({}, () => { process.exit() })
} catch (err) {
  console.error(err)
  const { name, message } = err as Error
  send({ failure: `${name}: ${message}` }, () => { process.exit(1) })
}

function send (message: SideMessage, then = (): void => {}): void {
  process.send?.(message, then)
}
