import { decode, encode, prepare } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { marshal } from './marshal.ts'
import type { PutStore } from './block.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'

type Layout = NonNullable<ImporterOptions['layout']>
type Reduced = Awaited<ReturnType<Layout>>

/** The range of numbers that `unixfs.marshal ()` writes wrongly, see `marshal`. */
const FIRST_WRONG = 2n ** 31n
const LAST_WRONG = 2n ** 32n - 1n

/** Wraps a layout of ipfs-unixfs-importer, and rewrites the nodes that it encodes wrongly. */
export function mendLayout (layout: Layout, blockstore: PutStore): Layout {
  return async (source, reduce) => layout(source, async leaves => mend(await reduce(leaves), blockstore))
}

async function mend (node: Reduced, blockstore: PutStore): Promise<Reduced> {
  const { unixfs, cid } = node
  const wrong = node as Reduced & { block?: Uint8Array }
  const numbers = unixfs == null ? [] : [unixfs.fileSize(), ...unixfs.blockSizes, unixfs.mtime?.secs ?? 0n]

  if (unixfs == null || wrong.block == null || !numbers.some(isWrong)) {
    return node
  }

  const block = encode(prepare({ Data: marshal(unixfs), Links: decode(wrong.block).Links }))
  const mended = CID.create(cid.version, cid.code, await sha256.digest(block))
  await blockstore.put(mended, block)

  return { ...node, cid: mended, size: node.size + BigInt(block.byteLength - wrong.block.byteLength), block } as Reduced
}

function isWrong (number: bigint): boolean {
  return number >= FIRST_WRONG && number <= LAST_WRONG
}
