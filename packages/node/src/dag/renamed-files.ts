import { sketchOf, SKETCHED_SIZE } from '@ipfsz/core'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Maximum number of files that are compared. With their hashes they take about 20 MiB of memory. */
const MAX_FILES = 65_536
/** Smaller files, in bytes, are not compared: they gain little from a base. */
const MIN_SIZE = 4 * 1024
/** How many of the 8 numbers of a sketch similar files have in common at least. */
const MIN_COMMON = 2
/** How many files are remembered that have a number in common. */
const MAX_EQUAL = 8

export interface RenamedFilesInit {
  files: Pick<Ipfsz, 'cat' | 'ls'>
  /** The directory in which files are looked for. */
  cid: CID
  /** A path below it. */
  path: string
  /** Whether the new tree has no entry at a path any more: only such files may have been renamed. */
  isGone: (path: string) => Promise<boolean>
  signal: AbortSignal
}

/**
 * Finds the file of an earlier tree that a new file was before it was renamed: one that is gone from its path, and
 * begins with similar content. Reads the beginnings of those files once, when a new file is first looked for.
 */
export class RenamedFiles {
  readonly #init: RenamedFilesInit
  readonly #cids: CID[] = []
  /** The files by the numbers of their sketches. Of files that are equal there, the first in the tree. */
  readonly #bySketch = new Map<number, number[]>()
  #reading: Promise<void> | undefined

  constructor (init: RenamedFilesInit) {
    this.#init = init
  }

  /**
   * @param start - the first bytes of the new file
   * @returns the plain CID of the file that is most like it
   */
  async find (start: Uint8Array): Promise<CID | undefined> {
    if (start.byteLength < MIN_SIZE) {
      return undefined
    }

    await (this.#reading ??= this.#readDirectory(''))

    const common = new Map<number, number>()

    for (const number of sketchOf(start)) {
      for (const file of this.#bySketch.get(number) ?? []) {
        common.set(file, (common.get(file) ?? 0) + 1)
      }
    }

    const [best] = [...common].toSorted(([a, m], [b, n]) => n - m || a - b)

    return best != null && best[1] >= MIN_COMMON ? this.#cids[best[0]] : undefined
  }

  async #readDirectory (below: string): Promise<void> {
    const { files, cid, path, isGone, signal } = this.#init

    for await (const entry of files.ls(cid, { path: join(path, below), signal })) {
      if (this.#cids.length >= MAX_FILES) {
        return
      }

      const name = join(below, entry.name)

      if (entry.type === 'directory') {
        await this.#readDirectory(name)
      } else if (entry.unixfs?.type !== 'symlink' && entry.size >= MIN_SIZE && await isGone(name)) {
        this.#add(entry.plainCid, await this.#readStart(entry.cid))
      }
    }
  }

  async #readStart (cid: CID): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []

    for await (const bytes of this.#init.files.cat(cid, { length: SKETCHED_SIZE, signal: this.#init.signal })) {
      chunks.push(bytes)
    }

    return Buffer.concat(chunks)
  }

  #add (cid: CID, start: Uint8Array): void {
    const file = this.#cids.push(cid) - 1

    for (const number of sketchOf(start)) {
      const files = this.#bySketch.get(number)

      if (files == null) {
        this.#bySketch.set(number, [file])
      } else if (files.length < MAX_EQUAL) {
        files.push(file)
      }
    }
  }
}

function join (...names: string[]): string {
  return names.filter(Boolean).join('/')
}
