// Room: private parts of Helia and libp2p that we use (docs/upstream.md), and nothing else.
import type { Helia } from 'helia'

/** What Helia fetches blocks with, here always Bitswap. */
export type BlockBroker = Exclude<Parameters<Helia['addBlockBroker']>[0], (...args: never[]) => unknown>

/**
 * The broker that `withBitswap` has added as Helia started. Helia has no method that returns it.
 *
 * @returns undefined: the private field that it is in is gone
 */
export function bitswapBroker (helia: object): BlockBroker | undefined {
  return (helia as { blockBrokers?: readonly BlockBroker[] }).blockBrokers?.find(({ name }) => name === 'bitswap')
}
