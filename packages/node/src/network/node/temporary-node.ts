import { openOrCreateRepo } from '../../repo/repo.ts'
import { userAgent } from '../../version.ts'
import { NodeNetwork } from './node-network.ts'
import { startNode } from './node.ts'
import { parseMultiaddr } from './parse-multiaddr.ts'
import type { Network } from '../network.ts'

export interface TemporaryNodeInit {
  /** The directory of the repo, which keeps the blocks that arrive. */
  path: string
  bootstrap: readonly string[]
  /** Multiaddrs of the peers to ask. */
  peers: readonly string[]
  signal: AbortSignal
  onNote: (message: string) => void
}

/** Starts a node for one command. It does not listen, and has a new key: a daemon may be using the key of the repo. */
export async function startTemporaryNode (init: TemporaryNodeInit): Promise<Network> {
  const { path, bootstrap: texts, peers, onNote, signal } = init
  const [bootstrap, asked] = [texts, peers].map(texts => texts.map(parseMultiaddr))
  const repo = await openOrCreateRepo(path, { sync: false, signal })
  const node = await startNode({
    blockstore: repo.blockstore,
    listen: [],
    bootstrap,
    peers: asked,
    server: false,
    agent: userAgent(),
    onNote
  })

  return new NodeNetwork({ repo, node })
}
