import { withReading } from '../context.ts'
import { DEFAULT_TIMEOUT } from '../daemon/access.ts'
import { requireNetwork } from '../daemon/access.ts'
import { findDaemon } from '../daemon/tell-daemon.ts'
import { DaemonError } from '../errors.ts'
import { duringStep } from '../events.ts'
import { cidAt, withTargets } from '../read/read-target.ts'
import type { NodeContext } from '../context.ts'
import type { DaemonClient } from '../daemon/daemon-client.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { ConnectedPeer, Provider } from '../network/network.ts'
import type { CID } from 'multiformats/cid'

/** Who a repo is to other nodes. */
export interface RepoIdentity {
  peerId: string
  addresses: string[]
  /** The agent of its daemon. Undefined if none runs. */
  agent: string | undefined
}

/**
 * The peer id of a repo, and the addresses of its daemon if one runs.
 *
 * @throws {DaemonError} no daemon has ever run: it creates the peer id
 */
export async function identify ({ repo }: Pick<NodeContext, 'repo'>): Promise<RepoIdentity> {
  const daemon = await findDaemon(repo)

  if (daemon != null) {
    return daemon.id().finally(async () => daemon.close())
  }

  const [{ loadKey, SELF }, { peerIdFromPrivateKey }] = await Promise.all([
    import('../network/names/keys.ts'),
    import('@libp2p/peer-id')
  ])
  const key = await loadKey(repo, SELF)

  if (key == null) {
    throw new DaemonError(`The repo ${repo} has no peer id yet`, { problem: 'no-id' })
  }

  return { peerId: peerIdFromPrivateKey(key).toString(), addresses: [], agent: undefined }
}

/**
 * The peers that the daemon is connected to, each once.
 *
 * @throws {DaemonError} no daemon runs
 */
export async function connectedPeers (context: Pick<NodeContext, 'repo'>): Promise<ConnectedPeer[]> {
  const daemon = await requireDaemon(context)

  return daemon.peers().finally(async () => daemon.close())
}

/**
 * Connect the daemon to peers, one after the other.
 *
 * @param addresses - multiaddrs
 * @param onConnected - called with the peer id and the address of each
 * @throws {DaemonError} no daemon runs
 * @throws {NotConnectedError} a peer cannot be reached
 */
export async function connectPeers (
  context: NodeContext,
  addresses: readonly string[],
  onConnected?: (peerId: string, address: string) => void
): Promise<void> {
  const { signal, network: { timeout = DEFAULT_TIMEOUT } = {} } = context
  const daemon = await requireDaemon(context)

  try {
    for (const address of addresses) {
      const peerId = await duringStep(
        context,
        { task: 'connect', name: address },
        async () => daemon.connect(address, AbortSignal.any([signal, AbortSignal.timeout(timeout)]))
      )
      onConnected?.(peerId, address)
    }
  } finally {
    await daemon.close()
  }
}

/**
 * Find the peers that advertise what a target leads to.
 *
 * @param target - a CID, a name or the name of a pin, and a path below it
 * @param onProvider - called for each peer as it is found
 * @returns the CID that the target leads to, and how many peers advertise it
 * @throws {DaemonError} no daemon runs, and the context names no peer
 */
export async function findProviders (
  context: NodeContext,
  target: string | CidPath,
  onProvider?: (provider: Provider) => void
): Promise<{ cid: CID, providers: number }> {
  const { signal, network: { timeout = DEFAULT_TIMEOUT } = {} } = context

  return withTargets(context, [target], async ([target], access) => {
    const network = await requireNetwork(access)
    const cid = target.path === ''
      ? target.cid
      : await withReading(context, target.cid, async ({ files }) => cidAt(target, files, signal), { access })
    const found = network.findProviders(cid, AbortSignal.any([signal, AbortSignal.timeout(timeout)]))
    let providers = 0

    await duringStep(context, { task: 'find-providers', name: cid.toString() }, async () => {
      for await (const provider of found) {
        providers++
        onProvider?.(provider)
      }
    })

    return { cid, providers }
  })
}

async function requireDaemon ({ repo }: Pick<NodeContext, 'repo'>): Promise<DaemonClient> {
  const daemon = await findDaemon(repo)

  if (daemon == null) {
    throw new DaemonError(`No daemon is running on the repo ${repo}`, { problem: 'not-running' })
  }

  return daemon
}
