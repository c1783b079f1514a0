import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'

/** Wait until a process has ended. It may have ended by itself, long ago: then nothing tells it again. */
export async function untilEnded (child: ChildProcess): Promise<void> {
  if (child.exitCode == null && child.signalCode == null) {
    await once(child, 'close')
  }
}
