import { withReading } from '../context.ts'
import { DaemonError } from '../errors.ts'
import { DEFAULT_TIMEOUT } from '@ipfsz/node/internal/daemon/access'
import { requireNetwork } from '@ipfsz/node/internal/daemon/command-access'
import { printable } from '../terminal/output.ts'
import { cidAt, withTargets } from './read-target.ts'
import type { Context } from '../context.ts'
import type { Network } from '@ipfsz/node/internal/network/network'

/** Show the peer id of the repo, and the addresses of its daemon if one runs. */
export async function id (context: Context): Promise<void> {
  const { output } = context
  const daemon = await findDaemon(context)

  if (daemon != null) {
    const { peerId, addresses, agent } = await daemon.id().finally(async () => daemon.close())

    output.labelled({ peerId, addresses, agent, running: true }, [
      ['Peer ID', peerId],
      ['Agent', printable(agent)],
      ...addresses.map(address => ['Address', printable(address)] as const)
    ])
    return
  }

  const [{ loadKey, SELF }, { peerIdFromPrivateKey }] = await Promise.all([
    import('@ipfsz/node/internal/network/names/keys'),
    import('@libp2p/peer-id')
  ])
  const key = await loadKey(context.repo, SELF)

  if (key == null) {
    throw new DaemonError(`The repo ${context.repo} has no peer id yet: run ipfsz daemon once to create it`)
  }

  const peerId = peerIdFromPrivateKey(key).toString()
  output.labelled(
    { peerId, addresses: [], running: false },
    [['Peer ID', peerId]],
    'No daemon is running: start one with ipfsz daemon'
  )
}

/** List the peers that the daemon is connected to. */
export async function peers (context: Context): Promise<void> {
  const { output } = context
  const daemon = await requireDaemon(context)
  const connected = await daemon.peers().finally(async () => daemon.close())

  for (const { peerId, address, direction, agent, sameStore = false } of connected) {
    // a peer chooses its agent string: it may hold control characters
    output.row(
      { peerId, address, direction, agent, ...sameStore ? { sameStore } : {} },
      [
        peerId,
        printable(address),
        direction,
        ...agent == null || agent === '' ? [] : [printable(agent)],
        ...sameStore ? ['same store'] : []
      ]
    )
  }

  if (connected.length === 0) {
    output.note('the daemon is not connected to any peer')
  }
}

/** Connect the daemon to peers. */
export async function connect (addresses: readonly string[], context: Context): Promise<void> {
  const { output, signal, network: { timeout = DEFAULT_TIMEOUT } = {} } = context
  const daemon = await requireDaemon(context)

  try {
    for (const address of addresses) {
      const peerId = await output.during(
        `connecting to ${address}`,
        async () => daemon.connect(address, AbortSignal.any([signal, AbortSignal.timeout(timeout)]))
      )
      output.row({ peerId, address }, [peerId, 'connected'])
    }
  } finally {
    await daemon.close()
  }
}

/** List the peers that advertise what a CID, a name or a path leads to, as they are found. */
export async function providers (text: string, context: Context): Promise<void> {
  const { output, signal, network: { timeout = DEFAULT_TIMEOUT } = {} } = context

  await withTargets([text], context, async ([target], access) => {
    const network = await requireNetwork(access)
    const cid = target.path === ''
      ? target.cid
      : await withReading(context, target.cid, async ({ files }) => cidAt(target, files, signal), { access })
    const found = network.findProviders(cid, AbortSignal.any([signal, AbortSignal.timeout(timeout)]))

    let count = 0

    await output.during(`searching for providers of ${cid}`, async () => {
      for await (const { peerId, addresses } of found) {
        count++
        output.row({ peerId, addresses }, [peerId, ...addresses.map(printable)])
      }
    })

    if (count === 0) {
      output.note(`no peer advertises ${cid}`)
    }
  })
}

async function findDaemon ({ repo }: Context): Promise<Network | undefined> {
  const { readDaemonFile } = await import('@ipfsz/node/internal/daemon/daemon-file')
  const address = await readDaemonFile(repo)

  if (address == null) {
    return undefined
  }

  const { DaemonClient } = await import('@ipfsz/node/internal/daemon/daemon-client')

  return new DaemonClient(address)
}

async function requireDaemon (context: Context): Promise<Network> {
  const daemon = await findDaemon(context)

  if (daemon == null) {
    throw new DaemonError(`No daemon is running on the repo ${context.repo}: start one with ipfsz daemon`)
  }

  return daemon
}
