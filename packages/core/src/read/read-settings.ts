import type { RootCache } from './root-cache.ts'
import type { DefaultLinks } from '../links/default-links.ts'
import type { Codec } from '@ipfsz/codecs'
import type { Blockstore } from 'interface-blockstore'

/** What reading works with. */
export interface ReadSettings {
  blockstore: Pick<Blockstore, 'get' | 'put' | 'has'>
  links: DefaultLinks
  /** The codecs that read files. */
  codecs: readonly Codec[]
  inFlightBytes: number
  /** Roots of the files that were read last. */
  roots: RootCache
}
