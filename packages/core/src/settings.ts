import type { ReadSettings } from './read/read-settings.ts'
import type { Codec } from '@ipfsz/codecs'

/** What every command works with. */
export interface Settings extends ReadSettings {
  /** The codecs that write files. */
  writers: readonly Codec[]
}
