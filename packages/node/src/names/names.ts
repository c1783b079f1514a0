import { DEFAULT_TIMEOUT } from '../daemon/access.ts'
import { NetworkAccess, requireNetwork } from '../daemon/access.ts'
import { duringStep } from '../events.ts'
import { SELF } from '../network/names/keys.ts'
import { isIpnsName } from '../network/names/name-records.ts'
import { withTargets } from '../read/read-target.ts'
import { withTimeout } from '../read/with-timeout.ts'
import type { NodeContext } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { CID } from 'multiformats/cid'

export interface PublishOptions {
  /**
   * The name of a key in the repo. It is created if missing.
   *
   * @default 'self', the key of the node
   */
  key?: string | undefined
  /**
   * How long the record is valid, in milliseconds. A daemon publishes it again in time.
   *
   * @default 172800000
   */
  lifetime?: number | undefined
}

export interface PublishedPath {
  /** What others resolve: `k51...`. */
  name: string
  cid: CID
  /** Below the CID, or empty. */
  path: string
  sequence: bigint
}

/** What begins with none of these is a name alone. */
const PREFIX = /^(?:\/|[a-z]+:\/\/)/i

/**
 * Publish an IPNS name for a CID, for what another name leads to now, or for a path below them.
 *
 * @throws {DaemonError} no daemon runs, and the context names no peer
 * @throws {NameError} no peer stored the record in time
 */
export async function publishName (
  context: NodeContext,
  target: string | CidPath,
  { key = SELF, lifetime }: PublishOptions = {}
): Promise<PublishedPath> {
  return withTargets(context, [target], async ([{ cid, path }], access) =>
    withTimeout(timeoutOf(context), context.signal, 'The name was not published', async signal => {
      const network = await requireNetwork(access)
      const { name, sequence } = await duringStep(
        context,
        { task: 'publish', name: '' },
        async () => network.publishName(cid, path, { key, lifetime, signal })
      )

      return { name, cid, path, sequence }
    }))
}

/**
 * Resolve a name: an IPNS name as other nodes know it, what was published from the repo under one of its keys, or a
 * DNSLink.
 *
 * @returns the marked CID if that was published
 * @throws {DaemonError} no daemon runs, and the context names no peer
 * @throws {NameError} it leads nowhere
 */
export async function resolveName (context: NodeContext, name: string): Promise<Pick<CidPath, 'cid' | 'path'>> {
  return isIpnsName(name)
    ? resolveIpns(context, name)
    : withTargets(context, [PREFIX.test(name) ? name : `/ipns/${name}`], async ([target]) => target)
}

async function resolveIpns (context: NodeContext, name: string): Promise<Pick<CidPath, 'cid' | 'path'>> {
  return withTimeout(timeoutOf(context), context.signal, `${name} was not resolved`, async signal => {
    const access = new NetworkAccess(context)

    try {
      return await duringStep(
        context,
        { task: 'resolve', name },
        async () => (await requireNetwork(access)).resolveName(name, signal)
      )
    } finally {
      await access.close()
    }
  })
}

/** In milliseconds. */
function timeoutOf ({ network: { timeout = DEFAULT_TIMEOUT } = {} }: NodeContext): number {
  return timeout
}
