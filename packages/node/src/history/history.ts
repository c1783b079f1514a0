import { openToRead, withRepo } from '../context.ts'
import { NoHistoryError } from '../errors.ts'
import { Histories } from '../repo/history.ts'
import type { NodeContext } from '../context.ts'
import type { Version } from '../repo/history.ts'

/** A version that was added under a name, with the base `latest`. */
export interface PinnedVersion extends Version {
  /** Whether it is still pinned. A collection deletes versions that are not. */
  isPinned: boolean
}

/**
 * The versions of a name, the newest first.
 *
 * @throws {NoHistoryError} the name has no history
 */
export async function * listVersions (context: NodeContext, name: string): AsyncGenerator<PinnedVersion> {
  const { repo, pins } = await openToRead(context)
  const versions = await new Histories(repo).versions(name)

  if (versions.length === 0) {
    throw new NoHistoryError(name)
  }

  for (const version of versions) {
    context.signal.throwIfAborted()

    yield { ...version, isPinned: await pins.has(version.cid) }
  }
}

/** The names that have a history, with the last version of each, and how many there are. */
export async function listHistories (context: NodeContext): Promise<Array<{ last: Version, versions: number }>> {
  const { repo } = await openToRead(context)

  return new Histories(repo).list()
}

/**
 * Forget the versions of a name. Their pins stay.
 *
 * @returns how many there were
 * @throws {NoHistoryError} the name has no history
 */
export async function forgetHistory (context: NodeContext, name: string): Promise<number> {
  return withRepo(context, { lock: 'add', existing: true, removes: true }, async ({ repo }) => {
    const versions = await new Histories(repo).forget(name)

    if (versions === 0) {
      throw new NoHistoryError(name)
    }

    return versions
  })
}
