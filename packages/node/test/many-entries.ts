/**
 * A worker thread that measures or writes a directory of many entries, for `tree-memory.test.ts`. All their blocks but
 * the root's are made when they are read, so that only the code under test can fill the thread's heap.
 */
import { workerData } from 'node:worker_threads'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { SpillStack } from '../src/disk/spill-stack.ts'
import { WriteLimits } from '../src/disk/write-limits.ts'
import { measureTree } from '../src/tree/measure-tree.ts'
import { writeTree } from '../src/tree/write-tree.ts'
import { leavesAll } from './trees.ts'
import type { ManyEntries } from './tree-memory.test.ts'
import type { Ipfsz } from '@ipfsz/core'

const { task, count, target } = workerData as ManyEntries
const root = cidOf(0)
const progress = { update () {}, add () {}, end () {} }
const { signal } = new AbortController()
const entry = nodeOf(task === 'measure' ? { type: 'directory' } : { type: 'symlink', data: Buffer.from('to') }, 0)
const rootBlock = nodeOf({ type: 'directory' }, count)

const files = {
  blocks: () => ({
    checksBlocks: true,
    async * get (cid: CID) { yield root.equals(cid) ? rootBlock : entry },
    has: notCalled
  }),
  cat: notCalled,
  stat: notCalled
} satisfies Pick<Ipfsz, 'blocks' | 'cat' | 'stat'>

const options = {
  files,
  small: leavesAll,
  limits: new WriteLimits(target),
  waiting: new SpillStack<never>(`${target}.waiting`),
  concurrency: 1,
  progress,
  signal
}

if (task === 'measure') {
  const { entries } = await measureTree(target, root, options)

  if (entries !== count + 1) {
    throw new Error(`${entries} entries were counted`)
  }
} else {
  await writeTree(target, { cid: root }, {
    ...options,
    beforeMore: async () => {},
    allowSymlinks: false,
    whileRemoving: async remove => remove()
  })
}

function cidOf (number: number): CID {
  const digest = new Uint8Array(32)
  new DataView(digest.buffer).setUint32(0, number)

  return CID.createV1(dagPb.code, create(0x12, digest))
}

/** A block with so many links. It is no object of the heap. */
function nodeOf (node: ConstructorParameters<typeof UnixFS>[0], links: number): Uint8Array {
  const data = dagPb.encode({ Data: new UnixFS(node).marshal(), Links: [] })
  const encoded = Array.from({ length: links }, (_, i) => dagPb.encode({
    Links: [{ Hash: cidOf(i + 1), Name: String(i).padStart(200, '0'), Tsize: 10 }]
  }))

  return Buffer.concat([...encoded, data])
}

function notCalled (): never {
  throw new Error('there are no files in this directory')
}
