import { hideSecrets } from '@ipfsz/utils/hide-secrets'
import { multiaddr } from '@multiformats/multiaddr'
import { UsageError } from '../../errors.ts'
import type { Multiaddr } from '@multiformats/multiaddr'

export function parseMultiaddr (text: string): Multiaddr {
  const shown = hideSecrets(text)
  let address: Multiaddr

  try {
    address = multiaddr(text)
  } catch {
    // without its cause, which repeats the text
    throw new UsageError(`"${shown}" is not a multiaddr. Example: /ip4/192.0.2.1/tcp/4101/p2p/12D3KooW...`)
  }

  if (shown !== text) {
    throw new UsageError(`The address ${shown} contains credentials: remove them`)
  }

  return address
}
