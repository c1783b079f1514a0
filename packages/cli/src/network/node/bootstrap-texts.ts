import type { Io } from '../../io.ts'

/** The peers by which nodes of the public network find others, as Kubo and Helia have them. */
const PUBLIC_BOOTSTRAP = [
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmbLHAnMoJPWSCR5Zhtx6BHJX9KiKNN6tpvbUcqanj75Nb',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmcZf59bWwK5XFi76CZX8cbJ4BhTzzA3gU1ZjYZcYW3dwt',
  '/dnsaddr/va1.bootstrap.libp2p.io/p2p/12D3KooWKnDdG3iXw9eTFijk3EWSunZcFi54Zka4wmtqtt6rPxc8',
  '/ip4/104.131.131.82/tcp/4001/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'
]

/** What stands for no peers at all. */
const NONE = 'none'

/**
 * The multiaddrs of the peers to begin with: those that are given, those of
 * `$IPFSZ_BOOTSTRAP` (`none`, or multiaddrs with commas), or those of the public network.
 */
export function bootstrapTexts (given: readonly string[] | undefined, env: Io['env']): string[] {
  const texts = given ?? env.IPFSZ_BOOTSTRAP?.split(',') ?? PUBLIC_BOOTSTRAP

  return texts.map(text => text.trim()).filter(text => text !== '' && text !== NONE)
}
