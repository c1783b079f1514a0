import type { ImplementationEntry } from './implementation-entry.ts'

type Load<T> = (entry: ImplementationEntry) => Promise<T>

/** Loads each entry once, unless loading it failed. */
export function onceEach<T> (load: Load<T>): Load<T> {
  const loading = new Map<ImplementationEntry, Promise<T>>()

  return async entry => {
    try {
      const started = loading.get(entry) ?? load(entry)
      loading.set(entry, started)

      return await started
    } catch (err) {
      loading.delete(entry)
      throw err
    }
  }
}

/** Loads the first entry that can be loaded, on first use. */
export class Lazy<T> {
  readonly #choose: () => readonly ImplementationEntry[]
  readonly #load: Load<T>
  #entries?: readonly ImplementationEntry[]
  #loading?: Promise<T> | undefined
  #loaded?: T

  constructor (choose: () => readonly ImplementationEntry[], load: Load<T>) {
    this.#choose = choose
    this.#load = load
  }

  /** The first entry that has not failed to load. */
  get entry (): ImplementationEntry | undefined {
    return this.#remaining()[0]
  }

  /** What was loaded: so that nobody waits who needs not. */
  get loaded (): T | undefined {
    return this.#loaded
  }

  async load (): Promise<T> {
    this.#loading ??= this.#loadFirst()

    try {
      this.#loaded = await this.#loading

      return this.#loaded
    } catch (err) {
      // the network may have failed: the next call tries again
      this.#loading = undefined
      throw err
    }
  }

  async #loadFirst (): Promise<T> {
    const [entry, ...others] = this.#remaining()

    try {
      return await this.#load(entry)
    } catch (err) {
      if (others.length === 0) {
        throw err
      }

      // the platform may have WebAssembly, but a page's policy may forbid it
      this.#entries = others

      return this.#loadFirst()
    }
  }

  #remaining (): readonly ImplementationEntry[] {
    return this.#entries ??= this.#choose()
  }
}
