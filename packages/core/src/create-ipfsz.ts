import { allCodecs } from '@ipfsz/codecs/all'
import { checkInFlightBytes } from './check-init.ts'
import { DEFAULT_IN_FLIGHT_BYTES } from './constants.ts'
import { DefaultLinks } from './links/default-links.ts'
import { InvalidParametersError } from './errors.ts'
import { fetchSettings } from './fetch/init.ts'
import { DefaultIpfsz } from './ipfsz.ts'
import { ipldObjects } from './read/ipld-objects.ts'
import type { Ipfsz, IpfszComponents, IpfszInit } from './contract.ts'

/**
 * Create an {@link Ipfsz} on a Helia node, or on any object with a blockstore.
 *
 * @throws {InvalidParametersError} `inFlightBytes` or a number in `fetch` is not above 0,
 *   or `deterministic` is set together with `codecs`
 */
export function ipfsz (components: IpfszComponents, init: IpfszInit = {}): Ipfsz {
  const { codecs = allCodecs(), deterministic = false, inFlightBytes = DEFAULT_IN_FLIGHT_BYTES } = init

  checkInFlightBytes(inFlightBytes)

  if (deterministic && init.codecs != null) {
    throw new InvalidParametersError(
      'deterministic cannot be combined with codecs: create those with allCodecs({ deterministic: true })'
    )
  }

  const fs: DefaultIpfsz = new DefaultIpfsz({
    blockstore: components.blockstore,
    links: new DefaultLinks({ ...components, read: (cid, options) => fs.cat(cid, options) }),
    objects: ipldObjects,
    codecs,
    writers: deterministic ? allCodecs({ deterministic }) : codecs,
    inFlightBytes,
    fetch: fetchSettings(init.fetch),
    routing: components.routing,
    sources: components.sources ?? []
  })

  return fs
}
