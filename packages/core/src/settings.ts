import type { DefaultLinks } from './links/default-links.ts'
import type { ReadSettings } from './read/read-settings.ts'
import type { Codec } from '@ipfsz/codecs'

/** What every command works with. */
export interface Settings extends ReadSettings {
  links: DefaultLinks
  /** The codecs that write files. */
  writers: readonly Codec[]
}
