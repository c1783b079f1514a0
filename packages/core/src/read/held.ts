import { RootCache } from './root-cache.ts'
import type { ReadSettings } from './read-settings.ts'
import type { HeldGroup } from '../frames/compressed-file.ts'
import type { HeldTable } from '../streams/read-seek-table.ts'

/** What reads of an open file look up once, besides its root. */
export interface Held extends HeldGroup, HeldTable {
  /** The root and the content of its base, which others may displace from the cache of all files. */
  base?: RootCache
}

/** Settings that read a base, and keep it if it is to be held. */
export function withHeld (settings: ReadSettings, held: Held | undefined): ReadSettings {
  return held == null ? settings : { ...settings, roots: held.base ??= new RootCache(settings.roots) }
}
