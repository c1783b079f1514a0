import { DirSharded } from 'ipfs-unixfs-importer/utils'
import { keyToCid } from '../dag/cid-key.ts'
import { mendNode } from '../dag/mend-layout.ts'
import type { WrittenChild } from './written-child.ts'
import type { PutStore } from '../dag/block.ts'
import type { UnixFS } from 'ipfs-unixfs'
import type { ImportResult } from 'ipfs-unixfs-importer'

interface NewDirectory {
  path: string
  /** The metadata that it was added with. */
  unixfs?: Pick<UnixFS, 'mode' | 'mtime'> | undefined
}

/** Write a directory as shards of ipfs-unixfs-importer. */
export async function writeSharded (
  { unixfs: metadata, path }: NewDirectory,
  children: Iterable<[name: string, child: WrittenChild]>,
  blockstore: PutStore,
  options: ConstructorParameters<typeof DirSharded>[1]
): Promise<ImportResult> {
  const init = { root: true, dir: true, path, dirty: true, flat: false, mtime: metadata?.mtime, mode: metadata?.mode }
  const directory = new DirSharded(init, options)
  let root: ImportResult | undefined
  let block: Uint8Array | undefined
  const store: PutStore = {
    async put (cid, bytes, options) {
      block = bytes as Uint8Array

      return blockstore.put(cid, bytes, options)
    }
  }

  for (const [name, { key, size }] of children) {
    await directory.put(name, { cid: keyToCid(key), size })
  }

  for await (const shard of directory.flush(store as Parameters<typeof directory.flush>[0])) {
    root = shard
  }

  if (root == null) {
    throw new Error('The importer wrote no block for a sharded directory')
  }

  // the root, which alone has an mtime, is the last block
  const { block: _, ...mended } = await mendNode({ ...root, block }, blockstore)

  return mended
}
