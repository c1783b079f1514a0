import { InvalidPathError, NamesUnavailableError, NotContentPathError } from '../errors.ts'
import { parseCid } from '../request/content-root.ts'
import type { GatewayComponents, ResolvedName } from '../contract.ts'
import type { Target } from '../request/target.ts'
import type { CID } from 'multiformats/cid'

/** Where the path of a target begins. */
export interface ContentRoot {
  cid: CID
  /** Names below the CID that its record has, before those of the target. */
  path: string[]
  /** Seconds that the record may be cached. Undefined: the root is a CID, for ever. */
  ttl?: number
}

/**
 * Resolve the root of a target: its CID, or what its IPNS name or DNSLink points to.
 *
 * @throws {NamesUnavailableError} there is no resolver
 * @throws {NameNotFoundError} the name has no record
 * @throws {NotContentPathError} the host has no DNSLink
 */
export async function resolveRoot (
  target: Target,
  { names }: GatewayComponents,
  signal: AbortSignal
): Promise<ContentRoot> {
  if (target.namespace === 'ipfs') {
    const cid = parseCid(target.name)

    if (cid == null) {
      throw new InvalidPathError(`/ipfs/${target.name}`, 'its root is not a CID')
    }

    return { cid, path: [] }
  }

  signal.throwIfAborted()

  const resolved = await resolveName(target, names, signal)

  const path = resolved.path.flatMap(name => name.split('/')).filter(Boolean)

  return { cid: resolved.cid, path, ttl: resolved.ttl }
}

async function resolveName (
  { name, dnsLinkHost, rawPath }: Target,
  names: GatewayComponents['names'],
  signal: AbortSignal
): Promise<ResolvedName> {
  if (names == null) {
    throw dnsLinkHost == null ? new NamesUnavailableError(name) : new NotContentPathError(rawPath)
  }

  try {
    return await names.resolve(name, { signal })
  } catch (err) {
    if (dnsLinkHost != null && err instanceof Error && err.name === 'NameNotFoundError') {
      // any host that leads here is tried
      throw new NotContentPathError(rawPath, `paths begin with /ipfs/ or /ipns/, and ${name} has no DNSLink`, {
        cause: err
      })
    }

    throw err
  }
}
