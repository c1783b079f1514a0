import { evictSession } from '@ipfsz/shared-store/collect'
import { readReference } from '@ipfsz/shared-store/reference'
import { openToRead, withRepo } from '../context.ts'
import { NothingPinnedError, UsageError } from '../errors.ts'
import { duringStep, emit } from '../events.ts'
import { findGarbage, removeGarbage } from '../repo/collect-garbage.ts'
import { collectStore } from '../repo/collect-store.ts'
import { freePacks } from './free-packs.ts'
import { onFullDisk } from './on-full-disk.ts'
import { keepsPins, setKeepsPins } from '../repo/repo.ts'
import { withOriginals } from '../repo/with-originals.ts'
import type { NodeContext, Session, SessionOptions } from '../context.ts'
import type { FreedPacks, MaxUnused } from './free-packs.ts'
import type { Garbage } from '../repo/collect-garbage.ts'
import type { Repo } from '../repo/repo.ts'
import type { SharedStore } from '@ipfsz/shared-store'

export interface CollectOptions {
  /**
   * Count the blocks, but delete nothing.
   *
   * @default false
   */
  dryRun?: boolean | undefined
  /**
   * Delete even if nothing is pinned, or if the repo was made by a version that pinned nothing.
   *
   * @default false
   */
  force?: boolean | undefined
  /**
   * How much of packs may stay unused: the space of deleted blocks is freed by rewriting packs. Less takes longer.
   *
   * @default { share: 0.05 }
   */
  maxUnused?: MaxUnused | undefined
  /** The ID of a session of a shared store, as `SilentSessionError` names it, to take for dead first. */
  evict?: string | undefined
}

/** What a collection did, or would do. */
export interface Collected {
  dryRun: boolean
  /** How many blocks no pin reached. */
  removed: number
  /** Bytes of them, as they were stored. */
  removedSize: number
  /** How many blocks pins reach. */
  kept: number
  pins: number
  /** How many links were deleted, whose compressed files are gone. */
  links: number
  /** What became of packs, if blocks are in packs, and this was no dry run. */
  packs?: FreedPacks | undefined
}

/**
 * Delete blocks that no pin reaches, and links to compressed files that are gone. Waits until nothing adds to the repo.
 * In a store that nodes share, others may go on to add: what they are adding stays.
 *
 * @throws {NothingPinnedError} the blocks were never pinned, and `force` is not set
 * @throws {DamagedDagError} a block below a pin is missing or damaged, so what the pin reaches is unknown
 * @throws {PinRecordError} a pin cannot be read. Nothing was deleted
 * @throws {UsageError} `evict` is no session, or is combined with `dryRun`
 */
export async function collectGarbage (
  context: NodeContext,
  { dryRun = false, force = false, evict, maxUnused }: CollectOptions = {}
): Promise<Collected> {
  const isShared = await readReference(context.repo) != null

  if (evict != null && (dryRun || !isShared)) {
    throw new UsageError(
      dryRun ? 'A dry run cannot evict a session' : 'Only a shared store has sessions to evict',
      { problem: 'no-eviction' }
    )
  }

  // to count the blocks of a store needs no lock, and the store may be read-only
  const open = dryRun && isShared ? withRepoToRead : withRepo

  return open(context, { lock: 'gc', links: true, existing: true }, async session => {
    const { repo } = session

    if (repo.shared != null) {
      if (evict != null) {
        await evictSession(repo.shared.objects, evict, {
          signal: context.signal,
          onFenced (owner) {
            emit(context, 'ipfsz:warning', { message: `${owner} was evicted`, isMinor: false })
          }
        })
      }

      return collectShared(session, repo.shared, { dryRun, force }, context)
    }

    return collectOwn(session, { dryRun, force, maxUnused }, context)
  })
}

async function withRepoToRead<T> (
  context: NodeContext,
  _: SessionOptions,
  work: (session: Session) => Promise<T>
): Promise<T> {
  return work(await openToRead(context))
}

interface Asked extends Pick<CollectOptions, 'maxUnused'> {
  dryRun: boolean
  force: boolean
}

