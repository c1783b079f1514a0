import type { IpfszComponents } from './contract.ts'
import type { DefaultLinks } from './links/default-links.ts'
import type { RootCache } from './read/root-cache.ts'
import type { Codec } from '@ipfsz/codecs'

/** What every command works with. */
export interface Settings extends Omit<IpfszComponents, 'datastore' | 'routing'> {
  links: DefaultLinks
  /** The codecs that read files. */
  codecs: readonly Codec[]
  /** The codecs that write files. */
  writers: readonly Codec[]
  inFlightBytes: number
  /** Roots of the files that were read last. */
  roots: RootCache
}
