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
  /** What rounds have condemned for good, also rounds that are over. Undefined: what they leave may be relied on. */
  readonly #condemned: TailSet | undefined

  /** @param init.isFinal - whether what was condemned, and not objected to, is never relied on: as packs */
  constructor ({ isFinal = false }: { isFinal?: boolean | undefined } = {}) {
    this.#condemned = isFinal ? new TailSet() : undefined
  }

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
        this.#condemned?.add(tail)
      }
    }

    this.#rounds.set(name, { name, unsent, fencedAt: undefined, waits })
  }

  /** Condemn a block or pack for good, before the round that does so was seen. */
  condemn (tail: Uint8Array): void {
    this.#condemned?.add(tail)
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
    if (this.#condemned?.has(tail) === true) {
      return false
    }

    for (const { waits } of this.#rounds.values()) {
      if (waits.has(tail)) {
        return false
      }
    }

    this.#relied.add(tail)

    return true
  }
}