async function collectOwn (
  session: Session,
  { dryRun, force, maxUnused }: Asked,
  context: NodeContext
): Promise<Collected> {
  const { repo, files, pins: repoPins } = session
  const { signal } = context
  // find all garbage before deleting any: a deleted block cannot be brought back
  const garbage = await duringStep(context, { task: 'find-garbage', name: '', unit: 'blocks' }, async progress =>
    findGarbage(repo, repoPins.ls(signal), { signal, onBlocks: progress.add }))
  const { pins, kept, unwanted, size } = garbage
  let links = 0
  let packs: FreedPacks | undefined

  if (!dryRun) {
    if (!force) {
      await checkPins(repo, garbage)
    }

    // before the files that they are derived from
    await withOriginals(session, async originals =>
      originals.prune({ signal, has: ({ multihash }) => garbage.reached.has(multihash.bytes) }))

    let removed = 0

    packs = await onFullDisk(repo, async () => {
      const step = { task: 'collect', name: '', unit: 'blocks', total: unwanted } as const
      removed += await duringStep(context, step, async progress =>
        removeGarbage(repo, garbage, { signal, onBlocks: progress.add }))
      await setKeepsPins(repo)
      links = await repo.links.exist()
        ? await duringStep(context, { task: 'prune-links', name: '' }, async () => files.links.prune({ signal }))
        : 0

      return freePacks(repo, maxUnused, context)
    })

    if (packs != null) {
      packs.freed += removed
    }
  }

  return { dryRun, removed: unwanted, removedSize: size, kept, pins, links, ...packs == null ? {} : { packs } }
}

/**
 * Collect the garbage of a store while other nodes add. What they are adding stays.
 *
 * @throws {NothingPinnedError} the store has blocks and no pins
 * @throws {StoreError} it is an older one: its garbage is collected once it is converted
 */
async function collectShared (
  session: Session,
  shared: SharedStore,
  { dryRun, force }: Asked,
  context: NodeContext
): Promise<Collected> {
  const { signal } = context
  const { repo, pins } = session
  const { name, packs } = shared

  if (packs == null) {
    const { refuseOlder } = await import('@ipfsz/shared-store')

    return refuseOlder(name)
  }

  const found = await collectStore({
    repo,
    shared,
    packs,
    pins,
    async beforeRounds ({ pins }) {
      if (pins === 0 && !dryRun && !force && !await isEmpty(repo)) {
        throw nothingPinned(name, 'all blocks')
      }
    }
  }, {
    signal,
    dryRun,
    onProgress (event) { emit(context, 'ipfsz:collect:store', event) }
  }).finally(() => { emit(context, 'ipfsz:collect:end', undefined) })

  if (!dryRun) {
    await withOriginals(session, async originals =>
      originals.prune({ signal, has: async cid => repo.storage.has(cid, { signal }) }))
  }

  const { removed, removedSize, kept, pins: pinned, left } = found
  const problems = packs.catalog.damaged.map(({ message }) => message)

  if (left > 0) {
    problems.push(`${left} packs are kept for the next collection: commands that run need them, or they are damaged`)
  }

  for (const message of problems) {
    emit(context, 'ipfsz:warning', { message, isMinor: false })
  }

  return { dryRun, removed, removedSize, kept, pins: pinned, links: 0 }
}

async function isEmpty ({ storage }: Repo): Promise<boolean> {
  for await (const blocks of storage.blocks()) {
    if (blocks.length > 0) {
      return false
    }
  }

  return true
}

async function checkPins (repo: Repo, { pins, unwanted }: Garbage): Promise<void> {
  const blocks = unwanted === 1 ? '1 block' : `${unwanted} blocks`

  if (unwanted > 0 && pins === 0) {
    throw nothingPinned(repo.path, blocks)
  }

  if (unwanted > 0 && !await keepsPins(repo)) {
    throw new NothingPinnedError(
      `${repo.path} was created by a version of ipfsz without pins, so ${blocks} would be deleted`,
      { problem: 'no-pins-yet' }
    )
  }
}

function nothingPinned (place: string, blocks: string): NothingPinnedError {
  return new NothingPinnedError(
    `Nothing is pinned in ${place}, so ${blocks} would be deleted`,
    { problem: 'nothing-pinned' }
  )
}
