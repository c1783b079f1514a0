import { cidKey } from '../dag/cid-key.ts'
import { mark, TREE_CODE } from '../marker.ts'
import type { WrittenChild } from '../directory/written-child.ts'
import type { ImportResult } from '../unixfs.ts'
import type { CID } from 'multiformats/cid'

/** Remembers the marker codes of compressed files and of the directories above them, and who can read the files. */
export class Marks {
  readonly #codes = new Map<string, number>()
  /** The plain CIDs of files that only IPFSz can read. */
  readonly #onlyIpfsz = new Set<string>()

  /** @param onlyIpfsz - whether it is a file that only IPFSz can read */
  add (cid: CID, code: number, onlyIpfsz = false): void {
    const key = cidKey(cid)
    this.#codes.set(key, code)

    if (onlyIpfsz) {
      this.#onlyIpfsz.add(key)
    }
  }

  addDirectory (cid: CID, children: Iterable<WrittenChild>): void {
    for (const { key, isMarked } of children) {
      if (isMarked === true || this.#codes.has(key)) {
        this.add(cid, TREE_CODE)
        return
      }
    }
  }

  mark (cid: CID): Pick<ImportResult, 'cid' | 'onlyIpfsz'> {
    const key = cidKey(cid)
    const code = this.#codes.get(key)

    return {
      cid: code == null ? cid : mark(cid, code),
      ...this.#onlyIpfsz.has(key) ? { onlyIpfsz: true } : {}
    }
  }
}
