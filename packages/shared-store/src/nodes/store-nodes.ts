import { messageOf } from '@ipfsz/utils/message-of'
import { sleep, systemClock } from '../clock.ts'
import { decodeNode, nodeKey, NODES, parseNodeKey, readNode } from './node-record.ts'
import { OwnNode } from './own-node.ts'
import { objectsOf } from '../objects/read-object.ts'
import type { Clock } from '../clock.ts'
import type { NodeRecord } from './node-record.ts'
import type { OwnNodeInit } from './own-node.ts'

/** A node writes its object, and reads those of the others, this many times within the lease timeout. */
const RENEWALS = 3
/** Maximum number of nodes of a store that a node knows of. */
export const MAX_NODES = 256
/** How many objects are read at a time. */
const CONCURRENCY = 16
/** What notes of another daemon with the own peer id are about. */
const COPY = 'copy'
/** How long a node that stops tries to delete its object, in milliseconds: if the store is away, others soon do. */
const STOP_TIMEOUT = 5000

export interface StoreNodesInit extends OwnNodeInit {
  leaseTimeout: number
  /** Called after each look with the other nodes that live, and the peer ids of those that no longer do. */
  onLook?: (look: { others: readonly NodeRecord[], gone: readonly string[] }) => void
  onNote: (message: string) => void
  /** @default that of the system */
  clock?: Clock | undefined
}

/** An object of another node, as it was read last. */
interface Watched {
  text: string
  /** Undefined: it is damaged. */
  record: NodeRecord | undefined
  /** When it was seen to change, or first seen, on the own clock. */
  since: number
}

/**
 * The nodes that run over one store. Each writes an object `nodes/PEERID` again and again. One whose object has not
 * changed for the lease timeout, by the clock of the node that looks, is dead: so no two clocks have to agree.
 */
export class StoreNodes {
  readonly #init: StoreNodesInit
  readonly #clock: Clock
  readonly #over = new AbortController()
  readonly #watched = new Map<string, Watched>()
  /** The others that live. */
  #others = new Map<string, NodeRecord>()
  readonly #noted = new Set<string>()
  readonly #own: OwnNode
  #looking: Promise<void> | undefined
  #running = Promise.resolve()

  constructor (init: StoreNodesInit) {
    this.#init = init
    this.#own = new OwnNode(init)
    this.#clock = init.clock ?? systemClock
  }

  /** The other nodes that live. */
  get others (): NodeRecord[] {
    return [...this.#others.values()]
  }

  /** The peer ids of all nodes that live, with this one. */
  get living (): string[] {
    return [this.#init.peerId, ...this.#others.keys()]
  }

  /** Whether another node lives. */
  has (peerId: string): boolean {
    return this.#others.has(peerId)
  }

  /** Write the own object, and read the others: once before this resolves, and then from time to time. */
  async start (): Promise<void> {
    await this.#renew()
    this.#running = this.#repeat()
  }

  /**
   * Read the objects of the others now. If that is under way, wait for it.
   *
   * @throws errors of the store
   */
  async look (): Promise<void> {
    return this.#looking ??= this.#look().finally(() => { this.#looking = undefined })
  }

  /** Delete the own object. */
  async stop (): Promise<void> {
    this.#over.abort(new Error('the node has stopped'))
    await this.#running
    await this.#looking?.catch(() => {})
    const late = new AbortController()
    const cancel = this.#clock.after(STOP_TIMEOUT, () => { late.abort(new Error('the store does not answer')) })

    try {
      await this.#own.delete(late.signal)
    } catch (err) {
      this.#init.onNote(`cannot delete the object of this node in the store: ${messageOf(err)}`)
    } finally {
      cancel()
    }
  }

  async #repeat (): Promise<void> {
    const { signal } = this.#over

    while (!signal.aborted) {
      await sleep(this.#clock, this.#init.leaseTimeout / RENEWALS, signal).catch(() => {})

      if (!signal.aborted) {
        await this.#renew()
      }
    }
  }

  /** What fails is tried again later. Never rejects. */
  async #renew (): Promise<void> {
    const { peerId } = this.#init

    try {
      await this.#write()
      await this.look()
      this.#noted.delete(peerId)
    } catch (err) {
      if (!this.#over.signal.aborted) {
        this.#note(peerId, `cannot register this node in the store: ${messageOf(err)}`)
      }

      // while the store does not answer, nobody can renew anything
      this.#watched.forEach(watched => { watched.since = this.#clock.now() })
    }
  }

  async #write (): Promise<void> {
    const { peerId } = this.#init
    const other = await this.#own.write(this.#over.signal)

    if (other == null) {
      this.#noted.delete(COPY)
    } else {
      const host = JSON.stringify(this.#decode(other, peerId)?.host ?? '?')
      this.#note(COPY, `another daemon of the store, on the host ${host}, has the same peer ID: its repo is a ` +
        'copy. Create a separate repo for each node')
    }
  }

