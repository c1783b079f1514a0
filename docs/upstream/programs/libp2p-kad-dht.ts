// @libp2p/kad-dht 16.4.5: the interface KadDHT leaves out the routing table
import type { KadDHT } from '@libp2p/kad-dht'

export function hasPeers (dht: KadDHT): boolean {
  // @ts-expect-error Property 'routingTable' does not exist on type 'KadDHT'
  return dht.routingTable.size > 0
}
