import { ipfsz, isMarked } from '@ipfsz/core'
import { STDIN } from './added-names.ts'
import { AddedRoots } from './added-roots.ts'
import { baseChecker } from './base-checker.ts'
import { withRepo } from '../context.ts'
import { statInput } from '@ipfsz/node/internal/disk/read-input'
import { resolvePath } from '../io.ts'
import { exitCode, explain, FAILED, IncompleteError, UsageError } from '../errors.ts'
import { findGateway } from '@ipfsz/node/internal/gateway/gateway-file'
import { PendingRoots } from '../pending-roots.ts'
import { LATEST, LatestVersions } from './latest-versions.ts'
import { withTargets } from './read-target.ts'
import { countNewBlocks } from '@ipfsz/node/internal/repo/count-new-blocks'
import { LastBlockStore } from '@ipfsz/node/internal/repo/last-block-store'
import type { Store } from './add-store.ts'
import type { AddRootOptions } from './add-root-options.ts'
import type { Context, Session } from '../context.ts'
import type { CID } from 'multiformats/cid'

export interface AddCommandOptions extends AddRootOptions {
  /** Use the codec builds that browsers use, so that the CID is the same there. */
  deterministic: boolean
  /** Put all paths into one new directory. */
  wrap: boolean
  /** Pin each root, so that `ipfsz gc` keeps it. */
  pin: boolean
  /** Sync to disk before a CID is printed, so that what it names survives a power cut. */
  sync: boolean
  /** The address of the RPC API of a running Kubo, to add to it instead of the repo. */
  kubo?: string
  /** An earlier version of each path: a CID or a name, and a path below it, or `latest`. */
  base?: string
  /** The name whose history `latest` continues. By default the last name of each path. */
  name?: string
}

/** Pending roots are printed before a larger file, a directory or a stream, which may take long. In bytes. */
const MAX_BATCHED_SIZE = 1024 * 1024

/**
 * Add files and directories, or stdin for `-`. Each gets its own CID, unless they are wrapped in one directory.
 *
 * @param named - the paths. Without any, stdin is added if it is a pipe or a file
 */
export async function add (named: string[], options: AddCommandOptions, context: Context): Promise<void> {
  if (named.length === 0 && !context.io.stdinIsPiped) {
    throw new UsageError('No paths to add: pass files or directories, or pipe a file into ipfsz add')
  }

  const paths = named.length === 0 ? [STDIN] : named

  if (paths.filter(path => path === STDIN).length > 1) {
    throw new UsageError('- was passed more than once, but stdin can be read only once')
  }

  const { base, name } = options

  if (base === LATEST && name == null && (options.wrap || paths.includes(STDIN))) {
    throw new UsageError(
      `--base latest needs a name, but ${options.wrap ? 'a new directory' : 'stdin'} has none: ` +
        'set one with --name'
    )
  }

  if (name != null && paths.length > 1 && !options.wrap) {
    throw new UsageError('--name is for one path: add each path separately')
  }

  const [earlier] = base == null || base === LATEST
    ? []
    : await withTargets([base], context, async targets => targets)
  const failed = await withStore(options, context, async store =>
    addEach(paths, { ...options, earlier }, store, context))

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${paths.length} paths were not added: see the errors above`)
  }
}

async function withStore (
  options: AddCommandOptions,
  context: Context,
  work: (store: Store) => Promise<number>
): Promise<number> {
  const { kubo, link: links, onlyHash, deterministic, sync, base } = options

  if (onlyHash) {
    return work({ kind: 'none', files: ipfsz({ blockstore: new LastBlockStore() }, { deterministic }) })
  }

  if (kubo == null) {
    return withRepo(context, { lock: 'add', links, deterministic, sync }, async session => {
      const counted = base == null ? session : countNew(session, deterministic)
      const latest = base === LATEST ? new LatestVersions(counted, options, context) : undefined

      return work({
        ...counted,
        latest,
        basesOf: async earlier => baseChecker(earlier, session.pins, context.signal),
        kind: 'repo',
        gateway: await findGateway(session.repo.path)
      })
    })
  }

  if (links) {
    throw new UsageError('--link cannot be combined with --kubo, because links are stored in the repo')
  }

  const { openKubo } = await import('@ipfsz/node/internal/kubo/kubo')

  return work({ ...await openKubo(kubo, { deterministic }, context.signal), kind: 'kubo' })
}

/** A session that knows what is newly stored: that is printed of what has an earlier version. */
function countNew (session: Session, deterministic: boolean): Session & Pick<Store, 'newBytes'> {
  const { blockstore, newBytes } = countNewBlocks(session.repo.blockstore)

  return { ...session, files: ipfsz({ blockstore, datastore: session.links }, { deterministic }), newBytes }
}

/**
 * Add paths one after the other. A root is printed only after it is synced and pinned, unless the
 * options turn these off. Small files are synced together.
 */
async function addEach (paths: string[], options: AddCommandOptions, store: Store, context: Context): Promise<number> {
  let failed = 0

  const fail = (err: unknown): void => {
    // wrong options are wrong for every file, and a wrapper needs all of its files
    if (!(err instanceof Error) || exitCode(err) !== FAILED || paths.length === 1 || options.wrap) {
      throw err
    }

    context.output.error(explain(err), err)
    failed++
  }

  const roots = new AddedRoots(options, store, context)
  const added: CID[] = []
  const pending = new PendingRoots({ pin: options.pin && store.kind !== 'none', session: store, context, fail })

  if (options.wrap) {
    const wrapped = await roots.addWrapped(paths)
    pending.push(wrapped)
    await pending.flush()
    await indexAdded([wrapped.cid], options, store, context)

    return failed
  }

  for (const path of paths) {
    try {
      const stats = path === STDIN ? undefined : await statInput(resolvePath(path, context.io))

      if (stats?.isFile() !== true || stats.size > MAX_BATCHED_SIZE) {
        // adding this path may take long: do not hold back the roots before it
        await pending.flush()
      }

      const root = await (stats?.isDirectory() === true ? roots.addDirectory(path) : roots.addFile(path))
      pending.push(root)
      added.push(root.cid)
    } catch (err) {
      await pending.flush()
      fail(err)
    }

    await pending.flushIfDue()
  }

  await pending.flush()
  await indexAdded(added, options, store, context)

  return failed
}

/** Index the originals of what was added with links, if the repo has an index. It is stored and printed by now. */
async function indexAdded (
  cids: readonly CID[],
  { link }: AddCommandOptions,
  { repo, links }: Store,
  context: Context
): Promise<void> {
  if (link && repo != null) {
    // most adds do not need it
    const { indexLinked } = await import('./originals.ts')

    await indexLinked(cids.filter(isMarked), { repo, links }, context)
  }
}
