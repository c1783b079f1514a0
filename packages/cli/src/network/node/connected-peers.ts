import type { ConnectedPeer } from '../network.ts'
import type { Libp2p } from '@libp2p/interface'

/**
 * The peers that a node is connected to.
 *
 * @param isSibling - whether a peer is a node of the same store
 */
export async function connectedPeers (
  libp2p: Pick<Libp2p, 'getConnections' | 'peerStore'>,
  isSibling: (peerId: string) => boolean
): Promise<ConnectedPeer[]> {
  return Promise.all(libp2p.getConnections().map(async ({ remotePeer, remoteAddr, direction }) => {
    const known = await libp2p.peerStore.get(remotePeer).catch(() => undefined)
    const agent = known?.metadata.get('AgentVersion')

    return {
      peerId: remotePeer.toString(),
      address: remoteAddr.toString(),
      direction,
      ...isSibling(remotePeer.toString()) ? { sameStore: true } : {},
      ...agent == null ? {} : { agent: new TextDecoder().decode(agent) }
    }
  }))
}
