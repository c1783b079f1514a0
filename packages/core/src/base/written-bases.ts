import { LruMap } from '@ipfsz/utils/lru-map'
import { WrittenBase } from './written-base.ts'
import type { StoredBaseSettings } from './base-content.ts'
import type { WrittenBaseOptions } from './written-base.ts'
import type { CID } from 'multiformats/cid'

/** How many bases stay open: files that are added at the same time may have the same one. */
const MAX_OPEN = 8

/** Opens the bases of the files of one add, and keeps those that were opened last. */
export class WrittenBases {
  readonly #settingsOf: (cid: CID) => StoredBaseSettings
  readonly #options: WrittenBaseOptions
  readonly #open = new LruMap<string, Promise<WrittenBase | undefined>>({ maxEntries: MAX_OPEN })

  /** @param settingsOf - what reading a base works with */
  constructor (settingsOf: (cid: CID) => StoredBaseSettings, options: WrittenBaseOptions) {
    this.#settingsOf = settingsOf
    this.#options = options
  }

  async open (cid: CID): Promise<WrittenBase | undefined> {
    const key = cid.toString()
    const opening = this.#open.get(key) ?? WrittenBase.open(cid, this.#settingsOf(cid), this.#options)
    this.#open.set(key, opening)

    return opening
  }

  /** Free the content of the bases that are open. All files must have been added. */
  async close (): Promise<void> {
    const opened = await Promise.all(this.#open.values())
    this.#open.clear()
    await Promise.all(opened.map(async base => base?.close()))
  }
}
