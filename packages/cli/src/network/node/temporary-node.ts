import { openRepo } from '../../repo.ts'
import { userAgent } from '../../version.ts'
import { NodeNetwork } from './node-network.ts'
import { startNode } from './node.ts'
import { parseMultiaddr } from './parse-multiaddr.ts'
import type { Network } from '../network.ts'

export interface TemporaryNodeInit {
  /** The directory of the repo. What comes is kept there. */
  path: string
  /** Multiaddrs of the peers by which others are found. */
  bootstrap: readonly string[]
  peers: readonly string[]
  signal: AbortSignal
  onNote: (message: string) => void
}

/**
 * A node that is there for one command: it listens nowhere, and has a new key, since
 * the one of the repo may be in use.
 */
export async function startTemporaryNode ({ path, bootstrap: texts, peers, onNote, signal }: TemporaryNodeInit): Promise<Network> {
  const [bootstrap, asked] = [texts, peers].map(texts => texts.map(parseMultiaddr))
  const repo = await openRepo(path, { sync: false })
  const node = await startNode({ blockstore: repo.blockstore, listen: [], bootstrap, peers: asked, server: false, agent: userAgent(), onNote })
  const network = new NodeNetwork({ repo, node })

  try {
    // whom one asks by name must be there
    await Promise.all(asked.map(async address => network.connect(address.toString(), signal)))
  } catch (err) {
    await network.close()
    throw err
  }

  return network
}
