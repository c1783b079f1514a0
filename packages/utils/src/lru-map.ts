import { oldestOf } from './forget-oldest.ts'

export interface LruMapInit<K, V> {
  /** @default Number.POSITIVE_INFINITY */
  maxEntries?: number | undefined
  /**
   * The maximum that all values may take together, in the unit of `sizeOf`.
   *
   * @default Number.POSITIVE_INFINITY
   */
  maxSize?: number | undefined
  /**
   * What an entry takes. The same each time.
   *
   * @default () => 0
   */
  sizeOf?: ((value: V, key: K) => number) | undefined
  /**
   * Whether the value that was set last is kept although it is larger than all may be.
   *
   * @default false
   */
  keepsLast?: boolean | undefined
  /** Called with what goes because there is too much. */
  onDrop?: ((value: V) => void) | undefined
}

/** A Map with bounds: what was used least recently goes first. Values are never undefined. */
export class LruMap<K, V> {
  readonly #init: Required<{ [P in keyof LruMapInit<K, V>]: NonNullable<LruMapInit<K, V>[P]> }>
  /** The one that was used last is last: a Map keeps the order of insertion. */
  readonly #entries = new Map<K, V>()
  #used = 0

  constructor (
    {
      maxEntries = Infinity, maxSize = Infinity, sizeOf = () => 0, keepsLast = false, onDrop = () => {}
    }: LruMapInit<K, V>
  ) {
    this.#init = { maxEntries, maxSize, sizeOf, keepsLast, onDrop }
  }

  has (key: K): boolean {
    return this.#entries.has(key)
  }

  /** The value, which is now the one that was used last. */
  get (key: K): V | undefined {
    const value = this.#entries.get(key)

    if (value !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }

    return value
  }

  /** The value, without using it. */
  peek (key: K): V | undefined {
    return this.#entries.get(key)
  }

  set (key: K, value: V): void {
    const { maxEntries, maxSize, sizeOf, keepsLast, onDrop } = this.#init
    const size = sizeOf(value, key)

    this.delete(key)

    if (size > maxSize && !keepsLast) {
      onDrop(value)
      return
    }

    this.#entries.set(key, value)
    this.#used += size

    while (this.#entries.size > 1 && (this.#used > maxSize || this.#entries.size > maxEntries)) {
      const oldest = oldestOf(this.#entries)
      const dropped = this.#entries.get(oldest) as V
      this.delete(oldest)
      onDrop(dropped)
    }
  }

  delete (key: K): boolean {
    const value = this.#entries.get(key)

    if (value === undefined) {
      return false
    }

    this.#used -= this.#init.sizeOf(value, key)

    return this.#entries.delete(key)
  }

  clear (): void {
    this.#entries.clear()
    this.#used = 0
  }

  /** The one that was used least recently first. */
  values (): MapIterator<V> {
    return this.#entries.values()
  }
}
