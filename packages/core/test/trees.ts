import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { mark, TREE_CODE } from '../src/index.ts'
import { putNode } from './fixtures.ts'
import type { Ipfsz } from '../src/index.ts'
import type { CountingBlockstore } from './fixtures.ts'
import type { UnixFSOptions } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'

/** Add files by path, wrapped in a directory. */
export async function addTree (
  fs: Ipfsz,
  files: Record<string, Uint8Array>,
  options: Parameters<Ipfsz['addAll']>[1] = {}
): Promise<CID> {
  const results = await Array.fromAsync(fs.addAll(
    Object.entries(files).map(([path, content]) => ({ path, content })),
    { ...options, wrapWithDirectory: true }
  ))

  return results[results.length - 1].cid
}

/** A directory with any entries, valid or not. */
export async function putDirectory (
  entries: Array<[name: string, cid: CID]>,
  blockstore: CountingBlockstore,
  unixfs: UnixFSOptions = { type: 'directory' }
): Promise<CID> {
  return putNode(dagPb.prepare({
    Data: new UnixFS(unixfs).marshal(),
    Links: entries.map(([Name, Hash]) => ({ Name, Hash, Tsize: 100 }))
  }), blockstore)
}

/** Directories nested this many levels deep, with an entry in the innermost one. */
export async function putDeep (
  levels: number,
  name: string,
  cid: CID,
  blockstore: CountingBlockstore
): Promise<{ tree: CID, path: string }> {
  let directory = await putDirectory([[name, cid]], blockstore)

  for (let level = 1; level < levels; level++) {
    directory = await putDirectory([['d', directory]], blockstore)
  }

  return { tree: mark(directory, TREE_CODE), path: `${'d/'.repeat(levels - 1)}${name}` }
}

/** A sharded directory with this many entries. */
export async function putSharded (fs: Ipfsz, count: number, content: (i: number) => Uint8Array): Promise<CID> {
  const results = await Array.fromAsync(fs.addAll((function * () {
    for (let i = 0; i < count; i++) {
      yield { path: `file-${i}.txt`, content: content(i) }
    }
  })(), { wrapWithDirectory: true, shardSplitThresholdBytes: 1 }))

  return results[results.length - 1].cid
}
