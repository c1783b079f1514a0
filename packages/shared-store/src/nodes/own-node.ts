import { hostname } from 'node:os'
import { encodeNode, nodeKey, readNode } from './node-record.ts'
import type { ObjectStore } from '../objects/object-store.ts'

export interface OwnNodeInit {
  store: ObjectStore
  /** Of this node. */
  peerId: string
  /** The multiaddrs of this node, asked for each time that its object is written. */
  addresses: () => string[]
  version: string
}

/** The object in which a node says of itself that it runs. */
export class OwnNode {
  readonly #init: OwnNodeInit
  #counter = 0
  /** What is there, unless somebody else has written it since. */
  #written: Uint8Array | undefined

  constructor (init: OwnNodeInit) {
    this.#init = init
  }

  /**
   * Write it again.
   *
   * @returns what another daemon with the same peer id has written since the last time: its repo is a copy of ours
   */
  async write (signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { store, peerId, addresses, version } = this.#init
    const before = this.#written
    // what cannot be read, such as a file of another user, is replaced all the same: the others need it
    const found = before == null ? undefined : await readNode(store, peerId, signal).catch(() => undefined)
    const record = { peerId, addresses: addresses(), host: hostname(), version, counter: ++this.#counter }
    const bytes = encodeNode(record)
    // a write that fails may still be carried out
    this.#written = undefined
    await store.put(nodeKey(peerId), bytes, { signal })
    this.#written = bytes

    return before == null || found == null || Buffer.compare(found, before) === 0 ? undefined : found
  }

  async delete (signal: AbortSignal): Promise<void> {
    await this.#init.store.delete([nodeKey(this.#init.peerId)], { signal })
  }
}
