import { Segment } from '../entries/segment.ts'
import { DamagedIndexError } from '../errors.ts'
import { codeOf } from '../disk/disk.ts'
import { INDEX } from '../pack/pack-names.ts'
import { PAGE_SIZE, PRINT_PAGE_SIZE } from '../entries/segment-format.ts'
import { MemoryCache } from '../util/memory-cache.ts'
import type { PageCaches } from '../entries/segment.ts'
import type { CoveredPack } from '../entries/segment-format.ts'
import type { Disk } from '../disk/disk.ts'
import type { Row } from '../format/entry.ts'
import type { Key } from '../format/key.ts'

const EXTENSION = '.idx'
/** Pages of entries that are kept in memory, and pages of prints: 8 MiB of each. The prints are of 4 million blocks. */
const MAX_PAGES = 512

export class IndexFiles {
  readonly #disk: Disk
  readonly #caches: PageCaches = {
    entries: new MemoryCache(MAX_PAGES, PAGE_SIZE), prints: new MemoryCache(MAX_PAGES, PRINT_PAGE_SIZE)
  }

  readonly #opened = new Map<string, Segment>()
  readonly #damaged = new Set<string>()
  /** Names that the last look found. */
  #listed: ReadonlySet<string> = new Set()
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
    // if it cannot be read, all is in the packs, too
    const listed = await this.#disk.list(INDEX).catch(() => [])
    const names = new Set(listed.filter(name => name.endsWith(EXTENSION)).toSorted().map(name => `${INDEX}/${name}`))
    let isGone = false

    for (const name of names) {
      if (!this.#opened.has(name) && !this.#damaged.has(name)) {
        isGone = this.#open(name) || isGone
      }
    }

    this.#listed = names
    this.#damaged.forEach(name => names.has(name) || this.#damaged.delete(name))

    return { segments: choose(Array.from(this.#opened.values()).filter(
      ({ name }) => names.has(name) && !this.#damaged.has(name)
    )), isGone }
  }

  /** Use these files from now on, and close those that are gone. */
  use (segments: readonly Segment[]): void {
    this.#segments = segments

    for (const segment of this.#opened.values()) {
      if (!segments.includes(segment) && !this.#listed.has(segment.name)) {
        this.#opened.delete(segment.name)
        segment.close()
      }
    }
  }

  /** Add the rows of a key. @throws {DamagedIndexError} the file is not used after the next look */
  find (segment: Segment, key: Key, rows: Row[]): void {
    try {
      segment.find(key, rows)
    } catch (err) {
      this.#suspect(segment, err)
      throw err
    }
  }

  /** All entries of a file. */
  * entries (segment: Segment): Generator<Buffer> {
    try {
      yield * segment.all()
    } catch (err) {
      this.#suspect(segment, err)
      throw err
    }
  }

  close (): void {
    this.#opened.forEach(segment => { segment.close() })
    this.#opened.clear()
    this.#caches.entries.clear()
    this.#caches.prints.clear()
    this.#segments = []
  }

  /** A file could not be read. If it is damaged, it is used until the next look, which reads its packs. */
  #suspect (segment: Segment, err: unknown): void {
    if (err instanceof DamagedIndexError) {
      this.#damaged.add(segment.name)
    }
  }

  /** @returns whether the file is gone */
  #open (name: string): boolean {
    try {
      this.#opened.set(name, Segment.open(this.#disk, name, this.#caches))
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
