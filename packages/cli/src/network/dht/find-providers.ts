import { setMaxListeners } from 'node:events'
import { unmark } from '@ipfsz/core'
import { AutoResetEvent } from '../auto-reset-event.ts'
import { usableDhts } from './dhts.ts'
import type { Services } from './dhts.ts'
import type { Libp2p, PeerInfo } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** The longest wait for the next result, in milliseconds. */
const INTERVAL = 1000

/**
 * Asks both DHTs for the providers of a CID and yields each provider once, as it is found. Their
 * addresses go to the peer store, so that they can be dialled by id. Without a usable DHT it
 * yields nothing.
 */
export async function * findProviders (
  libp2p: Libp2p<Services>,
  cid: CID,
  signal: AbortSignal
): AsyncGenerator<PeerInfo> {
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  const seen = new Set([libp2p.peerId.toString()])
  const found: PeerInfo[] = []
  const changed = new AutoResetEvent()
  // the DHT is asked by multihash, which a marked CID and its plain twin share
  const key = unmark(cid)

  setMaxListeners(0, ended.signal, both)

  const running = new Set(usableDhts(libp2p))

  for (const dht of running) {
    // if one DHT fails, the other may still answer
    void ask(dht).catch(() => {}).finally(() => {
      running.delete(dht)
      changed.notify()
    })
  }

  try {
    while (running.size > 0 || found.length > 0) {
      signal.throwIfAborted()
      yield * found.splice(0)

      if (running.size > 0) {
        await changed.wait(INTERVAL, signal)
      }
    }
  } finally {
    ended.abort()
  }

  async function ask (dht: ReturnType<typeof usableDhts>[number]): Promise<void> {
    for await (const event of dht.findProviders(key, { signal: both })) {
      if (event.name !== 'PROVIDER') {
        continue
      }

      for (const provider of event.providers) {
        if (!seen.has(provider.id.toString())) {
          seen.add(provider.id.toString())

          if (provider.multiaddrs.length > 0) {
            await libp2p.peerStore.merge(provider.id, { multiaddrs: provider.multiaddrs })
          }

          found.push(provider)
          changed.notify()
        }
      }
    }
  }
}
