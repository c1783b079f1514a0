import { DEMOTED_FOR } from '../constants.ts'
import { askInTurn } from './ask-in-turn.ts'
import { isRefusal } from './source.ts'
import type { BlockSource, SourceBlock, SourceOptions } from './source.ts'
import type { CID } from 'multiformats/cid'

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

  /**
   * Ask one source after the other until one sends the block. The others are asked until the signal aborts.
   *
   * @param pause - milliseconds after which the next source is asked too. Undefined: once the one before has failed
   * @throws {Error} that of the last source, if none has it, or of one that says more than that; or an error that is no
   *   refusal
   */
  async ask (cid: CID, options: SourceOptions, pause: number | undefined): Promise<SourceBlock> {
    const waiting = [...this.sources]
    let failure: unknown

    const { candidate, value, hasOvertaken } = await askInTurn<BlockSource, SourceBlock>({
      next: () => waiting.at(0),
      async ask (source) {
        waiting.shift()

        return source.fetch(cid, options)
      },
      onFailed (_, err) {
        if (!isRefusal(err)) {
          // it ends the read, unless one that is asked already has the block
          waiting.length = 0
        }

        failure = failure == null || (isRefusal(failure) && err.name !== 'NotFoundError') ? err : failure
      },
      onNobody () { throw failure },
      pause,
      signal: options.signal
    })

    if (hasOvertaken) {
      this.#preferred = candidate
      this.#until = performance.now() + DEMOTED_FOR
    }

    return value
  }
}
