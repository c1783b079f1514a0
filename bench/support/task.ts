import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What is done in a process of its own, so that its memory and its processor time are its own. */
export interface Task {
  action: 'add' | 'cat'
  /** A name of FILE_SYSTEMS. */
  files: string
  store: StoreKind
  /** The store's directory. */
  directory: string
  /** The file to add. */
  file: string
  /** Bytes of it, which is read again from its beginning where it has fewer. */
  size: number
  /** What to read: needed by `cat` of all stores but memory, which is filled before. */
  cid?: string
  /** How often, with a new store each time where something is added. */
  times: number
}

export type StoreKind = 'fs' | 'level' | 'memory'

export interface Outcome {
  cid: string
  /** Milliseconds of each time. */
  walls: number[]
  /** Processor time of each, in milliseconds. */
  cpus: number[]
  /** The most resident memory in bytes, and what it was before. */
  peak: number
  base: number
}

/** Something to read that was made for what that takes. */
export interface StrangerTask {
  action: 'cat' | 'ls'
  directory: string
  cid: string
  /** Milliseconds that a reader waits after each block, or entry. */
  pause: number
}

export interface StrangerOutcome {
  /** The most resident memory in bytes, and what it was before. */
  peak: number
  base: number
  /** The name of the error that it ended with, where it did. */
  refused: string
}

/** Do it in a new process. */
export async function runTask (task: Task): Promise<Outcome> {
  return run('run-task.ts', task, `${task.action} with ${task.files}`)
}

/** Read it in a new process. */
export async function runStrangerTask (task: StrangerTask): Promise<StrangerOutcome> {
  return run('run-stranger-task.ts', task, task.action)
}

async function run<Result> (program: string, task: object, what: string): Promise<Result> {
  const child = fork(join(import.meta.dirname, program), [JSON.stringify(task)])
  const exit = once(child, 'exit')
  const message = once(child, 'message')

  exit.catch(() => {})
  message.catch(() => {})

  const outcome = await Promise.race([message.then(([outcome]) => outcome as Result), exit.then(([code, signal]) => {
    throw new Error(`A process that was to ${what} ended with ${code ?? signal}`)
  })])

  await exit

  return outcome
}
