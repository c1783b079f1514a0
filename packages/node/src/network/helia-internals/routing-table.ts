import type { KadDHT } from '@libp2p/kad-dht'

/**
 * Whether a DHT has a peer that it can ask. `KadDHT` of @libp2p/kad-dht implements `routingTable`;
 * its interface of the same name leaves it out.
 */
export function hasPeers (dht: KadDHT): boolean {
  return 'routingTable' in dht && (dht.routingTable as { size: number }).size > 0
}
