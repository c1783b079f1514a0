import { unmark } from '@ipfsz/core'
import { openToRead, withRepo } from '../context.ts'
import { NoHistoryError, UsageError } from '../errors.ts'
import { Histories } from '../repo/history.ts'
import { keepsAny, rulesThatKeep } from './keep-rules.ts'
import type { NodeContext, Session } from '../context.ts'
import type { StoredVersion } from '../repo/history.ts'
import type { PinnedVersion } from './history.ts'
import type { KeepRules } from './keep-rules.ts'
import type { CID } from 'multiformats/cid'

/** What became of a version. */
export interface JudgedVersion extends PinnedVersion {
  /** The rules that keep it, such as `daily`. Empty for one that was forgotten. */
  keptBy: string[]
}

export interface ForgetVersionsOptions {
  /**
   * Whether to only say which versions would be forgotten.
   *
   * @default false
   */
  dryRun?: boolean | undefined
}

/**
 * Forget the versions of a name that no rule keeps, and unpin them: the next collection deletes what only they need.
 * A pin that another version needs, of this name or of another, stays. Rules count pinned versions alone: one that is
 * not pinned may be gone, so it is forgotten.
 *
 * Waits until nothing adds to the repo. Nodes that share a store must not add the same content meanwhile.
 *
 * @returns all versions, the newest first
 * @throws {UsageError} the rules would keep nothing
 * @throws {NoHistoryError} the name has no history
 */
export async function forgetVersions (
  context: NodeContext,
  name: string,
  rules: KeepRules,
  { dryRun = false }: ForgetVersionsOptions = {}
): Promise<JudgedVersion[]> {
  if (!keepsAny(rules)) {
    throw new UsageError('No rule keeps a version', { problem: 'keeps-none' })
  }

  if (dryRun) {
    return judge(name, rules, await openToRead(context))
  }

  return withRepo(context, { lock: 'gc', existing: true, removes: true }, async session => {
    const { repo, pins } = session
    const histories = new Histories(repo)
    const judged = await judge(name, rules, session)
    const forgotten = judged.filter(({ keptBy }) => keptBy.length === 0)
    const gone = new Set(forgotten.map(({ key }) => key.toString()))
    const needed = new Set((await histories.all()).filter(({ key }) => !gone.has(key.toString())).map(pinOf))

    for (const version of forgotten) {
      context.signal.throwIfAborted()

      if (!needed.has(pinOf(version)) && await pins.has(version.cid)) {
        await pins.rm(version.cid)
      }

      // last: a version that was forgotten first would leave a pin that nobody knows of, if this process is killed
      await histories.remove(version)
    }

    return judged
  })
}

async function judge (
  name: string,
  rules: KeepRules,
  { repo, pins }: Pick<Session, 'repo' | 'pins'>
): Promise<Array<JudgedVersion & StoredVersion>> {
  const versions = await new Histories(repo).versions(name)

  if (versions.length === 0) {
    throw new NoHistoryError(name)
  }

  const known: Array<PinnedVersion & StoredVersion> = []

  for (const version of versions) {
    known.push({ ...version, isPinned: await pins.has(version.cid) })
  }

  const pinned = known.filter(({ isPinned }) => isPinned)
  const reasons = rulesThatKeep(pinned, rules)

  return known.map(version => ({ ...version, keptBy: reasons[pinned.indexOf(version)] ?? [] }))
}

/** A pin is for the plain CID: versions with one share it. */
function pinOf ({ cid }: { cid: CID }): string {
  return unmark(cid).toV1().toString()
}
