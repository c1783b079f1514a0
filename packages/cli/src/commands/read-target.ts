import { isMarked, mark, TREE_CODE } from '@ipfsz/core'
import { withReading } from '../context.ts'
import { networkAccess } from '../context.ts'
import { UsageError } from '../errors.ts'
import { urlsIn } from '@ipfsz/node/internal/network/environment'
import { parseContentPath } from '@ipfsz/node/internal/dag/cid-path'
import type { Context, Reading, ReadingOptions } from '../context.ts'
import type { NetworkAccess } from '@ipfsz/node/internal/daemon/access'
import type { CidPath, NamePath } from '@ipfsz/node/internal/dag/cid-path'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface TargetOptions {
  /** What will be read below the root: gateways then send it with one request. */
  scope: NonNullable<ReadingOptions['plan']>['scope']
}

/**
 * Read what a CID or a name leads to, as `withReading` does.
 *
 * @param text - a CID, a name or the name of a pin, and a path below it
 * @throws {UsageError} the text begins neither with a CID nor with a name
 * @throws {NameError} the name cannot be resolved
 */
export async function withTarget<T> (
  text: string,
  context: Context,
  { scope }: TargetOptions,
  work: (target: CidPath, reading: Reading) => Promise<T>
): Promise<T> {
  return withTargets([text], context, async ([target], access) => withReading(
    context,
    target.cid,
    async reading => work(target, reading),
    { access, plan: { path: target.path, scope }, cached: true }
  ))
}

/**
 * Find out where texts lead, each a CID, a name or the name of a pin, and a path below it.
 *
 * @param work - may use the network that names were resolved with
 * @throws {UsageError} a text begins neither with a CID nor with a name. Nothing was resolved then
 * @throws {NameError} a name cannot be resolved
 */
export async function withTargets<T> (
  texts: readonly string[],
  context: Context,
  work: (targets: CidPath[], access: NetworkAccess) => Promise<T>
): Promise<T> {
  const parsed: Array<CidPath | NamePath> = []

  for (const text of texts) {
    parsed.push(await parseTarget(text, context))
  }

  return withNames(context, async (resolve, access) => {
    const targets: CidPath[] = []

    // one by one: they may share the network
    for (const target of parsed) {
      targets.push('name' in target ? await resolve(target) : target)
    }

    return work(targets, access)
  })
}

/** A CID or a name, and a path below it. A name that only one pin has is taken as its CID. */
async function parseTarget (text: string, context: Context): Promise<CidPath | NamePath> {
  try {
    return parseContentPath(text)
  } catch (err) {
    if (!(err instanceof UsageError)) {
      throw err
    }

    const { findNamedPin } = await import('./named-pin.ts')

    return findNamedPin(text, err, context)
  }
}

/**
 * Resolve names, if there are any.
 *
 * @param work - is given a function that finds out where a name leads, and throws `NameError` if it leads nowhere
 */
export async function withNames<T> (
  context: Context,
  work: (resolve: (name: NamePath) => Promise<CidPath>, access: NetworkAccess) => Promise<T>
): Promise<T> {
  const access = networkAccess(context)

  try {
    return await work(async name => {
      const { resolveTarget } = await import('./resolve-target.ts')
      // commands without network options resolve names as the others do
      const network = context.network ?? { gateways: urlsIn(context.io.env.IPFSZ_GATEWAYS) }

      return context.output.during(
        `resolving ${name.text}`,
        async () => resolveTarget(name, { ...context, network }, access)
      )
    }, access)
  } finally {
    await access.close()
  }
}

/**
 * The CID of what a path leads to: of a compressed file the marked one, of a directory the marked one if it was reached
 * from one. A CID without a path stays as it is.
 *
 * @throws {NotFoundError} a block on the path is missing, or the path leads nowhere
 */
export async function cidAt (
  { cid, path }: Pick<CidPath, 'cid' | 'path'>,
  files: Pick<Ipfsz, 'stat'>,
  signal: AbortSignal
): Promise<CID> {
  if (!path.split('/').some(Boolean)) {
    return cid
  }

  const { type, plainCid, markedCid } = await files.stat(cid, { path, signal })

  if (type === 'directory') {
    return isMarked(cid) ? mark(plainCid, TREE_CODE) : plainCid
  }

  return markedCid ?? plainCid
}

/** The CIDs of what paths lead to, as `cidAt` finds them. */
export async function cidsAt (
  targets: ReadonlyArray<Pick<CidPath, 'cid' | 'path'>>,
  files: Pick<Ipfsz, 'stat'>,
  signal: AbortSignal
): Promise<CID[]> {
  const cids: CID[] = []

  for (const target of targets) {
    cids.push(await cidAt(target, files, signal))
  }

  return cids
}
