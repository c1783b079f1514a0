import type { BlockSource } from '@ipfsz/core'
import type { ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** A source of the blocks below one root that may know what will be read, and fetch it ahead. */
export interface PlannedSource extends BlockSource {
  /** Forget what will be read: much of it is here already. */
  dropPlan: () => void
  /** End all requests. */
  close: () => void
}

export type MakeSource = (root: CID, plan?: ReadPlan) => PlannedSource

/** A source that is made when it is first asked. */
export class LazySource implements PlannedSource {
  readonly #load: (plan: ReadPlan | undefined) => Promise<PlannedSource>
  #plan: ReadPlan | undefined
  #loaded: Promise<PlannedSource> | undefined

  constructor (load: (plan: ReadPlan | undefined) => Promise<PlannedSource>, plan: ReadPlan | undefined) {
    this.#load = load
    this.#plan = plan
  }

  async fetch (...args: Parameters<BlockSource['fetch']>): ReturnType<BlockSource['fetch']> {
    const source = await (this.#loaded ??= this.#load(this.#plan))

    return source.fetch(...args)
  }

  dropPlan (): void {
    this.#plan = undefined
    void this.#after(source => { source.dropPlan() })
  }

  close (): void {
    void this.#after(source => { source.close() })
  }

  /** If it was made, or is being made. Never rejects. */
  async #after (change: (source: PlannedSource) => void): Promise<void> {
    const source = await this.#loaded?.catch(() => undefined)

    if (source != null) {
      change(source)
    }
  }
}
