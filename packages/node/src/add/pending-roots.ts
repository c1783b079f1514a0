import { isIdentity } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { findDaemon, tellDaemon } from '../daemon/tell-daemon.ts'
import { duringStep } from '../events.ts'
import type { NodeContext, Session } from '../context.ts'
import type { KuboSession } from '../kubo/kubo.ts'
import type { NewPin } from '../repo/repo-pins.ts'

/** Maximum number of roots that are synced and pinned together. */
const MAX_PENDING = 64
const SYNC = { task: 'sync', name: '' } as const

/** The longest that roots wait for more of them, in milliseconds. */
const FLUSH_AFTER = 200

/** A root that was added, but not yet synced, pinned and reported. */
export interface PendingRoot extends NewPin {
  /** Called and awaited once it is pinned. */
  report: () => void | Promise<void>
  /** Called and awaited if it could not be synced or pinned. */
  discard?: (() => Promise<void>) | undefined
}

export interface PendingRootsInit {
  /** Whether to pin the roots. */
  pin: boolean
  session: Partial<KuboSession> & Partial<Pick<Session, 'repo'>>
  context: NodeContext
  /** Called with the error of each root that could not be synced or pinned. May throw to stop. */
  fail: (err: unknown) => void
}

/** Reports roots once they are synced and pinned. Roots that follow each other quickly are synced together. */
export class PendingRoots {
  readonly #init: PendingRootsInit
  #roots: PendingRoot[] = []
  #lastFlush = performance.now()

  constructor (init: PendingRootsInit) {
    this.#init = init
  }

  push (root: PendingRoot): void {
    this.#roots.push(root)
  }

  /** Flush if there are many roots, or if the last flush was long ago. */
  async flushIfDue (): Promise<void> {
    const isDue = performance.now() - this.#lastFlush > FLUSH_AFTER

    if (this.#init.session.repo == null || this.#roots.length >= MAX_PENDING || isDue) {
      await this.flush()
    }
  }

  /** Sync, pin and report all pending roots. */
  async flush (): Promise<void> {
    const { pin, session, context, fail } = this.#init
    const roots = this.#roots.splice(0)
    const errors = roots.length === 0
      ? new Map<string, unknown>()
      : await duringStep(context, SYNC, async () => makeDurable(roots, pin, session, context))

    for (const { cid, report, discard } of roots) {
      if (errors.has(cid.toString())) {
        await discard?.()
        fail(errors.get(cid.toString()))
      } else {
        await report()
      }
    }

    this.#lastFlush = performance.now()
  }
}

/**
 * Sync roots to disk, then pin them if wanted, then tell the daemon to provide them.
 *
 * @returns the errors of roots that could not be synced or pinned, by CID
 */
async function makeDurable (
  added: readonly PendingRoot[],
  pin: boolean,
  { pins, repo }: PendingRootsInit['session'],
  context: NodeContext
): Promise<Map<string, unknown>> {
  // a root that was added twice keeps its last name
  const roots = [...new Map(added.map(root => [root.cid.toString(), root])).values()]
  // a raw identity CID holds its whole file: there are no blocks to keep
  const kept = roots.filter(({ cid }) => !isIdentity(cid) || cid.code !== raw.code)
  const failures = new Map<string, unknown>()
  // while the disk syncs
  const finding = pin && repo != null ? findDaemon(repo.path) : undefined

  try {
    const errors = pin ? await pins?.addNew(kept) : await repo?.storage.sync()

    errors?.forEach((err, i) => {
      if (err != null) {
        failures.set(kept[i].cid.toString(), err)
      }
    })
  } catch (err) {
    kept.forEach(({ cid }) => { failures.set(cid.toString(), err) })
  }

  const safe = roots.map(({ cid }) => cid).filter(cid => !failures.has(cid.toString()))

  await tellDaemon(await finding, safe, context)

  return failures
}
