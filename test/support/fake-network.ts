import { NotFoundError } from '@ipfsz/core'
import type { FetchOptions, Network } from '../../packages/node/dist/network/network.js'
import type { CID } from 'multiformats/cid'

/** A network without peers. Tests replace the methods that they need. */
export function fakeNetwork (parts: Partial<Network> = {}): Network {
  return {
    id: async () => ({ peerId: '12D3KooWtest', addresses: ['/ip4/127.0.0.1/tcp/1'], agent: 'test' }),
    peers: async () => [],
    connect: async () => '12D3KooWother',
    fetch: fetchNothing,
    providerCount: async () => 0,
    async * findProviders () {},
    provide: async () => {},
    publishName: async cid => ({ name: 'k51test', cid, sequence: 1n }),
    resolveName: async () => { throw new Error('not known') },
    nameRecord: async () => { throw new Error('not known') },
    close: async () => {},
    ...parts
  }
}

/** A fetch of a block that nobody has: a search for it goes on until it is aborted. */
export async function fetchNothing (
  cid: CID,
  { search = 'all', signal }: Pick<FetchOptions, 'search' | 'signal'>
): Promise<never> {
  if (search !== 'all') {
    throw new NotFoundError(cid)
  }

  signal.throwIfAborted()

  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => { reject(signal.reason) }, { once: true })
  })
}
