import type { Want } from './want.ts'
import type { FilePart } from '../../dag/block.ts'

/** A block whose place in a file is known. */
export type PlacedWant = Want & { readonly part: FilePart }

/** The blocks that one stream is to bring. */
export class WantedBlocks {
  readonly #wants = new Map<string, Want>()

  /** Whether nobody waits for anything. */
  get isEmpty (): boolean {
    return this.all().length === 0
  }

  add (want: Want): void {
    this.#wants.set(want.key, want)
  }

  delete ({ key }: Want): void {
    this.#wants.delete(key)
  }

  /** Remove the want of a block that has arrived, and return it if somebody still waits. */
  take (key: string): Want | undefined {
    const want = this.#wants.get(key)
    this.#wants.delete(key)

    return want?.isOpen === true ? want : undefined
  }

  /** What somebody still waits for. */
  all (): Want[] {
    for (const want of this.#wants.values()) {
      if (!want.isOpen) {
        this.delete(want)
      }
    }

    return [...this.#wants.values()]
  }

  /** Those whose place in the file is unknown. */
  unplaced (): Want[] {
    return this.all().filter(({ part }) => part == null)
  }

  /** The one that comes first in the file. */
  first (): PlacedWant | undefined {
    return this.all()
      .filter((want): want is PlacedWant => want.part != null)
      .toSorted((a, b) => a.part.start - b.part.start)
      .at(0)
  }
}
