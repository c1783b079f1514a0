import { isStoreAway } from '@ipfsz/shared-store/objects'
import { SimulatedDisk } from '../../../../test/support/simulated-disk.ts'
import { Commands, damagedContent, nameOf } from './commands.ts'
import { Violation } from './promises.ts'
import { SimulatedProcess } from './simulated-process.ts'
import type { Random } from '../../../../test/support/random.ts'
import type { Content } from './contents.ts'
import type { EventQueue } from './event-queue.ts'
import type { Plant } from './plant.ts'
import type { Promises } from './promises.ts'
import type { SimulatedStore } from './simulated-store.ts'

/** What may become of a command: its user sees the error, and runs it again, or not. */
const EXPECTED = new Set([
  'CollectionLostError', 'CollectionRunningError', 'NotPinnedError', 'SessionLostError', 'SilentSessionError'
])

export interface NodeInit {
  name: string
  events: EventQueue
  random: Random
  store: SimulatedStore
  contents: readonly Content[]
  promises: Promises
  plant: Plant
  packSize: number
  /** Counts what happened, by name. */
  count: (name: string) => void
  /** Called with what must never happen. */
  fail: (err: unknown) => void
}

/** Commands that run one after the other, each in a process of its own; or a daemon. */
interface Lane {
  kind: 'commands' | 'daemon'
  budget: number
  process: SimulatedProcess
  /** Called when the process is over, however it ended. */
  onEnd: Array<() => void>
  isDone: boolean
}

/** A node: its disk, its daemon, and the commands that its user runs. */
export class SimulatedNode {
  readonly disk: SimulatedDisk
  readonly #init: NodeInit
  readonly #lanes: Lane[]
  #writing: Array<{ process: unknown, onKill: () => void }> = []

