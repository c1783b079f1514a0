import type { DefaultLinks } from './links/default-links.ts'
import type { ReadSettings } from './read/read-settings.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

/** What every command works with. */
export interface Settings extends ReadSettings {
  links: DefaultLinks
  /** The codecs that write files. */
  writers: readonly Codec[]
}

/** What the commands work with that add files. */
export interface AddSettings extends Settings {
  /** The settings, with a blockstore that fetches the missing blocks below a base. */
  below (base: CID): ReadSettings
}