  async #look (): Promise<void> {
    const { store, leaseTimeout, onLook } = this.#init
    const { signal } = this.#over
    const names = await this.#list()

    for (let i = 0; i < names.length; i += CONCURRENCY) {
      await Promise.all(names.slice(i, i + CONCURRENCY).map(async peerId => this.#read(peerId)))
    }

    const now = this.#clock.now()
    const dead: string[] = []
    const others = new Map<string, NodeRecord>()

    for (const [peerId, { record, since }] of this.#watched) {
      if (now - since >= leaseTimeout) {
        dead.push(peerId)
      } else if (record != null) {
        others.set(peerId, record)
      }
    }

    const gone = [...this.#others.keys()].filter(peerId => !others.has(peerId))
    this.#others = others
    onLook?.({ others: [...others.values()], gone })

    if (dead.length > 0) {
      // one that only could not reach the store writes its object again
      await store.delete(dead.map(nodeKey), { signal })
      dead.forEach(peerId => { this.#watched.delete(peerId) })
    }
  }

  /** The peer ids of the other nodes that have an object. Forgets those that have none any more. */
  async #list (): Promise<string[]> {
    const { store, peerId: own } = this.#init
    const names: string[] = []

    for await (const { key } of objectsOf(store, NODES, this.#over.signal)) {
      const peerId = parseNodeKey(key)

      if (peerId != null && peerId !== own) {
        names.push(peerId)
      }

      if (names.length === MAX_NODES) {
        this.#note(NODES, `the store has objects of more than ${MAX_NODES} nodes: the others are left out`)
        break
      }
    }

    for (const peerId of this.#watched.keys()) {
      if (!names.includes(peerId)) {
        this.#watched.delete(peerId)
        this.#noted.delete(peerId)
      }
    }

    return names
  }

  async #read (peerId: string): Promise<void> {
    const bytes = await readNode(this.#init.store, peerId, this.#over.signal)
    const text = Buffer.from(bytes ?? []).toString('latin1')

    if (bytes == null) {
      this.#watched.delete(peerId)
    } else if (text !== this.#watched.get(peerId)?.text) {
      this.#watched.set(peerId, { text, record: this.#decode(bytes, peerId), since: this.#clock.now() })
    }
  }

  #decode (bytes: Uint8Array, peerId: string): NodeRecord | undefined {
    try {
      const record = decodeNode(bytes, peerId)
      this.#noted.delete(peerId)

      return record
    } catch (err) {
      this.#note(peerId, `the object ${nodeKey(peerId)} in the store is not that of a node: ${messageOf(err)}`)

      return undefined
    }
  }

  /** @param about - what a note is about: it is not repeated until that is in order again */
  #note (about: string, message: string): void {
    if (!this.#noted.has(about)) {
      this.#noted.add(about)
      this.#init.onNote(message)
    }
  }
}
