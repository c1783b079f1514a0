import { LATEST } from '@ipfsz/node/add'
import { withTargets } from '@ipfsz/node/read'
import type { PublishSiteOptions } from './contract.ts'
import type { Release } from './find-release.ts'
import type { NodeContext } from '@ipfsz/node/session'

/** A host name whose last label no file extension or version looks like, and a path below it. CIDs have no dots. */
const DOMAIN = /^(?:[a-z\d-]{1,63}\.)+(?:[a-z]{2,63}|xn--[a-z\d-]{1,59})(?=\/|$)/i

/**
 * Find out where the last release is, and keep the network open until the work is done.
 *
 * @throws {UsageError} the text begins neither with a CID nor with a name
 * @throws {NameError} the name cannot be resolved
 */
export async function withBase<T> (
  base: PublishSiteOptions['base'],
  context: NodeContext,
  work: (base: Release | undefined) => Promise<T>
): Promise<T> {
  if (base == null || base === LATEST) {
    return work(base)
  }

  if (typeof base === 'string') {
    return withTargets(context, [DOMAIN.test(base) ? `/ipns/${base}` : base], async ([target]) => work(target))
  }

  return work('path' in base ? base : { cid: base, path: '' })
}
