import { freeResult } from '@ipfsz/utils/free-bytes'
import { raceAbort } from '@ipfsz/utils/race-abort'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { DEFAULT_BLOCK_WRITE_CONCURRENCY, MAX_LINKS } from '../constants.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { encodeNode } from './node.ts'
import type { PutStore } from './block.ts'
import type { FileLink, Metadata } from './file-block.ts'
import type { RootContent } from './node.ts'
import type { UnixFS } from 'ipfs-unixfs'

export interface WriteOptions {
  signal?: AbortSignal | null
}

export interface WrittenFile {
  /** The root. */
  cid: CID
  /** Its bytes. */
  block: Uint8Array
  unixfs: UnixFS
  /** Bytes of all its blocks. */
  dagSize: number
}

/**
 * Write leaves, several at a time, and yield a link to each, in order.
 *
 * ipfs-unixfs-importer is not used: it writes in batches of 50 and waits for each batch before
 * it takes more, so compressing and writing would alternate.
 *
 * @param leaves - those of a frame follow each other. If the blockstore does not keep it, its memory is freed once all
 *   are stored
 * @param blockstore - wrapped by `coalescingBlockstore`, as leaves may be equal
 */
export async function * writeLeaves (
  leaves: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  blockstore: PutStore,
  options: WriteOptions
): AsyncGenerator<FileLink> {
  const writing = new Set<Promise<FileLink>>()

  try {
    const written = mapOrdered(leaves, async leaf => {
      const link = writeLeaf(leaf, blockstore, options)
      writing.add(link)

      return { leaf, link: await link.finally(() => writing.delete(link)) }
    }, { concurrency: DEFAULT_BLOCK_WRITE_CONCURRENCY, signal: options.signal })
    let before: Uint8Array | undefined

    for await (const { leaf, link } of written) {
      // in order, so a frame whose leaves have come to an end is stored
      if (blockstore.releasesBlocks === true && before != null && before.buffer !== leaf.buffer) {
        freeResult(before)
      }

      before = leaf
      yield link
    }
  } finally {
    // once this ends, nothing is written any more, even if one leaf failed. An abort ends the others at once
    await Promise.allSettled(writing)
  }
}

export async function writeLeaf (
  leaf: Uint8Array,
  blockstore: PutStore,
  options: WriteOptions
): Promise<FileLink> {
  const link = await linkTo(leaf)
  await putBlock(link.cid, leaf, blockstore, options)

  return link
}

async function linkTo (leaf: Uint8Array): Promise<FileLink> {
  const cid = await toCid(raw.code, leaf)

  return { cid, size: leaf.byteLength, dagSize: leaf.byteLength }
}

/**
 * Write a file that has one leaf: the root beside it. One after the other, a disk would sync twice, and a store over
 * the network would take twice as long. A kill may leave the root without its leaf, as it may leave a leaf without its
 * root: no pin reaches either until the CID is returned.
 */
async function writeLeafAndRoot (
  { leaf, ...content }: RootContent & { leaf: Uint8Array },
  metadata: Metadata,
  blockstore: PutStore,
  options: WriteOptions
): Promise<WrittenFile> {
  const link = await linkTo(leaf)
  const leafWritten = putBlock(link.cid, leaf, blockstore, options)
  const rootWritten = writeRoot({ ...content, links: [link] }, metadata, blockstore, options)

  // once this ends, nothing is written any more, even if one of them failed
  await Promise.allSettled([leafWritten, rootWritten])
  await leafWritten

  return rootWritten
}

/**
 * Write the nodes above the leaves. If there are more than 1,024 leaves, they get inner nodes
 * of 1,024 links, balanced as in ipfs-unixfs-importer. The link to a base is the last one of the
 * root. The put of the root begins last, or beside that of its only leaf.
 */
export function writeRoot (
  { leaf, ...content }: RootContent & { leaf?: Uint8Array | undefined },
  metadata: Metadata,
  blockstore: PutStore,
  options: WriteOptions
): Promise<WrittenFile> {
  if (leaf != null) {
    return writeLeafAndRoot({ leaf, ...content }, metadata, blockstore, options)
  }

  return content.links == null && content.base == null
    ? writeNode(content, metadata, blockstore, options)
    : writeLinkedRoot(content, metadata, blockstore, options)
}

async function writeLinkedRoot (
  content: RootContent,
  metadata: Metadata,
  blockstore: PutStore,
  options: WriteOptions
): Promise<WrittenFile> {
  const { base, ...rest } = content
  const last = base == null ? [] : [base]
  let { links = [] } = rest

  while (links.length + last.length > MAX_LINKS) {
    const parents: FileLink[] = []

    for (let start = 0; start < links.length; start += MAX_LINKS) {
      const children = links.slice(start, start + MAX_LINKS)
      const { cid, dagSize } = await writeNode({ links: children }, {}, blockstore, options)

      parents.push({ cid, dagSize, size: children.reduce((size, child) => size + child.size, 0) })
    }

    links = parents
  }

  return writeNode({ ...rest, links: [...links, ...last] }, metadata, blockstore, options)
}

async function writeNode (
  content: RootContent,
  metadata: Metadata,
  blockstore: PutStore,
  options: WriteOptions
): Promise<WrittenFile> {
  const { block, unixfs } = encodeNode(content, metadata)
  const digest = sha256.digest(block)
  const cid = CID.createV1(dagPb.code, digest instanceof Promise ? await digest : digest)

  await putBlock(cid, block, blockstore, options)

  return {
    cid,
    block,
    unixfs,
    dagSize: (content.links ?? []).reduce((size, link) => size + link.dagSize, block.byteLength)
  }
}

async function toCid (code: number, block: Uint8Array): Promise<CID> {
  return CID.createV1(code, await sha256.digest(block))
}

// not async: each promise counts for a small file
export function putBlock (cid: CID, block: Uint8Array, blockstore: PutStore, options: WriteOptions): Promise<CID> {
  // like Helia, pass the command's options on to the blockstore
  return raceAbort(blockstore.put(cid, block, options as Parameters<PutStore['put']>[2]), options.signal)
}
