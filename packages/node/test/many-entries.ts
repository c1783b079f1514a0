/**
 * A worker thread that measures or writes a directory of many entries, for `tree-memory.test.ts`. The entries come
 * from a fake `ls`, one by one, so that only the code under test can fill the thread's heap.
 */
import { workerData } from 'node:worker_threads'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { measureTree } from '../src/disk/measure-tree.ts'
import { SpillStack } from '../src/disk/spill-stack.ts'
import { WriteLimits } from '../src/disk/write-limits.ts'
import { writeTree } from '../src/disk/write-tree.ts'
import type { ManyEntries } from './tree-memory.test.ts'
import type { WaitingDirectory, WaitingSymlink } from '../src/disk/tree-writer.ts'
import type { DirectoryEntry } from '@ipfsz/core'

const { task, count, target } = workerData as ManyEntries
const root = cidOf(0)
const limits = new WriteLimits(target)
const progress = { update () {}, end () {} }
const { signal } = new AbortController()

const files = {
  async * ls (cid: CID | string): AsyncGenerator<DirectoryEntry> {
    for (let i = 1; root.equals(cid) && i <= count; i++) {
      yield task === 'measure' ? directoryEntry(i) : symlinkEntry(i)
    }
  },
  cat: notCalled,
  stat: notCalled
}

if (task === 'measure') {
  const directories = stack<string>('measured')
  const { entries } = await measureTree(target, root, { files, limits, directories, progress, signal })

  if (entries !== count + 1) {
    throw new Error(`${entries} entries were counted`)
  }
} else {
  const waiting = {
    directories: stack<WaitingDirectory>('directories'),
    symlinks: stack<WaitingSymlink>('symlinks')
  }

  await writeTree(target, { cid: root }, { files, limits, progress, signal, allowSymlinks: false, waiting })
}

function cidOf (number: number): CID {
  const digest = new Uint8Array(32)
  new DataView(digest.buffer).setUint32(0, number)

  return CID.createV1(0x70, create(0x12, digest))
}

function directoryEntry (number: number): DirectoryEntry {
  return { ...entry(number), type: 'directory' } as DirectoryEntry
}

function symlinkEntry (number: number): DirectoryEntry {
  const unixfs = new UnixFS({ type: 'symlink', data: new TextEncoder().encode(`to/${number}`) })

  return { ...entry(number), type: 'file', unixfs } as DirectoryEntry
}

/** The padding makes an entry take 4 KiB of the heap, so that few of them fill it. */
function entry (number: number): object {
  const cid = cidOf(number)

  return {
    name: `entry ${number}`,
    cid,
    plainCid: cid,
    size: 0n,
    padding: Array.from({ length: 512 }, (_, i) => number + i + 0.5)
  }
}

function stack<T> (name: string): SpillStack<T> {
  return new SpillStack(`${target}.${name}`)
}

function notCalled (): never {
  throw new Error('there are no files in this directory')
}
