import { once } from 'node:events'
import { connectedPeers, HTTP_PROTOCOL } from '@ipfsz/core/libp2p'
import type { HttpPeers } from '@ipfsz/core/libp2p'
import type { Libp2p, PeerId } from '@libp2p/interface'

/** How long to wait for a peer to say which protocols it speaks, in milliseconds: it does so as it connects. */
const IDENTIFY_WAIT = 500

/**
 * The peer that a session asks over HTTP: the only one that is known to have the blocks. Bitswap asks several for parts
 * of one file at the same time, which brings more than one response of one of them. While none is known, it is the only
 * one that is connected.
 *
 * @param providers - the connected peers that have the blocks
 */
export function onlyHttpPeer (libp2p: Libp2p, providers: () => readonly PeerId[]): HttpPeers {
  let hasWaited = false

  return {
    ...connectedPeers(libp2p),
    async find () {
      const known = providers()
      const [peer, ...others] = known.length > 0 ? known : libp2p.getPeers()

      if (peer == null || others.length > 0) {
        return []
      }

      // once is enough
      if (known.length > 0 && !hasWaited) {
        hasWaited = true
        await identified(libp2p, peer)
      }

      const protocols = await protocolsOf(libp2p, peer)
      const isDirect = libp2p.getConnections(peer).some(({ limits }) => limits == null)

      return isDirect && protocols?.includes(HTTP_PROTOCOL) !== false
        ? [{ id: peer.toString(), isSure: protocols != null }]
        : []
    }
  }
}

/** The protocols that a peer speaks. Undefined: it has not said so yet. */
async function protocolsOf (libp2p: Libp2p, peer: PeerId): Promise<string[] | undefined> {
  const { metadata, protocols } = await libp2p.peerStore.get(peer).catch(() => undefined) ?? {}

  return metadata?.has('AgentVersion') === true || protocols?.includes(HTTP_PROTOCOL) === true ? protocols : undefined
}

/** Returns when a peer has said which protocols it speaks, or does not say so in time. */
async function identified (libp2p: Libp2p, peer: PeerId): Promise<void> {
  const signal = AbortSignal.timeout(IDENTIFY_WAIT)

  try {
    while (await protocolsOf(libp2p, peer) == null) {
      await once(libp2p, 'peer:identify', { signal })
    }
  } catch {
    // too late: it is asked all the same
  }
}
