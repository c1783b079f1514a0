import { kadDHT, removePrivateAddressesMapper, removePublicAddressesMapper } from '@libp2p/kad-dht'
import { ipnsRecords } from '../names/name-records.ts'
import type { KadDHT, KadDHTInit } from '@libp2p/kad-dht'
import type { Ping } from '@libp2p/ping'
import type { Identify } from '@libp2p/identify'
import type { Libp2p } from 'libp2p'

/** The services of a node. */
export interface Services extends Record<string, unknown> {
  identify: Identify
  ping: Ping
  /** The DHT of the public network. */
  wan: KadDHT
  /** That of private addresses, loopback included. Kubo keeps the same two. */
  lan: KadDHT
}

const COMMON: KadDHTInit = {
  // whether there is anybody to ask is looked at before (hasPeers), or a query would wait for the DHT that has nobody
  allowQueryWithZeroPeers: true,
  initialQuerySelfInterval: 200,
  ...ipnsRecords
}

/**
 * The two DHTs.
 *
 * @param server - whether to answer others. In the public one it does so as soon as it
 *   has a public address.
 */
export function dhtServices (server: boolean): { wan: ReturnType<typeof kadDHT>, lan: ReturnType<typeof kadDHT> } {
  return {
    wan: kadDHT({
      ...COMMON,
      protocol: '/ipfs/kad/1.0.0',
      peerInfoMapper: removePrivateAddressesMapper,
      ...server ? {} : { clientMode: true },
      logPrefix: 'libp2p:dht-wan',
      datastorePrefix: '/dht-wan',
      metricsPrefix: 'libp2p_dht_wan'
    }),
    lan: kadDHT({
      ...COMMON,
      protocol: '/ipfs/lan/kad/1.0.0',
      peerInfoMapper: removePublicAddressesMapper,
      clientMode: !server,
      logPrefix: 'libp2p:dht-lan',
      datastorePrefix: '/dht-lan',
      metricsPrefix: 'libp2p_dht_lan'
    })
  }
}

/** The DHTs that have somebody to ask. */
export function usable ({ services: { wan, lan } }: Libp2p<Services>): KadDHT[] {
  return [lan, wan].filter(hasPeers)
}

function hasPeers (dht: KadDHT): boolean {
  // a DHT of one's own has its table, which the type of both kinds leaves out
  return 'routingTable' in dht && (dht.routingTable as { size: number }).size > 0
}
