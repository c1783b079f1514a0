import { hidePlaceSecrets } from '@ipfsz/utils/hide-secrets'
import { parseGatewayUrl } from '@ipfsz/core/http'
import { DEFAULT_TIMEOUT } from '../daemon/access.ts'
import { NameError } from '../errors.ts'
import { GatewayNames } from '../gateway/names.ts'
import { resolveByGateways } from '../network/names/gateway-records.ts'
import { nameOfKey } from '../network/names/own-names.ts'
import { isIpnsName } from '../network/names/name-records.ts'
import { openOrCreateRepo, openRepoToRead } from '../repo/repo.ts'
import { withTimeout } from './with-timeout.ts'
import type { NodeContext } from '../context.ts'
import type { NetworkAccess } from '../daemon/access.ts'
import type { NamesInit } from '../gateway/names.ts'
import type { Network, ResolvedName } from '../network/network.ts'
import type { CidPath, NamePath } from '../dag/cid-path.ts'

/**
 * Find the CID that a name leads to: what was last published here under a key of the repo; the record of another key,
 * from gateways or peers; or the DNSLink of a host.
 *
 * @param access - how to reach peers. Left open
 * @param lookUpTxt - by default DNS, as the system is configured
 */
export async function resolveTarget (
  { name: typed, path, text }: NamePath,
  context: Pick<NodeContext, 'repo' | 'signal' | 'network'>,
  access: Pick<NetworkAccess, 'isPossible' | 'open'>,
  lookUpTxt?: NamesInit['lookUpTxt']
): Promise<CidPath> {
  const { network: { timeout = DEFAULT_TIMEOUT, gateways = [] } = {} } = context
  const hasPeers = await access.isPossible()
  const isOnline = hasPeers || gateways.length > 0
  const { repo: directory, signal } = context
  const repo = isOnline
    ? await openOrCreateRepo(directory, { sync: false, signal })
    : await openRepoToRead(directory, { signal })
  // IPNS names and DNS names come before the names of keys
  const name = isIpnsName(typed) || typed.includes('.') ? typed : await nameOfKey(repo, typed)

  const shown = hidePlaceSecrets(typed)

  if (name == null) {
    throw new NameError(
      `"${shown}" is not an IPNS name (k51...), a key in this repo, or a DNS name: check the name`
    )
  }

  if (!isOnline && name.includes('.')) {
    throw nobodyToAsk(shown)
  }

  const urls = gateways.map(url => parseGatewayUrl(url).href)
  const network = isOnline ? { resolveName: resolver(urls, access, hasPeers) } : undefined
  const found = await withTimeout(timeout, context.signal, `${shown} was not resolved`, async signal => {
    const names = new GatewayNames({ repo, network, usesDns: isOnline, signal, lookUpTxt })

    return names.resolve(name, { signal }).catch((err: unknown) => {
      signal.throwIfAborted()
      throw explained(err, shown, isOnline)
    })
  })

  return {
    cid: found.cid,
    path: [...found.path, ...path.split('/').filter(Boolean)].join('/'),
    text,
    label: path.split('/').findLast(Boolean) ?? typed
  }
}

/** Asks gateways first and then peers, as blocks are fetched. */
function resolver (
  gateways: readonly string[],
  access: Pick<NetworkAccess, 'open'>,
  hasPeers: boolean
): Network['resolveName'] {
  return async (name, signal): Promise<ResolvedName> => {
    if (gateways.length > 0) {
      try {
        return await resolveByGateways(name, gateways, signal)
      } catch (err) {
        signal.throwIfAborted()

        if (!hasPeers) {
          throw err
        }
      }
    }

    const network = await access.open()

    return network.resolveName(name, signal)
  }
}

function explained (err: unknown, name: string, isOnline: boolean): unknown {
  const cause = err instanceof Error ? err.cause : undefined

  if (cause instanceof Error && cause.name === 'NameError') {
    return cause
  }

  if (!(err instanceof Error) || (err.name !== 'NameNotFoundError' && err.name !== 'GatewayError')) {
    return err
  }

  if (!isOnline) {
    return nobodyToAsk(name, { cause: err })
  }

  return err.name === 'GatewayError'
    ? new NameError(`${err.message}: check the network, and try again`, { cause: err })
    : new NameError(`${name} has no DNSLink: check the name, or ask its owner for the CID`, { cause: err })
}

function nobodyToAsk (name: string, options?: ErrorOptions): NameError {
  return new NameError(
    `${name} was not published from this repo, and no other node can be asked`,
    { reason: 'offline', ...options }
  )
}
