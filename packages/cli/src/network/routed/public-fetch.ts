import { lookup } from 'node:dns'
import { once } from 'node:events'
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { PrivateAddressError } from '../../errors.ts'
import { hostOf } from './http-address.ts'
import { isPublicAddress } from './public-address.ts'
import type { Fetch } from '@ipfsz/core/http'
import type { LookupAddress } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'

export interface PublicFetchInit {
  /**
   * Whether to connect to this machine and to private networks too.
   *
   * @default false
   */
  allowLocal?: boolean
  /**
   * Resolves names.
   *
   * @default dns.lookup
   */
  resolve?: LookupFunction
}

/**
 * A `fetch` for URLs that strangers name: it connects to no address of this machine or of a private network. What a
 * name resolves to is checked as the connection is made, so a name that resolves to something else the second time
 * does not get through. Asks for no Content-Encoding, and follows no redirect. It throws a PrivateAddressError.
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
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }

  return async (url, { headers, signal }) => {
    const host = hostOf(url)

    // an address is not looked up
    if (isIP(host) !== 0 && !isAllowed(host)) {
      throw new PrivateAddressError(url.hostname, host)
    }

    const options = {
      headers: Object.fromEntries(new Headers(headers)),
      lookup: checked,
      ...signal == null ? {} : { signal }
    }
    const request = url.protocol === 'https:'
      ? requestHttps(url, { ...options, agent: agents.https })
      : requestHttp(url, { ...options, agent: agents.http })
    // one after the response is an error of the body, too
    request.on('error', () => {})
    const [response] = await once(request.end(), 'response') as [IncomingMessage]
    const answered = new Headers()

    for (const [name, values = []] of Object.entries(response.headersDistinct)) {
      values.forEach(value => { answered.append(name, value) })
    }

    const { statusCode: status = 500 } = response
    const hasBody = status >= 200 && ![204, 205, 304].includes(status)

    if (!hasBody) {
      response.resume()
    }

    return new Response(hasBody ? Readable.toWeb(response) as ReadableStream<Uint8Array> : null, {
      status: Math.max(status, 200),
      headers: answered
    })
  }
}
