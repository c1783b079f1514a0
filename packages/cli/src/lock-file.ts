/** An empty file that a process holds (`locks/kernel-lock.ts`). Its name says which process, for messages only. */
export interface LockFile {
  name: string
  path: string
  kind: string
  pid: number
  /** The host name of the machine or container in which the process has that id. */
  host: string
}
