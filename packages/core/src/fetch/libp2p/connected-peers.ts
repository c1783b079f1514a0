import { widenWindow } from '../../helia/widen-window.ts'
import { fetchOverStream } from './fetch-over-stream.ts'
import { HTTP_PROTOCOL } from './limits.ts'
import type { HttpPeers } from './peer-gateways.ts'
import type { Connection, Libp2p } from '@libp2p/interface'

/** What is needed of a libp2p node. */
export type HttpPeersComponents = Pick<Libp2p, 'getConnections' | 'peerStore'>

/**
 * The connected peers of a libp2p node that speak `HTTP_PROTOCOL`. Connections through a relay are left out: they end
 * after a few bytes.
 */
export function connectedPeers (libp2p: HttpPeersComponents): HttpPeers {
  const connections = (): Connection[] =>
    libp2p.getConnections().filter(({ limits, status }) => limits == null && status === 'open')

  return {
    async find () {
      const found = new Set<string>()

      for (const { remotePeer } of connections()) {
        const known = await libp2p.peerStore.get(remotePeer).catch(() => undefined)

        if (known?.protocols.includes(HTTP_PROTOCOL) === true) {
          found.add(remotePeer.toString())
        }
      }

      return Array.from(found, id => ({ id, isSure: true }))
    },

    async fetch (peerId, url, { headers, signal }) {
      const connection = connections().find(({ remotePeer }) => remotePeer.toString() === peerId)

      if (connection == null) {
        throw new Error('the peer is not connected')
      }

      const stream = await connection.newStream(HTTP_PROTOCOL, signal == null ? {} : { signal })

      widenWindow(stream)

      return fetchOverStream(stream, url, { headers, signal })
    }
  }
}
