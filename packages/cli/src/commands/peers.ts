import { openNetwork, parseCid } from '../context.ts'
import { DaemonError } from '../errors.ts'
import { DEFAULT_TIMEOUT } from '../daemon/access.ts'
import { printable } from '../terminal/output.ts'
import type { Context } from '../context.ts'
import type { Network } from '../network/network.ts'

/** Show who the node of the repo is. */
export async function id (context: Context): Promise<void> {
  const { output } = context
  const daemon = await openDaemon(context)

  if (daemon != null) {
    const { peerId, addresses, agent } = await daemon.id().finally(async () => daemon.close())

    output.result({ peerId, addresses, agent, running: true }, [`Peer ID\t${peerId}`, `Agent\t${printable(agent)}`, ...addresses.map(address => `Address\t${printable(address)}`)].join('\n'))
    return
  }

  const [{ loadKey, SELF }, { peerIdFromPrivateKey }] = await Promise.all([import('../network/names/keys.ts'), import('@libp2p/peer-id')])
  const key = await loadKey(context.repo, SELF)

  if (key == null) {
    throw new DaemonError('This repo has no peer id yet: it gets one when ipfsz daemon runs for the first time')
  }

  const peerId = peerIdFromPrivateKey(key).toString()
  output.result({ peerId, addresses: [], running: false }, `Peer ID\t${peerId}\nNo daemon runs: start one with ipfsz daemon`)
}

/** List who is connected. */
export async function peers (context: Context): Promise<void> {
  const { output } = context
  const daemon = await needDaemon(context)
  const connected = await daemon.peers().finally(async () => daemon.close())

  for (const { peerId, address, direction, agent } of connected) {
    // an agent says of itself what it likes
    output.result({ peerId, address, direction, agent }, [peerId, printable(address), direction, printable(agent ?? '')].join('\t').trimEnd())
  }
}

/** Connect to peers. */
export async function connect (addresses: readonly string[], context: Context): Promise<void> {
  const { output, signal, network: { timeout = DEFAULT_TIMEOUT } = {} } = context
  const daemon = await needDaemon(context)

  try {
    for (const address of addresses) {
      const peerId = await daemon.connect(address, AbortSignal.any([signal, AbortSignal.timeout(timeout)]))
      output.result({ peerId, address }, `${peerId}\tconnected`)
    }
  } finally {
    await daemon.close()
  }
}

/** List who says to have something, as they are found. */
export async function providers (text: string, context: Context): Promise<void> {
  const { output, signal, network: { timeout = DEFAULT_TIMEOUT } = {} } = context
  const cid = parseCid(text)
  const network = await openNetwork(context)

  try {
    for await (const { peerId, addresses } of network.findProviders(cid, AbortSignal.any([signal, AbortSignal.timeout(timeout)]))) {
      output.result({ peerId, addresses }, [peerId, ...addresses.map(printable)].join('\t'))
    }
  } finally {
    await network.close()
  }
}

async function openDaemon ({ repo }: Context): Promise<Network | undefined> {
  const { readDaemonFile } = await import('../daemon/daemon-file.ts')
  const address = await readDaemonFile(repo)

  if (address == null) {
    return undefined
  }

  const { DaemonClient } = await import('../daemon/daemon-client.ts')

  return new DaemonClient(address)
}

async function needDaemon (context: Context): Promise<Network> {
  const daemon = await openDaemon(context)

  if (daemon == null) {
    throw new DaemonError(`No daemon runs on the repo ${context.repo}: start one with ipfsz daemon`)
  }

  return daemon
}
