import { FetchStalledError } from '@ipfsz/core'
import type { Network } from '../src/network/network.ts'

/** A network without peers. Tests replace the methods that they need. */
export function fakeNetwork (parts: Partial<Network> = {}): Network {
  return {
    id: async () => ({ peerId: '12D3KooWtest', addresses: ['/ip4/127.0.0.1/tcp/1'], agent: 'test' }),
    peers: async () => [],
    connect: async () => '12D3KooWother',
    fetch: async (cid, { timeout }) => { throw new FetchStalledError(cid, timeout, { providers: 0 }) },
    async * findProviders () {},
    provide: async () => {},
    publishName: async cid => ({ name: 'k51test', cid, sequence: 1n }),
    resolveName: async () => { throw new Error('not known') },
    nameRecord: async () => { throw new Error('not known') },
    close: async () => {},
    ...parts
  }
}
