import { keyOf, readPackTable, tableSizeOf } from '@ipfsz/blockstore-packed/whole'
import { unmark } from '@ipfsz/core'
import { pinKey } from '../../src/repo/pin-records.ts'
import type { Content } from './contents.ts'
import type { SimulatedStore } from './simulated-store.ts'
import type { Row } from '@ipfsz/blockstore-packed/whole'

/** The share of all bytes that a collection leaves unused. */
const MAX_UNUSED = 0.05

/** Something that must never happen. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

interface Block {
  size: number
  /** How many packs have it. */
  packs: number
}

/** What nodes were told is kept: it must be in the store whenever something is deleted. */
export class Promises {
  /** The first thing that was lost. */
  violation: Violation | undefined
  readonly #store: SimulatedStore
  readonly #contents: readonly Content[]
  /** What was acknowledged, and not unpinned since. */
  readonly #kept = new Set<number>()
  /** Unpins of a content that run, and those that ever began. */
  readonly #running: number[]
  readonly #unpins: number[]
  readonly #blocks = new Map<string, Block>()
  readonly #blocksOf: Block[][]
  readonly #packs = new Map<string, Block[]>()

  constructor (store: SimulatedStore, contents: readonly Content[]) {
    this.#store = store
    this.#contents = contents
    this.#running = contents.map(() => 0)
    this.#unpins = contents.map(() => 0)
    this.#blocksOf = contents.map(({ blocks }) => blocks.map(({ cid, bytes }) => {
      const text = textOf(keyOf(cid.multihash).bytes)
      const block = this.#blocks.get(text) ?? { size: bytes.byteLength, packs: 0 }
      this.#blocks.set(text, block)

      return block
    }))
    store.onPut = (key, bytes) => { this.#onPut(key, bytes) }
    store.onDelete = key => { this.#onDelete(key) }
  }

  /** The contents that must be there. */
  get kept (): number[] {
    return [...this.#kept]
  }

  isKept (content: number): boolean {
    return this.#kept.has(content)
  }

  /** Begin to add or pin. @returns to be called when that is acknowledged */
  beginPin (content: number): () => void {
    const unpins = this.#unpins[content]
    const isClean = this.#running[content] === 0 && this.#pendingUnpins(content) === 0

    return () => {
      // what is unpinned at the same time may be pinned or not
      if (isClean && unpins === this.#unpins[content]) {
        this.#kept.add(content)
        this.#check(`${content} is acknowledged`)
      }
    }
  }

  /** Begin to unpin. @returns to be called when the process does no more of it */
  beginUnpin (content: number): () => void {
    this.#kept.delete(content)
    this.#unpins[content]++
    this.#running[content]++
    let isOver = false

    return () => {
      this.#running[content] -= isOver ? 0 : 1
      isOver = true
    }
  }

  /** Check how much no pin reaches. */
  checkGarbage (): void {
    const pinned = new Set(this.#blocksOf.filter((_, i) => this.#store.objects.has(this.#recordOf(i))).flat())
    const live = Array.from(pinned).reduce((sum, { size }) => sum + size, 0)
    const all = Array.from(this.#packs.values()).flat().reduce((sum, { size }) => sum + size, 0)

    if (all - live > all * MAX_UNUSED) {
      throw new Violation(`of ${all} bytes, pins need ${live}`)
    }
  }

  #pendingUnpins (content: number): number {
    return this.#store.pendingDeletes.get(this.#recordOf(content)) ?? 0
  }

  #recordOf (content: number): string {
    return `records${pinKey(unmark(this.#contents[content].cid).toV1())}`
  }

  #onPut (key: string, bytes: Uint8Array): void {
    const [, id] = /^packs\/([0-9a-f]{32})-/.exec(key) ?? []

    // a request that came twice changes nothing
    if (id != null && !this.#packs.has(key)) {
      const pack = Buffer.from(bytes)
      const { table } = readPackTable(pack.subarray(0, tableSizeOf(pack, id)), id)
      const rows: Row[] = []
      const blocks = Array.from(this.#blocks).flatMap(([text, block]) => {
        rows.length = 0
        table.find({ bytes: Buffer.from(text, 'latin1'), kind: 0 }, rows)

        return rows.length === 0 ? [] : [block]
      })
      blocks.forEach(block => { block.packs++ })
      this.#packs.set(key, blocks)
    }
  }

  #onDelete (key: string): void {
    this.#packs.get(key)?.forEach(block => { block.packs-- })
    this.#packs.delete(key)

    if (key.startsWith('packs/') || key.startsWith('records/')) {
      this.#check(`${key} is deleted`)
    }
  }

  #check (when: string): void {
    for (const content of this.#kept) {
      if (!this.#store.objects.has(this.#recordOf(content))) {
        this.violation ??= new Violation(`the pin of ${content} is lost: ${when}`)
      }

      const lost = this.#blocksOf[content].findIndex(({ packs }) => packs === 0)

      if (lost >= 0) {
        this.violation ??= new Violation(`block ${lost} of ${content} is lost: ${when}`)
      }
    }
  }
}

function textOf (bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
