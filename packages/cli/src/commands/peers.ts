import * as node from '@ipfsz/node/peers'
import { nodeContext } from '../context.ts'
import { printable } from '../terminal/output.ts'
import { phraseCell } from '../terminal/row.ts'
import type { Context } from '../context.ts'

export async function id (context: Context): Promise<void> {
  const { output } = context
  const { peerId, addresses, agent } = await node.identify(context)

  if (agent == null) {
    output.labelled(
      { peerId, addresses, running: false },
      [['Peer ID', peerId]],
      'No daemon is running: start one with ipfsz daemon'
    )
    return
  }

  output.labelled({ peerId, addresses, agent, running: true }, [
    ['Peer ID', peerId],
    ['Agent', printable(agent)],
    ...addresses.map(address => ['Address', printable(address)] as const)
  ])
}

export async function peers (context: Context): Promise<void> {
  const { output } = context
  const connected = await node.connectedPeers(context)

  for (const { peerId, address, direction, agent, sameStore = false } of connected) {
    // a peer chooses its agent string: it may hold control characters
    output.row(
      { peerId, address, direction, agent, ...sameStore ? { sameStore } : {} },
      [
        peerId,
        printable(address),
        direction,
        agent == null || agent === '' ? phraseCell('', ['-']) : printable(agent),
        ...sameStore ? [phraseCell('same store', ['same-store'])] : []
      ]
    )
  }

  if (connected.length === 0) {
    output.note('the daemon is not connected to any peer')
  }
}

export async function connect (addresses: readonly string[], context: Context): Promise<void> {
  await node.connectPeers(nodeContext(context), addresses, (peerId, address) => {
    context.output.row({ peerId, address }, [peerId, 'connected'])
  })
}

export async function providers (text: string, context: Context): Promise<void> {
  const { output } = context
  const { cid, providers } = await node.findProviders(nodeContext(context), text, ({ peerId, addresses }) => {
    output.row({ peerId, addresses }, [peerId, ...addresses.map(printable)])
  })

  if (providers === 0) {
    output.note(`no peer advertises ${cid}`)
  }
}
