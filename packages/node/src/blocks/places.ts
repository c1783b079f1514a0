import { statSync } from 'node:fs'
import { FileStorage } from '@ipfsz/shared-store/storage'
import { readBlockSetting, settingIn } from './block-setting.ts'
import { PackStorage } from './pack-storage.ts'
import { PlainBlockstore } from './plain-blockstore.ts'
import type { BlockLayout, BlockSetting, RepoCompression } from './block-setting.ts'
import type { BlockStorage } from '@ipfsz/shared-store/storage'
import type { Blockstore } from 'interface-blockstore'

/** Where blocks lie, in one layout. */
export interface Place {
  layout: BlockLayout
  stored: BlockStorage
  /** The blocks, decompressed. */
  plain: Blockstore
  /** Resolves when no put runs any more, and what is open is closed. */
  close: () => Promise<void>
}

export interface PlacesInit {
  repo: string
  directory: string
  setting: BlockSetting
  /** Whether `stored.sync` waits until blocks survive a loss of power. */
  sync: boolean
}

/** Where the blocks of a repo are now. `ipfsz blockstore convert --layout` may move them at any time. */
export class Places {
  readonly #init: PlacesInit
  #mark: string
  #now: Place
  #before: Place | undefined
  #following: Promise<boolean> | undefined

  private constructor (init: PlacesInit, mark: string, places: [now: Place, before: Place | undefined]) {
    this.#init = init
    this.#mark = mark
    ;[this.#now, this.#before] = places
  }

  static async open (init: PlacesInit): Promise<Places> {
    const mark = markOf(init.repo)

    return new Places(init, mark, await placesOf(init))
  }

  /** The directory of the blocks. */
  get directory (): string {
    return this.#init.directory
  }

  /** Where blocks are put. */
  get now (): Place {
    return this.#now
  }

  /** Where blocks are that a conversion has not moved yet. */
  get before (): Place | undefined {
    return this.#before
  }

  /** Where to look for a block, in this order: it may be moved meanwhile. */
  get order (): Place[] {
    return this.#before == null ? [this.#now] : [this.#now, this.#before, this.#now]
  }

  /** Whether the setting has changed, which takes microseconds to find out. */
  isStale (): boolean {
    return this.#mark !== markOf(this.#init.repo)
  }

  /** Read the setting again if it has changed. @returns whether blocks are somewhere else now */
  async follow (): Promise<boolean> {
    return this.isStale() && await (this.#following ??= this.#follow().finally(() => { this.#following = undefined }))
  }

  async close (): Promise<void> {
    await this.#now.close()
    await this.#before?.close()
  }

  async #follow (): Promise<boolean> {
    const mark = markOf(this.#init.repo)
    const setting = await readBlockSetting(this.#init.repo) ?? { layout: 'files' }
    const left = [this.#now, this.#before]

    // another codec is for those who open the repo from now on
    if (setting.layout === this.#now.layout && setting.from === this.#before?.layout) {
      this.#mark = mark

      return false
    }

    ;[this.#now, this.#before] = await placesOf({ ...this.#init, setting })
    this.#mark = mark

    for (const place of left) {
      await place?.close()
    }

    return true
  }
}

/** Blocks as files, or in packs. */
export async function placeOf (
  layout: BlockLayout,
  directory: string,
  { sync, compression }: { sync: boolean, compression?: RepoCompression | undefined }
): Promise<Place> {
  if (layout === 'packs') {
    const packs = new PackStorage(directory, { sync })

    return { layout, stored: packs, plain: packs, close: async () => packs.close() }
  }

  const stored = new FileStorage(directory, { sync })
  const close = async (): Promise<void> => stored.settled()

  if (compression == null) {
    return { layout, stored, plain: new PlainBlockstore(stored), close }
  }

  const { CompressedBlockstore } = await import('@ipfsz/blockstore-compressed')

  return { layout, stored, plain: new CompressedBlockstore(stored, compression), close }
}

async function placesOf (
  { directory, setting: { layout, from, compression }, sync }: PlacesInit
): Promise<[now: Place, before: Place | undefined]> {
  const of = async (layout: BlockLayout): Promise<Place> => placeOf(layout, directory, { sync, compression })

  return [await of(layout), from == null ? undefined : await of(from)]
}

/** Differs if the file of the setting was replaced. */
function markOf (repo: string): string {
  const stats = statSync(settingIn(repo), { throwIfNoEntry: false })

  return stats == null ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`
}
