import { Objections } from '../protocol/round-objects.ts'
import { TailSet } from '../protocol/tail-set.ts'

/** A round that a session has seen. */
export interface KnownRound {
  name: string
  /** What the session objects to, until it has acknowledged the round. */
  unsent: Objections | undefined
  /** When the session first saw the round's fence, by its own clock. */
  fencedAt: number | undefined
  /** Condemned blocks that it did not object to. Empty when the round is over. */
  waits: TailSet
}

/** The rounds that a session has seen, and the blocks that it relies on. Never waits for anything. */
export class KnownRounds {
  readonly #rounds = new Map<string, KnownRound>()
  readonly #relied = new TailSet()

  /** Bytes of memory for the blocks that the session relies on. */
  get byteLength (): number {
    return this.#relied.byteLength
  }

  get size (): number {
    return this.#rounds.size
  }

  [Symbol.iterator] (): IterableIterator<KnownRound> {
    return this.#rounds.values()
  }

  get (name: string): KnownRound | undefined {
    return this.#rounds.get(name)
  }

  /**
   * Take note of a round. The session objects to those of its blocks that it relies on already. From now on, it may
   * rely on the others only once the round is over.
   */
  add (name: string, condemned: readonly Uint8Array[]): void {
    const unsent = new Objections(condemned.length)
    const waits = new TailSet()

    for (const [i, tail] of condemned.entries()) {
      if (this.#relied.has(tail)) {
        unsent.add(i)
      } else {
        waits.add(tail)
      }
    }

    this.#rounds.set(name, { name, unsent, fencedAt: undefined, waits })
  }

  /** A round has ended: its object is gone. */
  delete (name: string): void {
    this.#rounds.delete(name)
  }

  /** A round is over although its object is still there: no delete of it can come any more. */
  setOver (round: KnownRound): void {
    round.waits = new TailSet()
  }

  /**
   * Rely on a block, unless a round condemns it. What counts is what the session objected to when it first saw the
   * round, not what it relies on: somebody could make a multihash that ends like one that it relies on.
   *
   * @returns whether it may: if not, a round must end first
   */
  rely (tail: Uint8Array): boolean {
    for (const { waits } of this.#rounds.values()) {
      if (waits.has(tail)) {
        return false
      }
    }

    this.#relied.add(tail)

    return true
  }
}
