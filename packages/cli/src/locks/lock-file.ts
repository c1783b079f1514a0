/** An empty file that a process holds (`kernel-lock.ts`). Its name says which, for people. */
export interface LockFile {
  name: string
  path: string
  kind: string
  pid: number
  /** The machine or container where the process has that id. */
  host: string
}
