import { readFile } from 'node:fs/promises'

/** User and system time of a process in milliseconds, from the fields that proc(5) calls utime and stime. */
export async function processCpu (pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ').at(-1)?.split(' ') ?? []

  // in hundredths of a second
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The processes that a process has started, and that run. */
export async function childrenOf (pid: number): Promise<number[]> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number)
}
