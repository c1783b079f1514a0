import { lookup } from 'node:dns'
import { Agent as HttpsAgent } from 'node:https'
import { isIP } from 'node:net'
import { PrivateAddressError } from '../../errors.ts'
import { createHttpAgent, createNodeFetch } from '../node-fetch.ts'
import { hostOf } from './http-address.ts'
import { isPublicAddress } from './public-address.ts'
import type { Fetch } from '@ipfsz/core/http'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

export interface PublicFetchInit {
  /**
   * Whether to connect to this machine and to private networks too.
   *
   * @default false
   */
  allowLocal?: boolean | undefined
  /**
   * Resolves names.
   *
   * @default dns.lookup
   */
  resolve?: LookupFunction | undefined
}

/**
 * A `fetch` for URLs that strangers name: it connects to no address of this machine or of a private network. What a
 * name resolves to is checked as the connection is made, so a name that resolves to something else the second time
 * does not get through. It uses no proxy, and throws a PrivateAddressError.
 */
export function createPublicFetch ({ allowLocal = false, resolve = lookup }: PublicFetchInit = {}): Fetch {
  const isAllowed = (address: string): boolean => allowLocal || isPublicAddress(address)
  const checked: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, options, (err, address, family) => {
      // of all addresses, or of one
      const addresses: LookupAddress[] = Array.isArray(address) ? address : [{ address, family: family ?? 0 }]
      const refused = err == null ? addresses.find(({ address }) => !isAllowed(address)) : undefined

      callback(err ?? (refused == null ? null : new PrivateAddressError(hostname, refused.address)), address, family)
    })
  }
  const fetch = createNodeFetch({
    agents: { http: createHttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) },
    lookup: checked
  })

  return async (url, init) => {
    const host = hostOf(url)

    // an address is not looked up
    if (isIP(host) !== 0 && !isAllowed(host)) {
      throw new PrivateAddressError(url.hostname, host)
    }

    return fetch(url, init)
  }
}
