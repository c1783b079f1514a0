import { Objections } from '../protocol/round-objects.ts'
import { TailSet } from '../protocol/tail-set.ts'

/** A round that a session has seen. */
export interface KnownRound {
  name: string
  /** What the session objects to, until it has acknowledged the round. */
  unsent: Objections | undefined
}

/** The rounds that a session has seen, and the packs that it relies on. */
export class KnownRounds {
  readonly #rounds = new Map<string, KnownRound>()
  readonly #relied = new TailSet()
  /** What rounds have condemned, also rounds that are over: names of packs are never used again. */
  readonly #condemned = new TailSet()

  has (name: string): boolean {
    return this.#rounds.has(name)
  }

  [Symbol.iterator] (): IterableIterator<KnownRound> {
    return this.#rounds.values()
  }

  /**
   * Take note of a round. The session objects to those of its packs that it relies on already, and never relies on the
   * others.
   */
  add (name: string, condemned: readonly Uint8Array[]): void {
    const unsent = new Objections(condemned.length)

    for (const [i, tail] of condemned.entries()) {
      if (this.#relied.has(tail)) {
        unsent.add(i)
      } else {
        this.#condemned.add(tail)
      }
    }

    this.#rounds.set(name, { name, unsent })
  }

  /** Condemn a pack, before the round that does so was seen. */
  condemn (tail: Uint8Array): void {
    this.#condemned.add(tail)
  }

  /** A round has ended: its object is gone. */
  delete (name: string): void {
    this.#rounds.delete(name)
  }

  /** Rely on a pack, unless it is condemned. @returns whether it may */
  rely (tail: Uint8Array): boolean {
    if (this.#condemned.has(tail)) {
      return false
    }

    this.#relied.add(tail)

    return true
  }
}
