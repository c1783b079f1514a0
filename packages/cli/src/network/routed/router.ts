import { askRouter, parseRouterUrl } from './ask-router.ts'
import type { Network } from '../network.ts'
import type { CID } from 'multiformats/cid'

/** Names the addresses of those who have what is below a root. */
export interface Router {
  /** For messages. */
  name: string
  /** Yields multiaddrs as they come. Nothing of them is checked. */
  find: (root: CID, signal: AbortSignal) => AsyncIterable<string>
}

/**
 * A delegated router.
 *
 * @throws {UsageError} the text is not its URL
 */
export function delegatedRouter (text: string): Router {
  const url = parseRouterUrl(text)

  return { name: url.href, find: (root, signal) => askRouter(url, root, signal) }
}

/** The DHTs: providers may advertise addresses of HTTP, too. */
export function dhtRouter (network: () => Promise<Pick<Network, 'findProviders'>>): Router {
  return {
    name: 'DHT',
    async * find (root, signal) {
      const opened = await network()

      for await (const { addresses } of opened.findProviders(root, signal)) {
        yield * addresses
      }
    }
  }
}
