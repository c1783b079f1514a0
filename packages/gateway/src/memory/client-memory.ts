import type { MemoryBudget } from './memory-budget.ts'
import type { Share, ShareInit } from './share.ts'

type Members = 'limit' | 'isAwaited' | 'isShort' | 'take' | 'takeNow' | 'tryTake' | 'hold'

/** What responses use of a `MemoryBudget`. */
export interface Memory extends Pick<MemoryBudget, Members> {
  readonly ofSmall: Memory
  readonly ofStreams: Memory
}

/** The memory as the responses of one client take it: when they wait for it, they share the turns of this client. */
export class ClientMemory implements Memory {
  readonly #all: Memory
  readonly #client: string

  /** @param client - its address, or what else tells it from others */
  constructor (all: Memory, client: string) {
    this.#all = all
    this.#client = client
  }

  get limit (): number {
    return this.#all.limit
  }

  get isAwaited (): boolean {
    return this.#all.isAwaited
  }

  get isShort (): boolean {
    return this.#all.isShort
  }

  get ofSmall (): Memory {
    return new ClientMemory(this.#all.ofSmall, this.#client)
  }

  get ofStreams (): Memory {
    return new ClientMemory(this.#all.ofStreams, this.#client)
  }

  async take (init: ShareInit): Promise<Share> {
    return this.#all.take({ ...init, client: this.#client })
  }

  takeNow (init: ShareInit): Share | undefined {
    return this.#all.takeNow(init)
  }

  tryTake (init: ShareInit): Share | undefined {
    return this.#all.tryTake(init)
  }

  hold (init: ShareInit): Share {
    return this.#all.hold(init)
  }
}
