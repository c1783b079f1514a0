import { ipnsValidator } from '@helia/ipns'
import { kadDHT } from '@libp2p/kad-dht'
import { createHeliaLight } from 'helia'
import { describe, expect, it } from 'vitest'
import type { KadDHT } from '@libp2p/kad-dht'
import type { Helia } from 'helia'

type Keychain = Parameters<typeof ipnsValidator>[2]

// `npm run check` fails on a `@ts-expect-error` that is no longer needed, so it notices a type that is mended

describe('the types', () => {
  it('of helia expose no way to get the broker of Bitswap', () => {
    // @ts-expect-error mended: packages/node/src/network/helia-internals/bitswap-broker.ts can go (docs/upstream.md)
    type Brokers = Helia['blockBrokers']

    expect(createHeliaLight).toBeTypeOf('function')
    expect<Brokers | undefined>(undefined).toBeUndefined()
  })

  it('of @libp2p/kad-dht leave out the routing table', () => {
    // @ts-expect-error mended: packages/node/src/network/helia-internals/routing-table.ts can go (docs/upstream.md)
    type Table = KadDHT['routingTable']

    expect(kadDHT).toBeTypeOf('function')
    expect<Table | undefined>(undefined).toBeUndefined()
  })

  it('of @helia/ipns ask for a whole keychain though only one method is called', () => {
    // @ts-expect-error mended: packages/node/src/network/helia-internals/ipns-keychain.ts can go (docs/upstream.md)
    const keychain: Keychain = { loadPublicKeyFromProtobuf: async () => { throw new Error('unused') } }

    expect(ipnsValidator).toBeTypeOf('function')
    expect(Object.keys(keychain)).toEqual(['loadPublicKeyFromProtobuf'])
  })
})
