import { ipfsz, isMarked } from '@ipfsz/core'
import { withRepo } from '../context.ts'
import { statInput } from '../disk/read-input.ts'
import { UsageError } from '../errors.ts'
import { emit } from '../events.ts'
import { findGateway } from '../gateway/gateway-file.ts'
import { isUsageError } from '@ipfsz/utils/usage-errors'
import { countNewBlocks } from '../repo/count-new-blocks.ts'
import { LastBlockStore } from '../repo/last-block-store.ts'
import { LATEST } from './add-options.ts'
import { AddedRoots } from './added-roots.ts'
import { baseChecker } from './base-checker.ts'
import { BlockSink } from './block-sink.ts'
import { LatestVersions } from './latest-versions.ts'
import { PendingRoots } from './pending-roots.ts'
import type { NodeContext, Session } from '../context.ts'
import type { AddSource, AddSourcesOptions } from './add-options.ts'
import type { AddTarget } from './add-target.ts'
import type { CID } from 'multiformats/cid'

/** Pending roots are reported before a larger file, a directory or a stream, which may take long. In bytes. */
const MAX_BATCHED_SIZE = 1024 * 1024

/**
 * Add files, directories and streams. Each gets its own CID, unless they are wrapped in one directory. The repo is
 * created if needed, and locked meanwhile, so that no collection runs; others may add.
 *
 * A root is reported to `onRoot` only after it is synced and pinned, unless the options turn these off. Small files are
 * synced together.
 *
 * @returns how many of several sources failed: each is reported as `ipfsz:add:failed`. A single one, and those of one
 *   new directory, throw
 * @throws {UsageError} options that cannot be combined, or a source that has no name but needs one
 * @throws {InvalidBaseError} the earlier version is not of the kind of the source
 */
export async function addSources (
  context: NodeContext,
  sources: readonly AddSource[],
  options: AddSourcesOptions = {}
): Promise<{ failed: number }> {
  checkOptions(sources, options)

  return withTarget(context, options, async target => addEach(context, sources, options, target))
}

function checkOptions (
  sources: readonly AddSource[],
  { base, name, wrap = false, link, kubo, dryRun = false }: AddSourcesOptions
): void {
  if (base === LATEST && name == null) {
    const isNameless = wrap || sources.some(source => !('path' in source) && source.name == null)

    if (isNameless) {
      throw new UsageError(
        `The base latest needs a name, but ${wrap ? 'a new directory' : 'a stream'} has none`,
        { problem: 'needs-name' }
      )
    }
  }

  if (name != null && sources.length > 1 && !wrap) {
    throw new UsageError('A name is for one path: add each path separately', { problem: 'one-name' })
  }

  if (dryRun && (link === true || kubo != null)) {
    throw new UsageError('A dry run stores nothing: it neither links files nor adds to a Kubo')
  }

  if (link === true && kubo != null) {
    throw new UsageError('Files that are added to a Kubo cannot be linked: links are stored in the repo')
  }
}

async function withTarget<T> (
  context: NodeContext,
  options: AddSourcesOptions,
  work: (target: AddTarget) => Promise<T>
): Promise<T> {
  const { kubo, link: links = false, onlyHash = false, dryRun = false, deterministic = false } = options
  const { sync = true, base } = options

  if (dryRun) {
    const { dryTarget } = await import('./dry-target.ts')

    return work(await dryTarget(context, options))
  }

  if (onlyHash) {
    return work({ files: ipfsz({ blockstore: new LastBlockStore() }, { deterministic }), sink: 'none' })
  }

  if (kubo == null) {
    return withRepo(context, { lock: 'add', links, deterministic, sync }, async session => {
      const counted = base == null ? session : countNew(session, deterministic)
      const latest = base === LATEST ? new LatestVersions(counted, options, context) : undefined

      return work({
        ...counted,
        sink: new BlockSink(session.repo),
        latest,
        basesOf: async earlier => baseChecker(earlier, session.pins, context.signal),
        gateway: await findGateway(session.repo.path)
      })
    })
  }

  const { openKubo } = await import('../kubo/kubo.ts')

  return work(await openKubo(kubo, { deterministic }, context.signal))
}

/** A session that knows what is newly stored: that is reported of what has an earlier version. */
function countNew (session: Session, deterministic: boolean): Session & Pick<AddTarget, 'newBytes'> {
  const { blockstore, newBytes } = countNewBlocks(session.repo.blockstore)

  return { ...session, files: ipfsz({ blockstore, datastore: session.links }, { deterministic }), newBytes }
}

/** Add sources one after the other. */
async function addEach (
  context: NodeContext,
  sources: readonly AddSource[],
  options: AddSourcesOptions,
  target: AddTarget
): Promise<{ failed: number }> {
  const { wrap = false, pin = true, onlyHash = false, dryRun = false } = options
  const added: CID[] = []
  let failed = 0

  const fail = (err: unknown, path = ''): void => {
    // wrong options are wrong for every file, and a wrapper needs all of its files
    if (!(err instanceof Error) || err.name === 'AbortError' || isUsageError(err) || sources.length === 1 || wrap) {
      throw err
    }

    emit(context, 'ipfsz:add:failed', { path, error: err })
    failed++
  }

  const roots = new AddedRoots(options, target, context)
  const pending = new PendingRoots({ pin: pin && !onlyHash && !dryRun, session: target, context, fail })

  if (wrap) {
    const wrapped = await roots.addWrapped(sources)
    pending.push(wrapped)
    added.push(wrapped.cid)
  } else {
    for (const source of sources) {
      try {
        const stats = 'path' in source ? await statInput(source.path) : undefined

        if (stats?.isFile() !== true || stats.size > MAX_BATCHED_SIZE) {
          // adding this source may take long: do not hold back the roots before it
          await pending.flush()
        }

        const root = await ('path' in source && stats?.isDirectory() === true
          ? roots.addDirectory(source)
          : roots.addFile(source))
        pending.push(root)
        added.push(root.cid)
      } catch (err) {
        await pending.flush()
        fail(err, 'path' in source ? source.path : source.name)
      }

      await pending.flushIfDue()
    }
  }

  await pending.flush()
  await indexAdded(added, options, target, context)

  return { failed }
}

/** Index the originals of what was added with links, if the repo has an index. It is stored and reported by now. */
async function indexAdded (
  cids: readonly CID[],
  { link = false }: AddSourcesOptions,
  { repo, links }: AddTarget,
  context: NodeContext
): Promise<void> {
  if (link && repo != null) {
    // most adds do not need it
    const { indexLinked } = await import('../repo/with-originals.ts')

    await indexLinked(cids.filter(isMarked), { repo, links }, context)
  }
}
