import { ipfsz } from '@ipfsz/core'
import type { Repo } from '../repo/repo.ts'
import type { Libp2p } from '@libp2p/interface'

/**
 * Serve the blocks of a repo to peers as CARs, over HTTP on libp2p streams. They could fetch the same blocks through
 * Bitswap, with more round trips. Nothing is fetched for them.
 *
 * @param onError - called with each failure of this node, such as a damaged block
 * @returns what ends it
 */
export async function serveBlocks (
  libp2p: Libp2p,
  { blockstore }: Pick<Repo, 'blockstore'>,
  onError: (err: unknown) => void
): Promise<() => Promise<void>> {
  const { serveOverLibp2p } = await import('@ipfsz/gateway/libp2p')

  return serveOverLibp2p(libp2p, { fs: ipfsz({ blockstore }), blocks: blockstore }, { onError })
}