  constructor (init: NodeInit) {
    this.#init = init
    this.disk = new SimulatedDisk(init.random, { turn: async (...args) => this.#turn(...args) })
    this.#lanes = (['commands', 'daemon'] as const).map(kind => ({
      kind, budget: kind === 'daemon' ? 3 : 5, process: this.newProcess(kind), onEnd: [], isDone: false
    }))
  }

  get isDone (): boolean {
    return this.#lanes.every(({ isDone }) => isDone)
  }

  start (): void {
    this.#lanes.forEach(lane => { this.#next(lane) })
  }

  newProcess (kind: string): SimulatedProcess {
    return new SimulatedProcess(`${this.#init.name} ${kind}`, this.#init.events, this.#init.random)
  }

  commands (process: SimulatedProcess): Commands {
    return new Commands({ ...this.#init, process, objects: this.#init.store.of(process), disk: this.disk.of(process) })
  }

  /** Kill or suspend a process, or change its clock. */
  disturb (what: 'kill' | 'suspend' | 'jump'): void {
    const { random } = this.#init
    const lane = random.pick(this.#lanes)

    if (what === 'kill' && !lane.isDone) {
      this.#kill(lane)
      this.#next(lane)
    } else if (what === 'suspend') {
      lane.process.suspend(random.pick([1000, 20_000, 45_000, 300_000, 10_800_000]), random.chance(0.5))
    } else if (what === 'jump') {
      lane.process.jump(random.pick([10_000, 40_000, 7_200_000]))
    }
  }

  cutPower (): void {
    const running = this.#lanes.filter(({ isDone }) => !isDone)
    running.forEach(lane => { this.#kill(lane) })
    this.disk.losePower()
    running.forEach(lane => { this.#next(lane) })
  }

  #kill (lane: Lane): void {
    const { process } = lane
    process.isAlive = false
    this.disk.release(process)
    this.#writing.filter(({ process: other }) => other === process).forEach(({ onKill }) => {
      if (this.#init.random.chance(0.5)) {
        onKill()
      }
    })
    this.#writing = this.#writing.filter(({ process: other }) => other !== process)
    this.#end(lane)
  }

  #end (lane: Lane): void {
    lane.onEnd.forEach(end => { end() })
    lane.onEnd = []
  }

  #next (lane: Lane): void {
    const { events, random } = this.#init

    if (lane.budget === 0) {
      lane.isDone = true
      return
    }

    lane.budget--
    const process = this.newProcess(lane.kind)
    lane.process = process
    process.at(events.now + random.pick([10, 100, 1000, 10_000]), () => { void this.#work(lane, process) })
  }

  async #work (lane: Lane, process: SimulatedProcess): Promise<void> {
    const { fail } = this.#init

    try {
      const commands = this.commands(process)
      await (lane.kind === 'daemon' ? this.#serve(commands, process) : this.#run(commands, lane))
      await commands.close()
    } catch (err) {
      fail(err)
    }

    // killed meanwhile: another one runs by now
    if (process.isAlive && lane.process === process) {
      this.#end(lane)
      this.#next(lane)
    }
  }

  /** Run a command. */
  async #run (commands: Commands, lane: Lane): Promise<void> {
    const { random, contents, promises, count } = this.#init
    const content = random.below(contents.length)
    const name = random.pick(['add', 'add', 'add', 'get', 'pin', 'unpin', 'collect', 'collect'] as const)

    await this.#tolerate(name, async () => {
      switch (name) {
        case 'add':
          return commands.add(content, this.#pauses(lane.process))
        case 'get':
          return commands.get(content)
        case 'pin':
          return count(await commands.pin(content) ? 'pinned' : 'not pinned')
        case 'unpin':
          lane.onEnd.push(promises.beginUnpin(content))
          return commands.unpin(content)
        case 'collect':
          return this.#collect(commands, lane)
      }
    })
  }

  async #collect (commands: Commands, lane: Lane): Promise<void> {
    const { contents, promises, count } = this.#init

    try {
      await commands.collect(count)
    } catch (err) {
      // the pin of an add that failed, or one that was removed: it says which, and its user removes it
      const content = damagedContent(err, contents)

      if (content == null || isStoreAway(err) || promises.isKept(content)) {
        throw err
      }

      count('incomplete pin')
      lane.onEnd.push(promises.beginUnpin(content))
      await commands.unpin(content)
    }
  }

  #pauses (process: SimulatedProcess): () => Promise<void> {
    const { random, events } = this.#init
    const times = random.pick([[0], [0, 0, 20_000], [1000, 40_000]])

    return async () => {
      const time = random.pick(times)
      await new Promise<void>(resolve => {
        if (time === 0) {
          resolve()
        } else {
          process.at(events.now + time, resolve)
        }
      })
    }
  }

  /** What a daemon does: it reads for others, and stores what peers have sent. */
  async #serve (commands: Commands, process: SimulatedProcess): Promise<void> {
    const { random, contents, events } = this.#init

    for (let i = 0; i < 3; i++) {
      await new Promise<void>(resolve => { process.at(events.now + random.pick([1000, 30_000, 100_000]), resolve) })
      const content = random.below(contents.length)
      await this.#tolerate('daemon', async () => random.chance(0.5) ? commands.get(content) : commands.fetch(content))
    }
  }

  async #tolerate (command: string, work: () => Promise<void>): Promise<void> {
    const { count } = this.#init

    try {
      await work()
      count(command)
    } catch (err) {
      // what a walk finds may be why it fails
      const name = isStoreAway(err) ? 'store away' : [err, (err as Error).cause].map(nameOf).find(n => EXPECTED.has(n))

      if (name == null) {
        throw nameOf(err) === 'Violation' ? err : new Violation(`${command} fails: ${String(err)}`, { cause: err })
      }

      count(name)
    }
  }

  async #turn (process: object, onKill?: () => void): Promise<void> {
    const { events } = this.#init
    const writing = onKill == null ? undefined : { process, onKill }
    this.#writing.push(...writing == null ? [] : [writing])

    await new Promise<void>(resolve => {
      (process as SimulatedProcess).at(events.now + 1, resolve)
    })
    this.#writing = this.#writing.filter(other => other !== writing)
  }
}
