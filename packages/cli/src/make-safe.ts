import { tellDaemon } from './network/tell-daemon.ts'
import type { Context, Session } from './context.ts'
import type { KuboSession } from './kubo.ts'
import type { CID } from 'multiformats/cid'

/** The root of something that has been added, and that nobody was told of. */
export interface Untold {
  cid: CID
  /** What it is pinned as. */
  name?: string
  print: () => void
}

/**
 * Make sure that roots stay: on the disk first, then pinned, where that is wanted. Then
 * others may know them.
 *
 * @returns why some do not, by CID
 */
export async function makeSafe (added: readonly Untold[], pin: boolean, { pins, repo }: KuboSession & Partial<Pick<Session, 'repo'>>, context: Context): Promise<Map<string, unknown>> {
  const unsafe = new Map<string, unknown>()
  // of what is added twice the last name is kept
  const roots = new Map(added.map(root => [root.cid.toString(), root]))

  await Promise.all(Array.from(roots, async ([key, { cid, name }]) => {
    try {
      await (pin ? pins.addNew(cid, name) : repo?.disk.sync())
    } catch (err) {
      unsafe.set(key, err)
    }
  }))

  const safe = Array.from(roots.values(), ({ cid }) => cid).filter(cid => !unsafe.has(cid.toString()))

  if (pin && repo != null && safe.length > 0) {
    await tellDaemon(repo.path, safe, context)
  }

  return unsafe
}
