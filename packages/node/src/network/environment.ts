// Room: other nodes. `network.ts` says what work asks of them, `sources` fetch blocks, and `node-fetch.ts` sends HTTP
// requests.
import type { Environment } from '../paths.ts'

/** The bootstrap peers of the public network, as in Kubo and Helia. */
const PUBLIC_BOOTSTRAP = [
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmbLHAnMoJPWSCR5Zhtx6BHJX9KiKNN6tpvbUcqanj75Nb',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmcZf59bWwK5XFi76CZX8cbJ4BhTzzA3gU1ZjYZcYW3dwt',
  '/dnsaddr/va1.bootstrap.libp2p.io/p2p/12D3KooWKnDdG3iXw9eTFijk3EWSunZcFi54Zka4wmtqtt6rPxc8',
  '/ip4/104.131.131.82/tcp/4001/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'
]

/** The value for no bootstrap peers. */
export const NONE = 'none'

/**
 * The multiaddrs of the bootstrap peers: those given, else those of `$IPFSZ_BOOTSTRAP` (`none`, or
 * multiaddrs separated by commas), else those of the public network.
 */
export function bootstrapTexts (given: readonly string[] | undefined, env: Environment): string[] {
  const texts = given ?? env.IPFSZ_BOOTSTRAP?.split(',') ?? PUBLIC_BOOTSTRAP

  return texts.map(text => text.trim()).filter(text => text !== '' && text !== NONE)
}

/** The URLs in `$IPFSZ_GATEWAYS`, or `$IPFSZ_ROUTERS` of delegated routers: commas or spaces separate them. */
export function urlsIn (text = ''): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
