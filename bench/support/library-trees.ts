import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { measure, median, rotate, rounded } from '../benchmark.ts'
import { CountingBlockstore } from './blocks.ts'
import { PLAIN } from './file-systems.ts'
import { quote } from './command-lines.ts'
import { runCommand } from './run-command.ts'
import type { Row } from '../benchmark.ts'
import type { Tree } from './trees.ts'
import type { CID } from 'multiformats/cid'

/** How often one file is read for each figure. Garbage collections take ten times as long as a read, and hit some. */
const SINGLE_READS = 9

type Files = Pick<ReturnType<typeof unixfs>, 'addAll' | 'cat'>

const SIDES: Readonly<Record<string, (blockstore: CountingBlockstore) => Files>> = {
  [PLAIN]: blockstore => unixfs({ blockstore }),
  ipfsz: blockstore => ipfsz({ blockstore }),
  'ipfsz, dictionaries': blockstore => {
    const fs = ipfsz({ blockstore })

    return {
      addAll: (source, options) => fs.addAll(source, { ...options, compression: { dictionaries: 'auto' } }),
      cat: fs.cat.bind(fs)
    }
  }
}

interface Measured {
  stored: number
  add: number
  readAll: number
  readOne: number
}

/** Add a tree with each side of the library, and read all files of it, and one. */
export async function measureTree (tree: Tree, directory: string): Promise<Row[]> {
  const measured = new Map<string, Measured>()

  for (const side of rotate(Object.keys(SIDES), tree.paths.length)) {
    measured.set(side, await measureSide(SIDES[side], tree, join(directory, 'store')))
  }

  const { stdout } = await runCommand(`tar -C ${quote(tree.directory)} -c . | zstd -3 -c | wc -c`, process.env)
  const plain = measured.get(PLAIN)

  return Object.keys(SIDES).flatMap(side => {
    const own = measured.get(side)

    return own == null || plain == null ? [] : [{
      tree: tree.name,
      files: tree.paths.length,
      MB: rounded(tree.size / 1e6),
      side,
      'stored / original': Number((own.stored / tree.size).toFixed(4)),
      'stored / one .tar.zst': rounded(own.stored / Number(stdout)),
      'add, ms': rounded(own.add),
      'add, times as fast': rounded(plain.add / own.add),
      'read all, ms': rounded(own.readAll),
      'read all, times as fast': rounded(plain.readAll / own.readAll),
      'read one, ms': rounded(own.readOne),
      'read one, times as fast': rounded(plain.readOne / own.readOne)
    }]
  })
}

async function measureSide (open: typeof SIDES[string], tree: Tree, store: string): Promise<Measured> {
  const inner = new FsBlockstore(store)
  await inner.open()
  const blockstore = new CountingBlockstore(inner)
  const fs = open(blockstore)
  const added = await measure(async () => addTree(fs, tree))
  const all = await measure(async () => read(fs, added.result, tree.paths))

  if (all.result !== tree.size) {
    throw new Error(`${all.result} bytes were read instead of ${tree.size}`)
  }

  const one = tree.paths[Math.floor(tree.paths.length / 2)]
  const ones: number[] = []

  for (let i = 0; i < SINGLE_READS; i++) {
    ones.push((await measure(async () => read(open(blockstore), added.result, [one]))).wall)
  }

  await rm(store, { recursive: true })

  return { stored: blockstore.bytes, add: added.wall, readAll: all.wall, readOne: median(ones) }
}

async function addTree (fs: Files, { directory, paths }: Tree): Promise<CID> {
  let root: CID | undefined

  async function * candidates (): AsyncGenerator<{ path: string, content: Uint8Array }> {
    for (const path of paths) {
      yield { path, content: await readFile(join(directory, path)) }
    }
  }

  for await (const { cid } of fs.addAll(candidates(), { wrapWithDirectory: true })) {
    root = cid
  }

  return root as CID
}

async function read (fs: Files, cid: CID, paths: readonly string[]): Promise<number> {
  let bytes = 0

  for (const path of paths) {
    for await (const chunk of fs.cat(cid, { path })) {
      bytes += chunk.byteLength
    }
  }

  return bytes
}
