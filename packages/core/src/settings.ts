import type { IpfszComponents } from './contract.ts'
import type { DefaultLinks } from './links/default-links.ts'
import type { RootCache } from './read/root-cache.ts'
import type { Codec } from '@ipfsz/codecs'

/** What every command works with. */
export interface Settings extends Omit<IpfszComponents, 'datastore' | 'routing'> {
  links: DefaultLinks
  /** What files are read with. */
  codecs: readonly Codec[]
  /** What files are written with. */
  writers: readonly Codec[]
  inFlightBytes: number
  /** The roots of files that were read last. */
  roots: RootCache
}
