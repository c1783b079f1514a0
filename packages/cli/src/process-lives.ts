import { readFileSync } from 'node:fs'

/** When a process began, in the system's own ticks: another of the same id began later. Empty where the system does not tell. */
export function startOf (pid: number): string {
  try {
    // field 22, counted behind the name, which may have spaces in it (proc_pid_stat(5))
    return readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').trim().split(' ')[19] ?? ''
  } catch {
    return ''
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

  const now = startOf(pid)

  return start === '' || now === '' || now === start
}
