import { isIdentity } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { tellDaemon } from './daemon/tell-daemon.ts'
import type { Context, Session } from './context.ts'
import type { KuboSession } from './kubo/kubo.ts'
import type { NewPin } from './repo/repo-pins.ts'

/** So many roots are made safe together at most, or those of so many milliseconds. */
const MAX_UNTOLD = 64
const TELL_AFTER = 200

/** The root of something that has been added, and that nobody was told of. */
export interface Untold extends NewPin {
  print: () => void
}

export interface UntoldRootsInit {
  /** Whether what was added is kept when garbage is collected. */
  pin: boolean
  session: KuboSession & Partial<Pick<Session, 'repo'>>
  context: Context
  /** Is told why one is not safe. What it throws ends all. */
  fail: (err: unknown) => void
}

/** Roots are printed once they stay: those that come one soon after the other are synced together. */
export class UntoldRoots {
  readonly #init: UntoldRootsInit
  #roots: Untold[] = []
  #since = performance.now()

  constructor (init: UntoldRootsInit) {
    this.#init = init
  }

  push (root: Untold): void {
    this.#roots.push(root)
  }

  /** Print what there is, where it is much, or has waited for long enough. */
  async printInTime (): Promise<void> {
    if (this.#init.session.repo == null || this.#roots.length >= MAX_UNTOLD || performance.now() - this.#since > TELL_AFTER) {
      await this.print()
    }
  }

  /** Print what there is. */
  async print (): Promise<void> {
    const { pin, session, context, fail } = this.#init
    const roots = this.#roots.splice(0)
    const unsafe = roots.length === 0 ? new Map<string, unknown>() : await makeSafe(roots, pin, session, context)

    for (const { cid, print } of roots) {
      if (unsafe.has(cid.toString())) {
        fail(unsafe.get(cid.toString()))
      } else {
        print()
      }
    }

    this.#since = performance.now()
  }
}

/**
 * Make sure that roots stay: on the disk first, then pinned, where that is wanted. Then
 * others may know them.
 *
 * @returns why some do not, by CID
 */
async function makeSafe (added: readonly Untold[], pin: boolean, { pins, repo }: UntoldRootsInit['session'], context: Context): Promise<Map<string, unknown>> {
  // of what is added twice the last name is kept
  const roots = [...new Map(added.map(root => [root.cid.toString(), root])).values()]
  // of a CID that is all of its file there is nothing to keep
  const kept = roots.filter(({ cid }) => !isIdentity(cid) || cid.code !== raw.code)
  const unsafe = new Map<string, unknown>()

  try {
    const errors = pin ? await pins.addNew(kept) : await repo?.disk.sync()

    errors?.forEach((err, i) => {
      if (err != null) {
        unsafe.set(kept[i].cid.toString(), err)
      }
    })
  } catch (err) {
    kept.forEach(({ cid }) => { unsafe.set(cid.toString(), err) })
  }

  const safe = roots.map(({ cid }) => cid).filter(cid => !unsafe.has(cid.toString()))

  if (pin && repo != null && safe.length > 0) {
    await tellDaemon(repo.path, safe, context)
  }

  return unsafe
}
