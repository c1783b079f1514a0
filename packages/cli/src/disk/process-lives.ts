import { readFileSync } from 'node:fs'

/** A process that has ended and that its parent has not asked after, which in a container may stay so for ever, in field 3 (proc_pid_stat(5)). */
const ENDED = new Set(['Z', 'X'])

/** When a process began, in the system's own ticks: another of the same id began later. Empty where the system does not tell. */
export function startOf (pid: number): string {
  // field 22
  return statOf(pid)[19] ?? ''
}

/** What the system tells of a process from field 3 on: before it is the name, which may have spaces in it. */
function statOf (pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').trim().split(' ')
  } catch {
    return []
  }
}

/** Whether a process lives that had this id, and began then where that is known. */
export function lives (pid: number, start: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (err) {
    // EPERM: it lives and is somebody else's
    return (err as NodeJS.ErrnoException).code === 'EPERM'
  }

  if (ENDED.has(statOf(pid)[0])) {
    return false
  }

  const now = startOf(pid)

  return start === '' || now === '' || now === start
}
