import * as read from '@ipfsz/node/read'
import { nodeContext } from '../context.ts'
import type { Context, Reading } from '../context.ts'
import type { NetworkAccess } from '@ipfsz/node/internal/daemon/access'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'
import type { TargetOptions } from '@ipfsz/node/read'

export { cidAt } from '@ipfsz/node/read'

/** As `withTarget` of the node. */
export async function withTarget<T> (
  text: string,
  context: Context,
  options: TargetOptions,
  work: (target: CidPath, reading: Reading) => Promise<T>
): Promise<T> {
  return read.withTarget(nodeContext(context), text, options, work)
}

/** As `withTargets` of the node. */
export async function withTargets<T> (
  texts: readonly string[],
  context: Context,
  work: (targets: CidPath[], access: NetworkAccess) => Promise<T>
): Promise<T> {
  return read.withTargets(nodeContext(context), texts, work)
}
