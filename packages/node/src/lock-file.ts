/** An empty file that a process holds (`locks/kernel-lock.ts`). Its name says which process, for messages only. */
export interface LockFile {
  name: string
  path: string
  kind: string
  pid: number
  /** The host name of the machine or container in which the process has that id. */
  host: string
}

/** What the holder of a lock is doing, by the kind of the lock. */
const ACTIVITIES = new Map([
  ['gc', 'has exclusive access, for example to collect garbage'],
  ['convert', 'is converting its blocks']
])

/** The note about the process that a command waits for. */
export function waitingFor (repo: string, holder: LockFile): string {
  return `the repo ${repo} is in use: ${describeHolder(holder)}. Waiting for it to finish (Ctrl-C to stop)`
}

/** What the holder of a lock does, as the end of "The repo is in use: ". */
export function describeHolder ({ kind, pid, host }: Pick<LockFile, 'kind'> & Partial<LockFile>): string {
  return pid == null
    ? 'another process uses its links'
    : `process ${pid} on ${host} ${ACTIVITIES.get(kind) ?? 'is adding to it'}`
}
