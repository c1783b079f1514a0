/**
 * @packageDocumentation
 *
 * `ipfsz` with the codecs that it is given: no other is imported. A bundler that puts a page into one file puts every
 * codec into it that any import names, 1.2 MB gzipped; with this entry, only those that the page names.
 *
 * @example Add and read with zstd alone
 *
 * ```typescript
 * import { zstd } from '@ipfsz/codecs/zstd'
 * import { ipfsz } from '@ipfsz/core/with-codecs'
 * import { MemoryBlockstore } from 'blockstore-core'
 *
 * const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: [zstd()] })
 * const cid = await fs.addBytes(new TextEncoder().encode('hello '.repeat(1000)))
 *
 * console.info(cid.toString())
 * ```
 */
import { createWithCodecs } from './create-with-codecs.ts'
import type { WithCodecsInit } from './create-with-codecs.ts'
import type { Ipfsz, IpfszComponents } from './contract.ts'

/**
 * Create an {@link Ipfsz} on a Helia node, or on any object with a blockstore.
 *
 * @throws {InvalidParametersError} `inFlightBytes` or a number in `fetch` is not above 0
 */
export function ipfsz (components: IpfszComponents, init: WithCodecsInit): Ipfsz {
  return createWithCodecs(components, { ...init, writers: init.codecs })
}

export type { WithCodecsInit } from './create-with-codecs.ts'
