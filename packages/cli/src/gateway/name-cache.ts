import { untilAborted } from './until-aborted.ts'
import type { ResolvedName } from '@ipfsz/gateway'

/** The most names that are remembered. */
const MAX_NAMES = 1024
/** How long a name is remembered, in seconds: at most, and at least. */
const MAX_TTL = 5 * 60
const MIN_TTL = 5
/** How long it is remembered that a name leads nowhere, in seconds. */
const FAILED_TTL = 10
/** How long finding a name may take, in milliseconds. It goes on for those who ask next. */
const TIMEOUT = 60_000

interface Cached {
  result: Promise<ResolvedName>
  /** On the clock of `performance.now`. Infinite while it is being resolved. */
  expires: number
}

/** Remembers where names lead. A name that many ask for at once is resolved once. */
export class NameCache {
  readonly #names = new Map<string, Cached>()
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
    const known = this.#names.get(name)
    const { result } = known != null && known.expires > performance.now() ? known : this.#resolve(name, resolve)

    // not `signal` for the resolver: others may wait for the same name
    return untilAborted(result, signal)
  }

  #resolve (name: string, resolve: (signal: AbortSignal) => Promise<ResolvedName>): Cached {
    const signal = AbortSignal.any([this.#ended, AbortSignal.timeout(TIMEOUT)])
    const cached: Cached = { result: resolve(signal), expires: Number.POSITIVE_INFINITY }

    expireLater(cached).catch(() => {})
    // the newest is last
    this.#names.delete(name)
    this.#names.set(name, cached)

    if (this.#names.size > MAX_NAMES) {
      const [oldest] = this.#names.keys()
      this.#names.delete(oldest)
    }

    return cached
  }
}

async function expireLater (cached: Cached): Promise<void> {
  const seconds = await cached.result.then(({ ttl }) => Math.min(Math.max(ttl, MIN_TTL), MAX_TTL), () => FAILED_TTL)

  cached.expires = performance.now() + seconds * 1000
}
