import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Measured } from './measure-versions.ts'

/** A task that runs in its own process, so that its memory and processor time can be measured. */
export interface Task {
  action: 'add' | 'cat'
  /** A name of FILE_SYSTEMS. */
  files: string
  store: StoreKind
  /** The store's directory. */
  directory: string
  /** The file to add. */
  file: string
  /** Bytes to add. A shorter file is repeated. */
  size: number
  /** The CID to read. `cat` needs it, except for the store in memory, which it fills first. */
  cid?: string
  /** How often to repeat. Each add has a new store. */
  times: number
}

export type StoreKind = 'fs' | 'level' | 'memory'

export interface Outcome {
  cid: string
  /** Wall time of each repetition, in milliseconds. */
  walls: number[]
  /** Processor time of each repetition, in milliseconds. */
  cpus: number[]
  /** The most resident memory in bytes, and what it was before. */
  peak: number
  base: number
}

/** The releases of a file, added and read by each library in turn. */
export interface VersionsTask {
  /** The name of a series. */
  series: string
  /** Where the stores go, one after the other. */
  directory: string
  /** Rounds before those that count: the code is compiled in them. */
  warmUps: number
  rounds: number
}

/** Run a task in a new process. */
export async function runTask (task: Task): Promise<Outcome> {
  return run('run-task.ts', task, `${task.action} with ${task.files}`)
}

/** Add and read the releases of a file in a new process: what was measured, by the names of `LIBRARY_SIDES`. */
export async function runVersions (task: VersionsTask): Promise<Record<string, Measured[]>> {
  return run('run-versions.ts', task, `releases of ${task.series}`)
}

async function run<Result> (program: string, task: object, what: string): Promise<Result> {
  const child = fork(join(import.meta.dirname, program), [JSON.stringify(task)])
  const exit = once(child, 'exit')
  const message = once(child, 'message')

  exit.catch(() => {})
  message.catch(() => {})

  const outcome = await Promise.race([message.then(([outcome]) => outcome as Result), exit.then(([code, signal]) => {
    throw new Error(`The process for ${what} ended with ${code ?? signal}`)
  })])

  await exit

  return outcome
}
