import { multiaddr } from '@multiformats/multiaddr'
import { UsageError } from '../../errors.ts'
import type { Multiaddr } from '@multiformats/multiaddr'

/** @throws {UsageError} the text is not a multiaddr */
export function parseMultiaddr (text: string): Multiaddr {
  try {
    return multiaddr(text)
  } catch (err) {
    throw new UsageError(`"${text}" is not a multiaddr. Example: /ip4/192.0.2.1/tcp/4101/p2p/12D3KooW...`, {
      cause: err
    })
  }
}
