import { kadDHT, removePrivateAddressesMapper, removePublicAddressesMapper } from '@libp2p/kad-dht'
import { ipnsRecords } from '../names/name-records.ts'
import type { KadDHTInit } from '@libp2p/kad-dht'

const COMMON: KadDHTInit = {
  // `usableDhts` leaves out a DHT without peers. By default kad-dht makes a query wait for a peer
  allowQueryWithZeroPeers: true,
  initialQuerySelfInterval: 200,
  ...ipnsRecords
}

/**
 * The public DHT and the one of private addresses.
 *
 * @param server - whether to answer queries of others. The public DHT does so only once the node
 *   has a public address.
 */
export function dhtServices (server: boolean): Record<'wan' | 'lan', ReturnType<typeof kadDHT>> {
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
