import { unmark } from '@ipfsz/core'
import type { AddEvents, DecidedProgress, ReferredFile } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Bytes of the bases of a file. */
interface Foreign {
  size: number
  /** The plain CID of its earlier version, if it refers back to one. */
  base?: CID
}

/** Stands for the user of a dictionary that several files have. */
const SEVERAL = Symbol('several')

/**
 * Bytes that the sizes in links count too often: what each file refers back to, and blocks that occur several times.
 * What remains is what `DagMeter` of @ipfsz/core counts, without reading what has just been written.
 */
export class ReferredFiles {
  /** By path, of files that are being added. */
  readonly #files = new Map<string, Foreign & { dictionary?: ReferredFile }>()
  /** The root of the file that has each dictionary, or that several have it. */
  readonly #users = new Map<string, CID | typeof SEVERAL>()
  #foreign = 0

  /** How many bytes of all sizes together are foreign: of dictionaries that several files have, all but the first. */
  get foreign (): number {
    return this.#foreign
  }

  note (event: AddEvents): void {
    if (event.type === 'ipfsz:add:repeated') {
      const { path, size, isInFile } = event.detail
      this.#foreign += size

      if (isInFile) {
        const file = this.#files.get(path)
        this.#files.set(path, { ...file, size: (file?.size ?? 0) + size })
      }
    }

    if (event.type === 'ipfsz:add:decided') {
      const { path = '', ...referred } = event.detail
      this.refer(path, referred)
    }
  }

  /** The file at a path refers back to another one. */
  refer (path: string, { dictionary, base }: Pick<DecidedProgress, 'dictionary' | 'base'>): void {
    const { size = 0 } = dictionary ?? base ?? {}

    if (size > 0) {
      this.#foreign += size
      this.#files.set(path, {
        size,
        ...base == null ? {} : { base: base.cid },
        ...dictionary == null ? {} : { dictionary }
      })
    }
  }

  /** What is not its own of the file that was added at a path. */
  take (cid: CID, path = ''): Foreign {
    const { dictionary, ...foreign } = this.#files.get(path) ?? { size: 0 }
    this.#files.delete(path)

    if (dictionary != null) {
      this.#use(dictionary, unmark(cid))
    }

    return foreign
  }

  /** A dictionary belongs to the directory if a second file has it. */
  #use ({ cid: dictionary, size }: ReferredFile, file: CID): void {
    const key = dictionary.toString()
    const user = this.#users.get(key) ?? file

    if (user !== SEVERAL && !user.equals(file)) {
      this.#foreign -= size
    }

    this.#users.set(key, user === SEVERAL || !user.equals(file) ? SEVERAL : file)
  }
}
