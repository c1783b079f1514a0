import { isMarked, mark, TREE_CODE } from '@ipfsz/core'
import { withReading } from '../context.ts'
import { parseContentPath } from '../dag/cid-path.ts'
import { NetworkAccess } from '../daemon/access.ts'
import { UsageError } from '../errors.ts'
import { duringStep } from '../events.ts'
import type { NodeContext, Reading, ReadingOptions } from '../context.ts'
import type { CidPath, NamePath } from '../dag/cid-path.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface TargetOptions {
  /** What will be read below the root: gateways then send it with one request. */
  scope: NonNullable<ReadingOptions['plan']>['scope']
}

/**
 * Read what a CID or a name leads to, as `withReading` does.
 *
 * @param target - a CID, a name or the name of a pin, and a path below it
 * @throws {UsageError} the text begins neither with a CID nor with a name
 * @throws {NameError} the name cannot be resolved
 */
export async function withTarget<T> (
  context: NodeContext,
  target: string | CidPath,
  { scope }: TargetOptions,
  work: (target: CidPath, reading: Reading) => Promise<T>
): Promise<T> {
  return withTargets(context, [target], async ([target], access) => withReading(
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
  context: NodeContext,
  texts: ReadonlyArray<string | CidPath>,
  work: (targets: CidPath[], access: NetworkAccess) => Promise<T>
): Promise<T> {
  const parsed: Array<CidPath | NamePath> = []

  for (const text of texts) {
    parsed.push(typeof text === 'string' ? await parseTarget(text, context) : text)
  }

  const access = new NetworkAccess(context)
  const targets: CidPath[] = []

  try {
    // one by one: they may share the network
    for (const target of parsed) {
      targets.push('name' in target ? await resolve(target, context, access) : target)
    }

    return await work(targets, access)
  } finally {
    await access.close()
  }
}

/** A CID or a name, and a path below it. A name that only one pin has is taken as its CID. */
async function parseTarget (text: string, context: NodeContext): Promise<CidPath | NamePath> {
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

async function resolve (name: NamePath, context: NodeContext, access: NetworkAccess): Promise<CidPath> {
  const { resolveTarget } = await import('./resolve-target.ts')
  const network = context.network ?? { gateways: context.nameGateways }

  return duringStep(context, { task: 'resolve', name: name.text }, async () =>
    resolveTarget(name, { ...context, network }, access))
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

  return type === 'directory' ? directoryCid(cid, plainCid) : markedCid ?? plainCid
}

/** The CID to read a directory by: marked if the root is marked, so that its entries are decompressed. */
export function directoryCid (root: CID, plainCid: CID): CID {
  return isMarked(root) ? mark(plainCid, TREE_CODE) : plainCid
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
