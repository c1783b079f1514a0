import { decode, encode, prepare } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { marshal } from './marshal.ts'
import type { PutStore } from './block.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'

type Layout = NonNullable<ImporterOptions['layout']>
type Reduced = Awaited<ReturnType<Layout>>
type Leaf = Parameters<Parameters<Layout>[1]>[0][number]

/** The range of numbers that `unixfs.marshal ()` writes wrongly, see `marshal`. */
const FIRST_WRONG = 2n ** 31n
const LAST_WRONG = 2n ** 32n - 1n

/** What the importer returns of a node that it wrote. */
type Written = Pick<Reduced, 'cid' | 'unixfs' | 'size'> & {
  /** Of a node without links, it may be missing. */
  block?: Uint8Array | undefined
}

/**
 * Wraps a layout of ipfs-unixfs-importer, and rewrites the nodes that it encodes wrongly.
 *
 * Besides, `reduce` takes the block of an only leaf as the content of a file with metadata. With `rawLeaves: false`
 * that block is a UnixFS node, so `reduce` gets its content instead.
 */
export function mendLayout (layout: Layout, blockstore: PutStore): Layout {
  return async (source, reduce) => layout(source, async leaves => {
    const node = await reduce(leaves.map(leaf => isOnlyNode(leaf) ? { ...leaf, block: contentOf(leaf) } : leaf))

    return mendNode(node, blockstore)
  })
}

/** Whether a leaf is the whole file, as a UnixFS node. */
function isOnlyNode (leaf: Leaf): boolean {
  return 'single' in leaf && leaf.single && leaf.unixfs != null
}

function contentOf ({ unixfs }: Leaf): Uint8Array {
  return unixfs?.data ?? new Uint8Array(0)
}

/** Write a node of ipfs-unixfs-importer again, if a number in it is encoded wrongly. */
export async function mendNode<T extends Written> (node: T, blockstore: PutStore): Promise<T> {
  const { unixfs, cid, size, block: wrong } = node
  const numbers = unixfs == null ? [] : [unixfs.fileSize(), ...unixfs.blockSizes, unixfs.mtime?.secs ?? 0n]

  if (unixfs == null || !numbers.some(isWrittenWrongly)) {
    return node
  }

  const Links = wrong == null ? [] : decode(wrong).Links
  const block = encode(prepare({ Data: marshal(unixfs), Links }))
  const mended = CID.create(cid.version, cid.code, await sha256.digest(block))
  await blockstore.put(mended, block)

  return { ...node, cid: mended, size: size + BigInt(block.byteLength - (wrong?.byteLength ?? Number(size))), block }
}

/** Whether `unixfs.marshal ()` writes a size or time wrongly. */
export function isWrittenWrongly (number: bigint): boolean {
  return number >= FIRST_WRONG && number <= LAST_WRONG
}
