import { findGarbage, removeGarbage } from '@ipfsz/node/internal/repo/collect-garbage'
import { openToRead, withRepo } from '../context.ts'
import { NothingPinnedError, UsageError } from '../errors.ts'
import { collectStore } from '@ipfsz/node/internal/repo/collect-store'
import { keepsPins, setKeepsPins } from '@ipfsz/node/internal/repo/repo'
import { fenceSessions } from '@ipfsz/shared-store/internal/fence-sessions'
import { hasObject } from '@ipfsz/shared-store/internal/read-object'
import { parseIdKey, SESSIONS } from '@ipfsz/shared-store/internal/store-keys'
import { readReference } from '@ipfsz/shared-store/internal/store-reference'
import { counter } from '../terminal/progress.ts'
import { count, formatSize } from '../terminal/units.ts'
import { CollectionProgress } from './collection-progress.ts'
import { withOriginals } from './originals.ts'
import type { Garbage } from '@ipfsz/node/internal/repo/collect-garbage'
import type { Context, Session, SessionOptions } from '../context.ts'
import type { Repo } from '@ipfsz/node/internal/repo/repo'
import type { SharedStore } from '@ipfsz/shared-store/internal/shared-store'

export interface GcCommandOptions {
  /** Count the blocks, but delete nothing. */
  dryRun: boolean
  /** Delete even if nothing is pinned, or if the repo was made by a version that pinned nothing. */
  force: boolean
  /** The ID of a session of a shared store, as `SilentSessionError` names it, to take for dead first. */
  evict?: string | undefined
}

/** Delete unpinned blocks, and links to compressed files that are gone. */
export async function gc ({ dryRun, force, evict }: GcCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context

  if (evict != null && (dryRun || await readReference(context.repo) == null)) {
    throw new UsageError(dryRun ? '--evict cannot be combined with --dry-run' : '--evict requires a shared store')
  }

  // to count the blocks of a store needs no lock, and the store may be read-only
  const open = dryRun && await readReference(context.repo) != null ? withRepoToRead : withRepo

  await open(context, { lock: 'gc', links: true, existing: true }, async session => {
    const { repo, files, pins: repoPins } = session

    if (repo.shared != null) {
      await (evict == null ? undefined : evictSession(evict, repo.shared, context))

      return gcStore({ ...session, repo: { ...repo, shared: repo.shared } }, { dryRun, force }, context)
    }

    // find all garbage before deleting any: a deleted block cannot be brought back
    const search = output.progress('finding unpinned blocks', undefined, 'block')
    const garbage = await findGarbage(repo, repoPins.ls(signal), { signal, onBlocks: counter(search) })
      .finally(() => search.end())
    const { pins, kept, unwanted, size } = garbage
    let links = 0

    if (!dryRun) {
      if (!force) {
        await checkPins(repo, garbage)
      }

      // before the files that they are derived from
      await withOriginals(session, async originals =>
        originals.prune({ signal, has: ({ multihash }) => garbage.reached.has(multihash.bytes) }))

      const deletion = output.progress('deleting unpinned blocks', unwanted, 'block')
      await removeGarbage(repo, garbage, { signal, onBlocks: counter(deletion) }).finally(() => deletion.end())
      await setKeepsPins(repo)
      links = await repo.links.exist()
        ? await output.during('deleting links to deleted files', async () => files.links.prune({ signal }))
        : 0
    }

    report({ dryRun, removed: unwanted, removedSize: size, kept, pins, links }, context)
  })
}

async function withRepoToRead (
  context: Context,
  _: SessionOptions,
  work: (session: Session) => Promise<void>
): Promise<void> {
  await work(await openToRead(context))
}

/**
 * Take a session for dead: it fails instead of acknowledging anything, so nothing that it needs can be missed.
 *
 * @throws {UsageError} it is no ID of a session that is there
 */
async function evictSession (
  id: string,
  { objects }: Pick<SharedStore, 'objects'>,
  { output, signal }: Context
): Promise<void> {
  const key = `${SESSIONS}${id}`

  if (parseIdKey(SESSIONS, key) == null || !await hasObject(objects, key, signal)) {
    throw new UsageError(`No running command has the id "${id}". It may have ended: run ipfsz gc without --evict`)
  }

  await fenceSessions(objects, [id], { onFenced: owner => { output.note(`${owner} was evicted`) } }, signal)
}

/**
 * Collect the garbage of a store while other nodes add. What they are adding stays.
 *
 * @throws {NothingPinnedError} the store has blocks and no pins
 */
async function gcStore (
  session: Session & { repo: { shared: SharedStore } },
  { dryRun, force }: GcCommandOptions,
  context: Context
): Promise<void> {
  const { output, signal } = context
  const { repo, pins, files } = session
  const progress = new CollectionProgress(output)
  const found = await collectStore({
    repo,
    pins,
    links: files.links,
    async beforeRounds ({ pins }) {
      if (pins === 0 && !dryRun && !force && !await isEmpty(repo)) {
        throw nothingPinned(repo.shared.name, 'all blocks')
      }
    }
  }, { signal, dryRun, onProgress: progress.show }).finally(() => { progress.end() })

  if (!dryRun) {
    await withOriginals(session, async originals =>
      originals.prune({ signal, has: async cid => repo.storage.has(cid, { signal }) }))
  }

  const { removed, removedSize, kept, pins: pinned, links } = found
  report({ dryRun, removed, removedSize, kept, pins: pinned, links }, context)
}

async function isEmpty ({ storage }: Repo): Promise<boolean> {
  for await (const blocks of storage.files()) {
    if (blocks.length > 0) {
      return false
    }
  }

  return true
}

interface Report {
  dryRun: boolean
  removed: number
  removedSize: number
  kept: number
  pins: number
  links: number
}

function report ({ dryRun, removed, removedSize, kept, pins, links }: Report, { output }: Context): void {
  output.sentence(
    { dryRun, removed, removedSize, kept, pins, links },
    `${dryRun ? 'Would delete' : 'Deleted'} ${count(removed, 'unpinned block')} (${formatSize(removedSize)}), ` +
      `kept ${count(kept, 'block')} of ${count(pins, 'pin')}` +
      (links > 0 ? `, deleted ${count(links, 'link')} to deleted files` : '')
  )
}

/** @throws {NothingPinnedError} the collection would delete blocks that were never pinned */
async function checkPins (repo: Repo, { pins, unwanted: blocks }: Garbage): Promise<void> {
  if (blocks > 0 && pins === 0) {
    throw nothingPinned(repo.path, count(blocks, 'block'))
  }

  if (blocks > 0 && !await keepsPins(repo)) {
    throw new NothingPinnedError(
      `${repo.path} was created by a version of ipfsz without pins, so ${count(blocks, 'block')} would be deleted: ` +
        'pin what you want to keep with ipfsz pin add CID, then use --force once'
    )
  }
}

function nothingPinned (place: string, blocks: string): NothingPinnedError {
  return new NothingPinnedError(
    `Nothing is pinned in ${place}, so ${blocks} would be deleted: ` +
      'pin what you want to keep with ipfsz pin add CID, or delete everything with --force'
  )
}
