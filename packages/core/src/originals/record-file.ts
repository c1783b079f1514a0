import { ContentCid } from '../content-cid/content-cid.ts'
import { fileId } from './records.ts'
import type { Layout } from '../content-cid/content-layouts.ts'
import type { BalancedNode } from '../dag/balanced.ts'
import type { FileLink } from '../dag/file-block.ts'
import type { OriginalIndex } from './original-index.ts'
import type { BlockEntry, Original } from './records.ts'
import type { MultihashDigest } from 'multiformats'
import type { CID } from 'multiformats/cid'

interface RecordedFile {
  compressed: CID
  layouts: readonly Layout[]
  /** The original bytes of the compressed file. */
  bytes: AsyncIterable<Uint8Array>
}

/** A layout whose blocks are being recorded. */
interface Recorded {
  /** Original bytes of the leaves that were recorded. */
  position: number
}

/**
 * Write the entries of the blocks that a file has uncompressed, for several layouts in one pass. Each node is written
 * with its leaves, as soon as it is known, so memory does not depend on the file's size.
 *
 * @returns for each layout the original, which does not count yet
 */
export async function recordFile (
  { compressed, layouts, bytes }: RecordedFile,
  index: OriginalIndex,
  options: { signal?: AbortSignal | null | undefined }
): Promise<Original[]> {
  const recorded = new Map<string, Recorded>()
  const record = async (layout: Layout, node: BalancedNode): Promise<void> => {
    const state = recorded.get(layout.name) ?? { position: 0 }
    const blocks: Array<[MultihashDigest, BlockEntry]> = [
      [node.cid.multihash, { kind: 'node', bytes: node.block }]
    ]

    if (node.level === 0) {
      for (const leaf of node.links) {
        blocks.push(leafEntry(leaf, state.position, layout))
        state.position += leaf.size
      }
    }

    recorded.set(layout.name, state)
    await index.write(fileId(compressed, layout.name), blocks)
  }
  const content = new ContentCid(options, layouts, record)

  for (const { name } of layouts) {
    await index.begin(fileId(compressed, name))
  }

  for await (const piece of bytes) {
    await content.update(piece)
  }

  const roots = await content.roots()

  return Promise.all(layouts.map(async (layout, i) => {
    const root = roots[i]

    if (!recorded.has(layout.name)) {
      // its only leaf is its root
      await index.write(fileId(compressed, layout.name), [leafEntry(root, 0, layout)])
    }

    return { original: root.cid, compressed, type: 'file', layout: layout.name, dagSize: root.dagSize }
  }))
}

function leafEntry ({ cid, size }: FileLink, offset: number, { rawLeaves }: Layout): [MultihashDigest, BlockEntry] {
  return [cid.multihash, { kind: rawLeaves ? 'raw' : 'dag-pb', offset, length: size }]
}
