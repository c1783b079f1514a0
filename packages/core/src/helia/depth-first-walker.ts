// Room: how a Helia node gets to know marked CIDs, and its streams become quick: `withIpfsz`. Uses private parts of
// Helia (docs/upstream.md).
import { collectBytes } from '@ipfsz/utils/bytes'
import { createUnsafe } from 'multiformats/block'
import type { GraphNode, GraphWalker, GraphWalkerComponents, WalkOptions } from '@helia/interface'
import type { CID } from 'multiformats/cid'

interface Place {
  cid: CID
  depth: number
  path: CID[]
}

/**
 * Walks a DAG as Helia's walker of this name does, which is in @helia/utils. That one leaves an unhandled rejection
 * when it fails, which ends a Node process (docs/upstream.md).
 */
export function depthFirstWalker ({ blockstore, getCodec }: GraphWalkerComponents): GraphWalker {
  async function * walk<T> (root: CID, options: WalkOptions<T> = {}): AsyncGenerator<GraphNode<T>> {
    const { depth: maxDepth = Infinity, includeChild, signal } = options
    const waiting: Place[] = [{ cid: root, depth: 0, path: [root] }]

    for (let place = waiting.pop(); place != null; place = waiting.pop()) {
      const { cid, depth, path } = place
      signal?.throwIfAborted()
      // the events of reading a block are told to the caller of `pins.add`
      const bytes = await collectBytes(blockstore.get(cid, options))
      const block = createUnsafe<T, number, number, 0 | 1>({ cid, bytes, codec: await getCodec(cid.code) })

      if (depth < maxDepth) {
        const children = Array.from(block.links(), ([, child]) => child)
          .filter(child => includeChild?.(child, block) !== false)

        for (const child of children.toReversed()) {
          waiting.push({ cid: child, depth: depth + 1, path: [...path, child] })
        }
      }

      yield { block, depth, path }
    }
  }

  return { walk }
}
