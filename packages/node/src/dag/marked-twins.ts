import { mark, TREE_CODE } from '@ipfsz/core'
import { MultihashMap } from './multihash-map.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The values of `MarkedTwins.#searched`. */
const PLAIN = 0
const COMPRESSED = 1

/**
 * Finds the marked twins of plain CIDs. Searches a directory that several of them share only once: a CAR may have
 * 65,536 roots above the same tree.
 */
export class MarkedTwins {
  readonly #files: Pick<Ipfsz, 'ls' | 'stat'>
  readonly #signal: AbortSignal
  /** The directories that were searched, by multihash, and whether a compressed file was found. */
  readonly #searched = new MultihashMap()

  constructor (files: Pick<Ipfsz, 'ls' | 'stat'>, signal: AbortSignal) {
    this.#files = files
    this.#signal = signal
  }

  /**
   * The marked twin of a plain CID, or undefined if its content is not compressed. A file is compressed if its header
   * says so; a directory is if it has a compressed file, at any depth.
   */
  async of (plain: CID): Promise<CID | undefined> {
    const { type, markedCid } = await this.#files.stat(plain, { signal: this.#signal })

    if (type !== 'directory') {
      return markedCid
    }

    return await this.#hasCompressed(plain) ? mark(plain.toV1(), TREE_CODE) : undefined
  }

  async #hasCompressed (directory: CID): Promise<boolean> {
    const { bytes } = directory.multihash
    const known = this.#searched.get(bytes)

    if (known != null) {
      return known === COMPRESSED
    }

    const found = await this.#search(directory)
    this.#searched.set(bytes, found ? COMPRESSED : PLAIN)

    return found
  }

  async #search (directory: CID): Promise<boolean> {
    const below: CID[] = []

    for await (const { type, markedCid, plainCid } of this.#files.ls(directory, { signal: this.#signal })) {
      if (markedCid != null) {
        return true
      }

      if (type === 'directory') {
        below.push(plainCid)
      }
    }

    for (const cid of below) {
      if (await this.#hasCompressed(cid)) {
        return true
      }
    }

    return false
  }
}
