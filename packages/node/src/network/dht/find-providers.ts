import { setMaxListeners } from 'node:events'
import { unmark } from '@ipfsz/core'
import merge from 'it-merge'
import { usableDhts } from './dhts.ts'
import type { Services } from './dhts.ts'
import type { Libp2p, PeerInfo } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/**
 * Asks both DHTs for the providers of a CID and yields each provider once, as it is found. Their addresses go to the
 * peer store, so that they can be dialled by id. Without a usable DHT it yields nothing.
 */
export async function * findProviders (
  libp2p: Libp2p<Services>,
  cid: CID,
  signal: AbortSignal
): AsyncGenerator<PeerInfo> {
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  const seen = new Set([libp2p.peerId.toString()])
  // the DHT is asked by multihash, which a marked CID and its plain twin share
  const key = unmark(cid)

  setMaxListeners(0, ended.signal, both)

  async function * ask (dht: ReturnType<typeof usableDhts>[number]): AsyncGenerator<PeerInfo> {
    try {
      for await (const event of dht.findProviders(key, { signal: both })) {
        for (const provider of event.name === 'PROVIDER' ? event.providers : []) {
          if (!seen.has(provider.id.toString())) {
            seen.add(provider.id.toString())

            if (provider.multiaddrs.length > 0) {
              await libp2p.peerStore.merge(provider.id, { multiaddrs: provider.multiaddrs })
            }

            yield provider
          }
        }
      }
    } catch {
      // if one DHT fails, the other may still answer
      signal.throwIfAborted()
    }
  }

  try {
    yield * merge(...usableDhts(libp2p).map(ask))
  } finally {
    ended.abort()
  }
}
