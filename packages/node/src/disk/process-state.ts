import { readFileSync } from 'node:fs'

/**
 * States (field 3 of proc_pid_stat(5)) of a process that has ended but not been reaped. In a container it may never be.
 */
const ENDED = new Set(['Z', 'X'])

/** A process's start time in clock ticks, which tells apart two processes with the same id. Empty if unknown. */
export function startOf (pid: number): string {
  // field 22
  return statOf(pid)[19] ?? ''
}

/** The fields of /proc/PID/stat from field 3 on. Field 2 is the name, which may contain spaces. */
function statOf (pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').trim().split(' ')
  } catch {
    return []
  }
}

/** Whether the process with this id is still running. An unknown start time, '', is not compared. */
export function isRunning (pid: number, start: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (err) {
    // EPERM: it is running, and belongs to another user
    return (err as NodeJS.ErrnoException).code === 'EPERM'
  }

  if (ENDED.has(statOf(pid)[0])) {
    return false
  }

  const now = startOf(pid)

  return start === '' || now === '' || now === start
}
