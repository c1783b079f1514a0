import { createServer } from 'node:http'
import { listen } from './listen.ts'
import type { Listening } from './listen.ts'

/** The id of no peer: clients only ask whether it is one. */
const PEER_ID = '12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA'

export interface HttpRouter extends Listening {
  url: string
}

/**
 * A delegated router (specs.ipfs.tech/routing/http-routing-v1) that names one HTTP provider for every CID.
 *
 * @param address - its multiaddr
 */
export async function startHttpRouter (address: string): Promise<HttpRouter> {
  const provider = { Schema: 'peer', ID: PEER_ID, Addrs: [address], Protocols: ['transport-ipfs-gateway-http'] }
  const server = createServer(({ url = '' }, response) => {
    const isThere = url.startsWith('/routing/v1/providers/')

    response.writeHead(isThere ? 200 : 404, {
      'content-type': 'application/json',
      'access-control-allow-origin': '*'
    })
    response.end(JSON.stringify(isThere ? { Providers: [provider] } : {}))
  })
  const listening = await listen(server)

  return { ...listening, url: `http://127.0.0.1:${listening.port}` }
}
