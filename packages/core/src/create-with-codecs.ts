import { checkInFlightBytes } from './check-init.ts'
import { DEFAULT_IN_FLIGHT_BYTES } from './constants.ts'
import { DefaultLinks } from './links/default-links.ts'
import { fetchSettings } from './fetch/init.ts'
import { DefaultIpfsz } from './ipfsz.ts'
import { ipldObjects } from './read/ipld-objects.ts'
import type { Ipfsz, IpfszComponents, IpfszInit } from './contract.ts'
import type { Codec } from '@ipfsz/codecs'

export interface WithCodecsInit extends Pick<IpfszInit, 'inFlightBytes' | 'fetch'> {
  /** The codecs to read and write with. zstd is the default codec of files: without it, each add must set another. */
  codecs: readonly Codec[]
}

interface Init extends WithCodecsInit {
  /** The codecs that files are written with. */
  writers: readonly Codec[]
}

/** Makes what is created. */
export type MakeIpfsz = (...args: ConstructorParameters<typeof DefaultIpfsz>) => DefaultIpfsz

/** @throws {InvalidParametersError} `inFlightBytes` or a number in `fetch` is not above 0 */
export function createWithCodecs (
  components: IpfszComponents,
  { codecs, writers, inFlightBytes = DEFAULT_IN_FLIGHT_BYTES, fetch }: Init,
  make: MakeIpfsz = init => new DefaultIpfsz(init)
): Ipfsz {
  checkInFlightBytes(inFlightBytes)

  const fs: DefaultIpfsz = make({
    blockstore: components.blockstore,
    links: new DefaultLinks({
      ...components,
      read: (cid, options) => fs.cat(cid, options),
      stat: async (cid, { signal }) => fs.stat(cid, { signal: signal ?? undefined, offline: true })
    }),
    objects: ipldObjects,
    codecs,
    writers,
    inFlightBytes,
    fetch: fetchSettings(fetch),
    routing: components.routing,
    sources: components.sources ?? []
  })

  return fs
}
