import type { Want } from './want.ts'
import type { FilePart } from '../../dag/block.ts'

/** A block whose place in a file is known. */
export type PlacedWant = Want & { readonly part: FilePart }

/** The blocks that one stream is to bring, and that somebody waits for. */
export class WantedBlocks {
  readonly #wants = new Map<string, Want>()

  /** Whether nobody waits for anything. */
  get isEmpty (): boolean {
    return this.#wants.size === 0
  }

  /** Add a block, until it has arrived or failed, or nobody waits for it. `onDropped` is called in the last case. */
  add (want: Want, onDropped: () => void): void {
    this.#wants.set(want.key, want)
    want.signal.addEventListener('abort', () => {
      this.delete(want)

      if (want.isDropped) {
        onDropped()
      }
    }, { once: true })
  }

  delete (want: Want): void {
    if (this.#wants.get(want.key) === want) {
      this.#wants.delete(want.key)
    }
  }

  /** Remove the want of a block that has arrived, and return it. */
  take (key: string): Want | undefined {
    const want = this.#wants.get(key)
    this.#wants.delete(key)

    return want
  }

  all (): Want[] {
    return [...this.#wants.values()]
  }

  /** Whether any of them is such a block. */
  some (isSuch: (want: Want) => boolean): boolean {
    for (const want of this.#wants.values()) {
      if (isSuch(want)) {
        return true
      }
    }

    return false
  }

  /** Those whose place in the file is unknown. */
  unplaced (): Want[] {
    return this.all().filter(({ part }) => part == null)
  }

  /** The others, in the order of the file. */
  placed (): PlacedWant[] {
    return this.all().filter(isPlaced).toSorted((a, b) => a.part.start - b.part.start)
  }

  /** The one that comes first in the file. */
  first (): PlacedWant | undefined {
    let first: PlacedWant | undefined

    for (const want of this.#wants.values()) {
      if (isPlaced(want) && (first == null || want.part.start < first.part.start)) {
        first = want
      }
    }

    return first
  }
}

function isPlaced (want: Want): want is PlacedWant {
  return want.part != null
}
