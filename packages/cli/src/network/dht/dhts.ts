import { hasPeers } from '../helia-internals/routing-table.ts'
import type { Identify } from '@libp2p/identify'
import type { KadDHT } from '@libp2p/kad-dht'
import type { Ping } from '@libp2p/ping'
import type { Libp2p } from 'libp2p'

/** The libp2p services of a node. */
export interface Services extends Record<string, unknown> {
  identify: Identify
  ping: Ping
  /** The DHT of the public network. */
  wan: KadDHT
  /** The DHT of private addresses, loopback included. Kubo runs the same two. */
  lan: KadDHT
}

/** The DHTs that have at least one peer to ask. */
export function usableDhts ({ services: { wan, lan } }: Libp2p<Services>): KadDHT[] {
  return [lan, wan].filter(hasPeers)
}
