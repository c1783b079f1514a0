import type { BlockSource } from './source.ts'

/** How long a source that kept silent is asked last, in milliseconds. */
const DEMOTED_FOR = 5 * 60_000

/**
 * The order in which sources are asked. If one keeps silent and another one sends the block, that one
 * is first for a while: otherwise a source that sends a byte now and then would delay each block.
 */
export class SourceOrder {
  readonly #sources: readonly BlockSource[]
  #preferred: BlockSource | undefined
  /** On the clock of `performance.now`. */
  #until = 0

  constructor (sources: readonly BlockSource[]) {
    this.#sources = sources
  }

  get sources (): readonly BlockSource[] {
    const first = performance.now() < this.#until ? this.#preferred : undefined

    return first == null ? this.#sources : [first, ...this.#sources.filter(source => source !== first)]
  }

  /** Ask a source first from now on. */
  prefer (source: BlockSource): void {
    this.#preferred = source
    this.#until = performance.now() + DEMOTED_FOR
  }
}
