import { Mutex } from '@ipfsz/utils/mutex'
import { GROUP_BLOCKS, GROUP_SIZE } from '../constants.ts'
import { keyText } from '../format/key.ts'
import { lookUp } from './look-up.ts'
import type { Appender } from './appender.ts'
import type { View } from './view.ts'
import type { EncodedBlocks, PlainBlock } from '../encode/encode-blocks.ts'
import type { Key } from '../format/key.ts'

interface PendingBlock extends PlainBlock {
  key: Key
}

/**
 * Blocks that were put and are not in a pack yet. If writing them fails they stay here, and the next `flush` tries
 * again.
 */
export class WriteQueue {
  /** Everything that appends is done in turn. */
  readonly turns = new Mutex()
  readonly #view: View
  readonly #appender: Appender
  readonly #encode: (blocks: PlainBlock[]) => Promise<EncodedBlocks>
  readonly #pending = new Map<string, PendingBlock>()
  #bytes = 0
  #next: Promise<void> | undefined

  constructor (view: View, appender: Appender, encode: (blocks: PlainBlock[]) => Promise<EncodedBlocks>) {
    this.#view = view
    this.#appender = appender
    this.#encode = encode
  }

  /** Bytes of blocks that are not in a pack. */
  get bytes (): number {
    return this.#bytes
  }

  /** Whether there are so many blocks that they should be written. */
  get isFull (): boolean {
    return this.#bytes >= GROUP_SIZE || this.#pending.size >= GROUP_BLOCKS
  }

  add (key: Key, block: PlainBlock): void {
    const text = keyText(key)

    if (!this.#pending.has(text)) {
      this.#pending.set(text, { key, ...block })
      this.#bytes += block.bytes.byteLength
    }
  }

  get (key: Key): Uint8Array | undefined {
    return this.#pending.size === 0 ? undefined : this.#pending.get(keyText(key))?.bytes
  }

  /** Resolves when all blocks so far are in a pack. */
  async flush (): Promise<void> {
    await this.turns.run(async () => this.flushInTurn())
  }

  /** Resolves when all blocks so far survive a loss of power. Calls that wait for their turn share one sync. */
  async commit (): Promise<void> {
    await (this.#next ??= this.turns.run(async () => {
      this.#next = undefined
      await this.flushInTurn()
      await this.#appender.sync()
    }))
  }

  /** The same for those who have the turn. */
  async flushInTurn (): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = this.#take()
      // what others have deleted by now must be stored again
      await this.#view.refreshToWrite()
      const has = await lookUp(batch.map(({ key }) => key), key => this.#view.hasDurable(key))
      const missing = batch.filter((_, i) => !has[i])

      if (missing.length > 0) {
        await this.#appender.append(await this.#encode(missing))
      }

      for (const { key, bytes } of batch) {
        this.#pending.delete(keyText(key))
        this.#bytes -= bytes.byteLength
      }
    }
  }

  #take (): PendingBlock[] {
    const batch: PendingBlock[] = []
    let bytes = 0

    for (const block of this.#pending.values()) {
      if (batch.length >= GROUP_BLOCKS || (bytes > 0 && bytes + block.bytes.byteLength > GROUP_SIZE)) {
        break
      }

      batch.push(block)
      bytes += block.bytes.byteLength
    }

    return batch
  }
}
