import { kadDHT, removePrivateAddressesMapper, removePublicAddressesMapper } from '@libp2p/kad-dht'
import { ipnsRecords } from '../names/name-records.ts'
import type { KadDHTInit } from '@libp2p/kad-dht'

/** The public DHT, which answers others only once the node has a public address, and the one of private addresses. */
export function dhtServices (server: boolean): Record<'wan' | 'lan', ReturnType<typeof kadDHT>> {
  return {
    wan: dht('wan', {
      protocol: '/ipfs/kad/1.0.0',
      peerInfoMapper: removePrivateAddressesMapper,
      ...server ? {} : { clientMode: true }
    }),
    lan: dht('lan', {
      protocol: '/ipfs/lan/kad/1.0.0',
      peerInfoMapper: removePublicAddressesMapper,
      clientMode: !server
    })
  }
}

function dht (name: string, init: KadDHTInit): ReturnType<typeof kadDHT> {
  return kadDHT({
    // `usableDhts` leaves out a DHT without peers. By default kad-dht makes a query wait for a peer
    allowQueryWithZeroPeers: true,
    initialQuerySelfInterval: 200,
    logPrefix: `libp2p:dht-${name}`,
    datastorePrefix: `/dht-${name}`,
    metricsPrefix: `libp2p_dht_${name}`,
    ...ipnsRecords,
    ...init
  })
}
