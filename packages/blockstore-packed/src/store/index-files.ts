import { PageCache } from '../entries/page-cache.ts'
import { Segment } from '../entries/segment.ts'
import { DamagedIndexError } from '../errors.ts'
import { codeOf } from '../disk/disk.ts'
import { INDEX } from '../pack/pack-names.ts'
import type { CoveredPack } from '../entries/segment-format.ts'
import type { Disk } from '../disk/disk.ts'

const EXTENSION = '.idx'

/** The index files of a store. */
export class IndexFiles {
  readonly #disk: Disk
  readonly #pages = new PageCache()
  readonly #opened = new Map<string, Segment>()
  readonly #damaged = new Set<string>()
  /** Those in use: no pack is in two of them. */
  #segments: readonly Segment[] = []

  constructor (disk: Disk) {
    this.#disk = disk
  }

  get segments (): readonly Segment[] {
    return this.#segments
  }

  /** Names of files that are damaged, or whose packs are gone or in others. */
  useless (exists: (pack: string) => boolean): string[] {
    const used = new Set(this.#segments.filter(
      ({ packs }) => packs.some(({ id, covered }) => covered > 0 && exists(id))
    ))

    return [...this.#damaged, ...Array.from(this.#opened.values()).filter(s => !used.has(s)).map(({ name }) => name)]
  }

  /**
   * Open new files. What is found is in use once it is given to `use`.
   *
   * @returns `isGone`: a file went away meanwhile, and another has its packs now
   */
  async look (): Promise<{ segments: Segment[], isGone: boolean }> {
    const listed = (await this.#disk.list(INDEX)).filter(name => name.endsWith(EXTENSION))
    const names = new Set(listed.toSorted().map(name => `${INDEX}/${name}`))
    let isGone = false

    for (const name of names) {
      if (!this.#opened.has(name) && !this.#damaged.has(name)) {
        isGone = await this.#open(name) || isGone
      }
    }

    return { segments: choose(Array.from(this.#opened.values()).filter(
      ({ name }) => names.has(name) && !this.#damaged.has(name)
    )), isGone }
  }

  /** Use these files from now on, and close those that are gone. */
  async use (segments: readonly Segment[]): Promise<void> {
    const gone = this.#segments.filter(segment => !segments.includes(segment) && !segment.isClosed)
    this.#segments = segments.filter(({ isClosed }) => !isClosed)

    for (const segment of gone) {
      this.#opened.delete(segment.name)
      await segment.close()
    }
  }

  /** All entries of a file. */
  async * entries (segment: Segment): AsyncGenerator<Buffer> {
    try {
      yield * segment.all()
    } catch (err) {
      this.suspect(segment, err)
      throw err
    }
  }

  /** A file could not be read. If it is damaged, it is used until the next look, which reads its packs. */
  suspect (segment: Segment, err: unknown): void {
    if (err instanceof DamagedIndexError && !segment.isClosed) {
      this.#damaged.add(segment.name)
    }
  }

  async close (): Promise<void> {
    const opened = Array.from(this.#opened.values())
    this.#opened.clear()
    this.#segments = []
    await Promise.all(opened.map(async segment => segment.close()))
  }

  /** @returns whether the file is gone */
  async #open (name: string): Promise<boolean> {
    try {
      this.#opened.set(name, await Segment.open(this.#disk, name, this.#pages))
    } catch (err) {
      if (codeOf(err) === 'ENOENT') {
        return true
      }

      // everything in it is in the packs, too
      this.#damaged.add(name)
    }

    return false
  }
}

/** The packs whose blocks are in index files. */
export function coveredBy (segments: readonly Segment[]): Map<string, CoveredPack> {
  return new Map(segments.flatMap(({ packs }) => packs.filter(({ covered }) => covered > 0)).map(
    pack => [pack.id, pack]
  ))
}

/** Those that cover most come first: one that was merged may still be there beside the result. */
function choose (segments: Segment[]): Segment[] {
  const covered = new Set<string>()

  const sorted = segments.toSorted((a, b) => b.packs.length - a.packs.length || (a.name < b.name ? -1 : 1))

  return sorted.filter(({ packs }) => {
    const own = packs.filter(pack => pack.covered > 0)
    const isNew = own.every(({ id }) => !covered.has(id))

    if (isNew) {
      own.forEach(({ id }) => covered.add(id))
    }

    return isNew
  })
}
