import { seededIds } from './seeded-ids.ts'
import { makeContents } from './contents.ts'
import { EventQueue } from './event-queue.ts'
import { Promises, Violation } from './promises.ts'
import { SimulatedNode } from './simulated-node.ts'
import { SimulatedStore, NO_FAULTS } from './simulated-store.ts'
import { checkEnd } from './check-end.ts'
import { Random } from '../../../../test/support/random.ts'
import type { Content } from './contents.ts'
import type { Plant } from './plant.ts'

/** Events of a run at most: one that needs more does not end. */
const MAX_EVENTS = 60_000

let contents: Promise<Content[]> | undefined

/** What happened in runs, by name, and how often. */
export type Counts = Record<string, number>

/**
 * Run nodes that share a store, on simulated networks, disks and clocks, in an order that a seed decides.
 *
 * @returns what went wrong, or undefined
 */
export async function simulate (seed: number, plant: Plant = {}, counts: Counts = {}): Promise<string | undefined> {
  const made = await (contents ??= makeContents())
  const restoreIds = seededIds(seed)
  const restore = plant.patch?.()

  try {
    await new Simulation(seed, made, plant, counts).run()

    return undefined
  } catch (err) {
    if (err instanceof Violation) {
      return err.message
    }

    throw new Error(`seed ${seed}`, { cause: err })
  } finally {
    restore?.()
    restoreIds()
  }
}

class Simulation {
  readonly #random: Random
  readonly #events = new EventQueue()
  readonly #store: SimulatedStore
  readonly #promises: Promises
  readonly #nodes: SimulatedNode[]
  readonly #contents: readonly Content[]
  #failure: unknown

  constructor (seed: number, contents: readonly Content[], plant: Plant, counts: Counts) {
    const random = new Random(seed)
    this.#random = random
    this.#store = new SimulatedStore(this.#events, random)
    this.#promises = new Promises(this.#store, contents)
    const packSize = random.pick([500, 3000, 1_000_000])
    this.#nodes = Array.from({ length: 2 + random.below(2) }, (_, i) => new SimulatedNode({
      name: `node ${i}`,
      events: this.#events,
      random,
      store: this.#store,
      contents,
      promises: this.#promises,
      plant,
      packSize,
      count: name => { counts[name] = (counts[name] ?? 0) + 1 },
      fail: err => { this.#failure ??= err }
    }))
    this.#contents = contents
  }

  async run (): Promise<void> {
    const random = this.#random
    const rate = random.pick([0, 0, 0.01, 0.05])
    this.#store.faults = {
      lost: rate, late: random.pick([0, 0.5]), twice: rate, stalled: random.pick([0, 0, 0.2]),
      milliseconds: random.pick([20, 20, 1000, 15_000])
    }
    const diskRate = random.pick([0, 0, 0.02])
    this.#nodes.forEach(({ disk }) => {
      disk.faults = { readError: 0, writeError: diskRate, syncError: diskRate }
    })
    const kills = random.pick([0, 0.001, 0.005])
    const suspensions = random.pick([0, 0.002, 0.01])
    const jumps = random.pick([0, 0, 0.002])
    const cuts = random.pick([0, 0.0005, 0.002])
    this.#nodes.forEach(node => { node.start() })

    await this.#happen(() => this.#nodes.every(({ isDone }) => isDone), () => {
      const node = random.pick(this.#nodes)

      if (random.chance(kills)) {
        node.disturb('kill')
      } else if (random.chance(suspensions)) {
        node.disturb('suspend')
      } else if (random.chance(jumps)) {
        node.disturb('jump')
      } else if (random.chance(cuts)) {
        node.cutPower()
      }
    })
    await this.#checkEnd()
  }

  async #checkEnd (): Promise<void> {
    // what is under way arrives
    await this.#happen(() => this.#events.isEmpty)
    this.#store.faults = NO_FAULTS
    this.#nodes.forEach(({ disk }) => { disk.faults = { readError: 0, writeError: 0, syncError: 0 } })

    await checkEnd({
      nodes: this.#nodes,
      store: this.#store,
      contents: this.#contents,
      promises: this.#promises,
      settle: async work => {
        const state: { isSettled?: boolean, failure?: { reason: unknown } } = {}
        work.catch((reason: unknown) => { state.failure = { reason } }).finally(() => { state.isSettled = true })
        await this.#happen(() => state.isSettled === true)

        if (state.failure != null) {
          throw state.failure.reason
        }
      }
    })
  }

  async #happen (isOver: () => boolean, disturb: () => void = () => {}): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      if (this.#events.isEmpty && i > 0) {
        // what has no event to wait for waits for ever
        await this.#events.step()

        if (this.#events.isEmpty && !isOver()) {
          throw new Violation('a process waits for nothing')
        }
      }

      if (i > MAX_EVENTS) {
        throw new Violation('a process does not end')
      }

      await this.#events.step()
      disturb()

      if (this.#failure != null || this.#promises.violation != null) {
        throw this.#failure ?? this.#promises.violation
      }
    }
  }
}
