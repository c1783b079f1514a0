import type { Helia } from 'helia'

type AddBlockBroker = Helia['addBlockBroker']

/** What Helia fetches blocks with, here always Bitswap. */
export type BlockBroker = Exclude<Parameters<AddBlockBroker>[0], (...args: never[]) => unknown>

/**
 * Keeps hold of the broker that `withBitswap` adds. Helia has no method that returns it, so
 * `addBlockBroker` is replaced; `withBitswap` calls it while Helia starts.
 *
 * @returns a function that returns the broker, or undefined before Helia has started
 */
export function captureBitswap (helia: { addBlockBroker: AddBlockBroker }): () => BlockBroker | undefined {
  const addBlockBroker = helia.addBlockBroker.bind(helia)
  let bitswap: BlockBroker | undefined

  helia.addBlockBroker = broker => {
    if (typeof broker !== 'function') {
      bitswap = broker
    }

    addBlockBroker(broker)
  }

  return () => bitswap
}
