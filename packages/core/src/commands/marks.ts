import { cidKey } from '../dag/cid-key.ts'
import { mark, TREE_CODE } from '../marker.ts'
import type { WrittenChild } from '../directory/written-child.ts'
import type { CID } from 'multiformats/cid'

/** Remembers the marker codes of compressed files, and of the directories above them, by plain CID. */
export class Marks {
  readonly #codes = new Map<string, number>()

  add (cid: CID, code: number): void {
    this.#codes.set(cidKey(cid), code)
  }

  addDirectory (cid: CID, children: Iterable<WrittenChild>): void {
    for (const { key, isMarked } of children) {
      if (isMarked === true || this.#codes.has(key)) {
        this.add(cid, TREE_CODE)
        return
      }
    }
  }

  mark (cid: CID): CID {
    const code = this.#codes.get(cidKey(cid))

    return code == null ? cid : mark(cid, code)
  }
}
