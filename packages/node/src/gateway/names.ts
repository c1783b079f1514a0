import { NameNotFoundError } from '@ipfsz/gateway'
import { CID } from 'multiformats/cid'
import { findDnsLink } from './dns-link.ts'
import { NameCache } from './name-cache.ts'
import type { LookUpTxt } from './dns-link.ts'
import type { Network, ResolvedName as NetworkName } from '../network/network.ts'
import type { Repo } from '../repo/repo.ts'
import type { NameResolver, ResolvedName } from '@ipfsz/gateway'

/** How long an answer may be cached if nothing says how long, in seconds. */
const DEFAULT_TTL = 60
/** How many DNSLinks and names a name may lead through. */
const MAX_DEPTH = 8

export interface NamesInit {
  repo: Pick<Repo, 'path' | 'datastore'>
  /** Other nodes. Without it, only the IPNS names of the repo's own keys are known. */
  network?: Pick<Network, 'resolveName'> & Partial<Pick<Network, 'nameRecord'>> | undefined
  /** Whether DNS is asked for DNSLinks. */
  usesDns: boolean
  /** Ends what is under way. */
  signal: AbortSignal
  /** @default DNS, as the system is configured */
  lookUpTxt?: LookUpTxt | undefined
}

/** Resolves names: those of the repo's own keys, then IPNS through the network, and DNSLink. */
export class GatewayNames implements NameResolver {
  readonly #init: NamesInit
  readonly #cache: NameCache

  constructor (init: NamesInit) {
    this.#init = init
    this.#cache = new NameCache(init.signal)
  }

  /**
   * @throws {NameNotFoundError} the name has no record, or is not one
   * @throws {GatewayError} 502: DNS does not answer
   */
  async resolve (name: string, { signal }: { signal: AbortSignal }): Promise<ResolvedName> {
    // no key has a dot in it
    return name.includes('.') && this.#init.usesDns
      ? this.#cache.get(name.toLowerCase(), async signal => this.#followDnsLink(name, signal, 0), signal)
      : this.#resolveKey(name, signal)
  }

  async record (name: string, { signal }: { signal: AbortSignal }): Promise<Uint8Array> {
    const { repo, network } = this.#init

    return orNotFound(name, async () => {
      const { signOwnRecord } = await import('../network/names/own-names.ts')

      return await signOwnRecord(repo, name) ?? await network?.nameRecord?.(name, signal)
    })
  }

  async #resolveKey (name: string, signal: AbortSignal): Promise<ResolvedName> {
    const { repo, network } = this.#init

    return orNotFound(name, async () => {
      const { resolveOwnName } = await import('../network/names/own-names.ts')
      const own = await resolveOwnName(repo, name)

      if (own != null || network == null) {
        return own == null ? undefined : fromNetwork(own)
      }

      return this.#cache.get(name, async signal => fromNetwork(await network.resolveName(name, signal)), signal)
    })
  }

  async #followDnsLink (host: string, signal: AbortSignal, depth: number): Promise<ResolvedName> {
    if (depth === MAX_DEPTH) {
      throw new NameNotFoundError(host, { cause: new Error(`it exceeds the limit of ${MAX_DEPTH} chained names`) })
    }

    const { namespace, name, path } = await findDnsLink(host, signal, this.#init.lookUpTxt)

    if (namespace === 'ipfs') {
      return { cid: parseCid(name, host), path, ttl: DEFAULT_TTL }
    }

    // without the cache, in which a circle would wait for itself
    const next = await (name.includes('.')
      ? this.#followDnsLink(name, signal, depth + 1)
      : this.#resolveKey(name, signal))

    return { cid: next.cid, path: [...next.path, ...path], ttl: Math.min(next.ttl, DEFAULT_TTL) }
  }
}

function fromNetwork ({ cid, path, ttl = DEFAULT_TTL }: NetworkName): ResolvedName {
  return { cid, path: path.split('/').filter(Boolean), ttl }
}

async function orNotFound<T> (name: string, find: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined

  try {
    found = await find()
  } catch (err) {
    throw err instanceof Error && err.name === 'NameError' ? new NameNotFoundError(name, { cause: err }) : err
  }

  if (found == null) {
    throw new NameNotFoundError(name)
  }

  return found
}

function parseCid (text: string, host: string): CID {
  try {
    return CID.parse(text)
  } catch (err) {
    throw new NameNotFoundError(host, { cause: err })
  }
}
