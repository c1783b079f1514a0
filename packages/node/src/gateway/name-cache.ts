import { LruMap } from '@ipfsz/utils/lru-map'
import { raceAbort } from '@ipfsz/utils/race-abort'
import type { ResolvedName } from '@ipfsz/gateway'

/** Maximum number of names that are remembered. */
const MAX_NAMES = 1024
/** How long a name is remembered, in seconds: at most, and at least. */
const MAX_TTL = 5 * 60
const MIN_TTL = 5
/** How long it is remembered that a name leads nowhere, in seconds. */
const FAILED_TTL = 10
/** How long finding a name may take, in milliseconds. It goes on for those who ask next. */
const TIMEOUT = 60_000
/**
 * How many names are looked for that nobody waits for any more: clients that ask and leave could start any number.
 * The first of them ends then.
 */
const MAX_UNAWAITED = 32

interface Cached {
  result: Promise<ResolvedName>
  /** How many requests wait for it. */
  waiting: number
  ended: AbortController
  /** On the clock of `performance.now`. Infinite while it is being resolved. */
  expires: number
}

/** Remembers where names lead. A name that many ask for at once is resolved once. */
export class NameCache {
  readonly #names = new LruMap<string, Cached>({ maxEntries: MAX_NAMES })
  /** Names that are being looked for, though nobody waits for them. */
  readonly #unawaited = new Set<Cached>()
  readonly #ended: AbortSignal

  /** @param ended - ends what is under way */
  constructor (ended: AbortSignal) {
    this.#ended = ended
  }

  /** @param resolve - is called if the name is not known */
  async get (
    name: string,
    resolve: (signal: AbortSignal) => Promise<ResolvedName>,
    signal: AbortSignal
  ): Promise<ResolvedName> {
    signal.throwIfAborted()
    const known = this.#names.peek(name)
    const cached = known != null && known.expires > performance.now() ? known : this.#resolve(name, resolve)

    cached.waiting++
    this.#unawaited.delete(cached)

    try {
      // not `signal` for the resolver: others may wait for the same name
      return await raceAbort(cached.result, signal)
    } finally {
      if (--cached.waiting === 0 && cached.expires === Number.POSITIVE_INFINITY) {
        this.#leave(cached)
      }
    }
  }

  /** Go on looking for a name that nobody waits for, unless there are too many of them. */
  #leave (cached: Cached): void {
    this.#unawaited.add(cached)

    if (this.#unawaited.size > MAX_UNAWAITED) {
      const [first] = this.#unawaited
      this.#unawaited.delete(first)
      first.ended.abort()
    }
  }

  #resolve (name: string, resolve: (signal: AbortSignal) => Promise<ResolvedName>): Cached {
    const ended = new AbortController()
    const signal = AbortSignal.any([this.#ended, ended.signal, AbortSignal.timeout(TIMEOUT)])
    const cached: Cached = { result: resolve(signal), waiting: 0, ended, expires: Number.POSITIVE_INFINITY }
    const expireAfter = (seconds: number): void => {
      this.#unawaited.delete(cached)
      // one that was ended is looked for again
      cached.expires = ended.signal.aborted ? 0 : performance.now() + seconds * 1000
    }

    // before those who wait learn of it
    cached.result.then(
      ({ ttl }) => expireAfter(Math.min(Math.max(ttl, MIN_TTL), MAX_TTL)),
      () => expireAfter(FAILED_TTL)
    )
    this.#names.set(name, cached)

    return cached
  }
}
