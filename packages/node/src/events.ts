import { CustomProgressEvent } from 'progress-events'
import type { LockFile } from './lock-file.ts'
import type { CollectionEvent } from '@ipfsz/shared-store/collect'
import type { LinkEvents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent } from 'progress-events'

export { waitingFor } from './lock-file.ts'
export type { LockFile } from './lock-file.ts'

/** What was fetched while a repo was open to read. */
export interface Fetched {
  blocks: number
  bytes: number
  /** How many of the blocks replaced a damaged block of the repo. */
  replaced: number
  /** By peer id, or the URL of a gateway. */
  senders: ReadonlyMap<string, { blocks: number, bytes: number }>
}

/** What is done in a step. */
export type Task =
  | 'add'
  | 'check'
  | 'collect'
  | 'compare'
  | 'connect'
  | 'convert'
  | 'copy'
  | 'count'
  | 'export'
  | 'fetch'
  | 'find'
  | 'find-compressed'
  | 'find-garbage'
  | 'find-providers'
  | 'import'
  | 'index'
  | 'make-pages'
  | 'look-for'
  | 'measure'
  | 'pin'
  | 'prune-links'
  | 'publish'
  | 'remove'
  | 'repack'
  | 'repair'
  | 'resolve'
  | 'sync'
  | 'verify'
  | 'write'

/** A part of the work that may take long. The same object is in all its events. */
export interface Step {
  readonly task: Task
  /** What it is done to: a name, a path or a CID. Empty for the whole repo. */
  readonly name: string
  /** What is counted. Undefined: nothing can be. */
  readonly unit?: 'bytes' | 'blocks' | 'entries' | undefined
  /** How much there is to do, in `unit`. Undefined: not known at the begin. */
  readonly total?: number | undefined
}

/**
 * What a node reports while it works:
 *
 * - `ipfsz:step:begin`, `ipfsz:step:progress` and `ipfsz:step:end`: a part of the work that may take long. `done` is
 *   all that was done of it so far, `total` how much there is to do, once that is known. It ends when it failed, too
 * - `ipfsz:add:failed`: one of several paths was not added; the others are. `path` is empty where the error is of
 *   several that were synced together
 * - `ipfsz:collect:store`: what a collection of a shared store does, and for what it waits; `ipfsz:collect:end`: it
 *   ended
 * - `ipfsz:link:...`: an original was read through its link, as `@ipfsz/core` reports it
 * - `ipfsz:repo:waiting`: another process holds the lock of the repo; `ipfsz:repo:locked`: it does no longer
 * - `ipfsz:fetch:begin` and `ipfsz:fetch:end`: the repo is open to read, and blocks may be fetched
 * - `ipfsz:fetch:asked`: a block below `root` was asked for
 * - `ipfsz:fetch:arrived`: one arrived, that many milliseconds after it was asked for
 * - `ipfsz:fetch:lacks`: a peer that the caller named does not have a block; once for each peer
 * - `ipfsz:warning`: something failed that does not end the work. A minor one helps only to find a fault
 */
export type NodeEvents =
  | ProgressEvent<'ipfsz:step:begin', Step>
  | ProgressEvent<'ipfsz:step:progress', { step: Step, done: number, total?: number | undefined }>
  | ProgressEvent<'ipfsz:step:end', Step>
  | ProgressEvent<'ipfsz:add:failed', { path: string, error: Error }>
  | ProgressEvent<'ipfsz:collect:store', CollectionEvent>
  | ProgressEvent<'ipfsz:collect:end', undefined>
  | LinkEvents
  | ProgressEvent<'ipfsz:repo:waiting', { repo: string, holder: LockFile }>
  | ProgressEvent<'ipfsz:repo:locked', undefined>
  | ProgressEvent<'ipfsz:fetch:begin', undefined>
  | ProgressEvent<'ipfsz:fetch:asked', { root: CID }>
  | ProgressEvent<'ipfsz:fetch:arrived', { sender: string, bytes: number, milliseconds: number }>
  | ProgressEvent<'ipfsz:fetch:lacks', { peer: string, cid: CID, root: CID }>
  | ProgressEvent<'ipfsz:fetch:end', Fetched>
  | ProgressEvent<'ipfsz:warning', { message: string, isMinor: boolean }>

/** Anything with a handler for events of a node. */
export interface NodeProgressOptions {
  onProgress?: ((event: NodeEvents) => void) | undefined
}

type Detail<Type> = Extract<NodeEvents, { type: Type }>['detail']

/** Report what happens. */
export function emit<Type extends NodeEvents['type']> (
  { onProgress }: NodeProgressOptions,
  type: Type,
  detail: Detail<Type>
): void {
  onProgress?.(new CustomProgressEvent<unknown>(type, detail) as NodeEvents)
}

export interface MeasuredOptions {
  /**
   * Whether to find out first how much there is to do, so that the step has a total.
   *
   * @default false
   */
  measures?: boolean | undefined
}

/** Reports how far a step is. */
export interface StepProgress {
  /** @param done - in the unit of the step, all together so far */
  update: (done: number) => void
  /** @param done - in the unit of the step, since the last call */
  add: (done: number) => void
  /** How much there is to do, where that is known only now. */
  expect: (total: number) => void
  /** Called at least once, when all is done or the work failed. */
  end: () => void
}

/** Report the begin of a step, then its progress and its end. */
export function beginStep (options: NodeProgressOptions, given: Step): StepProgress {
  // one object for each step, although several may be alike
  const step: Step = { ...given }
  let { total } = step
  let [done, isOpen] = [0, true]
  const update = (now: number): void => {
    done = now
    emit(options, 'ipfsz:step:progress', { step, done, total })
  }

  emit(options, 'ipfsz:step:begin', step)

  return {
    update,
    add (more) { update(done + more) },
    expect (found) {
      total = found

      if (isOpen) {
        update(done)
      }
    },
    end () {
      if (isOpen) {
        isOpen = false
        emit(options, 'ipfsz:step:end', step)
      }
    }
  }
}

/** Report a step while some work goes on. */
export async function duringStep<T> (
  options: NodeProgressOptions,
  step: Step,
  work: (progress: StepProgress) => Promise<T>
): Promise<T> {
  const progress = beginStep(options, step)

  return work(progress).finally(() => { progress.end() })
}
