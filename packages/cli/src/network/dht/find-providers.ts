import { setMaxListeners } from 'node:events'
import { unmark } from '@ipfsz/core'
import { Change } from '../auto-reset-event.ts'
import { usable } from './dhts.ts'
import type { Services } from './dhts.ts'
import type { Libp2p, PeerInfo } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** How often it is looked whether a query goes on, in milliseconds. */
const INTERVAL = 1000

/**
 * Who has something, as the DHTs say, each once and as they are found. Their
 * addresses are kept for dialling them. What has nobody to ask finds nobody.
 */
export async function * findProviders (libp2p: Libp2p<Services>, cid: CID, signal: AbortSignal): AsyncGenerator<PeerInfo> {
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  const seen = new Set([libp2p.peerId.toString()])
  const found: PeerInfo[] = []
  const changed = new Change()
  // a marked CID and its plain twin are one multihash, which is what the DHT is asked for
  const key = unmark(cid)

  setMaxListeners(0, ended.signal, both)

  const running = new Set(usable(libp2p))

  for (const dht of running) {
    // the other one may know
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

  async function ask (dht: ReturnType<typeof usable>[number]): Promise<void> {
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
