import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, createZstdDecompress, zstdCompress } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { run } from '../test/support/tools.ts'
import { measure, median, rotate, rounded, spread } from './benchmark.ts'
import { CountingBlockstore } from './support/blocks.ts'
import { withCorpus } from './support/corpus.ts'
import { PLAIN } from './support/file-systems.ts'
import { listTrees, sizeOf } from './support/trees.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Tree } from './support/trees.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How often each tree is added and read as a whole, by each side. */
const ROUNDS = 1

/** How often one file is read for each figure. Garbage collections take ten times as long as a read, and hit some. */
const SINGLE_READS = 9

interface Side {
  name: string
  add (tree: Tree, blockstore: CountingBlockstore): Promise<CID>
  /** Read all files, or one: returns how many bytes they have. */
  read (cid: CID, paths: readonly string[], blockstore: CountingBlockstore, tree: Tree): Promise<number>
}

interface Measured {
  add: number
  readAll: number
  readOne: number
  ones: number[]
  blocks: number
  bytes: number
  oneBlocks: number
  oneBytes: number
}

export const benchmark: Benchmark = {
  question: 'how many bytes many small files take up, and how long it takes to add all, to read all and to read one',
  inputs: ['corpus'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const rows: Row[] = []

      for (const tree of listTrees(corpus, options)) {
        const measured = await compare(tree, corpus.directory, ROUNDS)
        rows.push(...SIDES.map(side => toRow(side, tree, measured)))
      }

      return [{
        title: `Trees of ${corpus.source}, on an FsBlockstore. Duplicate files are added once; the tar has them all`,
        rows
      }]
    })
  }
}

const SIDES: readonly Side[] = [
  {
    name: PLAIN,
    add: addWith(blockstore => unixfs({ blockstore })),
    read: readWith(blockstore => unixfs({ blockstore }))
  },
  {
    name: 'ipfsz',
    add: addWith(blockstore => ipfsz({ blockstore })),
    read: readWith(blockstore => ipfsz({ blockstore }))
  },
  {
    name: 'ipfsz, cut by content',
    add: addWith(blockstore => withCompression(ipfsz({ blockstore }), { cut: 'content' })),
    read: readWith(blockstore => ipfsz({ blockstore }))
  },
  {
    name: 'ipfsz, dictionaries',
    add: addWith(blockstore => withCompression(ipfsz({ blockstore }), { dictionaries: 'auto' })),
    read: readWith(blockstore => ipfsz({ blockstore }))
  },
  { name: 'one .tar.zst', add: addTar, read: readTar }
]

type Files = Pick<ReturnType<typeof unixfs>, 'addAll' | 'cat'>

function addWith (create: (blockstore: CountingBlockstore) => Files): Side['add'] {
  return async ({ directory, paths }, blockstore) => {
    let root: CID | undefined

    async function * candidates (): AsyncGenerator<{ path: string, content: Uint8Array }> {
      for (const path of paths) {
        yield { path, content: await readFile(join(directory, path)) }
      }
    }

    for await (const { cid } of create(blockstore).addAll(candidates(), { wrapWithDirectory: true })) {
      root = cid
    }

    return root as CID
  }
}

function withCompression (fs: ReturnType<typeof ipfsz>, compression: CompressionOptions): Files {
  return { addAll: (source, options) => fs.addAll(source, { ...options, compression }), cat: fs.cat.bind(fs) }
}

function readWith (create: (blockstore: CountingBlockstore) => Files): Side['read'] {
  return async (cid, paths, blockstore) => {
    const files = create(blockstore)
    let read = 0

    for (const path of paths) {
      for await (const chunk of files.cat(cid, { path })) {
        read += chunk.byteLength
      }
    }

    return read
  }
}

async function addTar ({ directory }: Tree, blockstore: CountingBlockstore): Promise<CID> {
  // the same bytes, no matter who unpacked the package, and when
  const tar = await run('tar', [
    '--create',
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=644',
    '--directory',
    directory,
    '.'
  ])
  const compressed = await promisify(zstdCompress)(tar, { params: { [constants.ZSTD_c_compressionLevel]: 3 } })

  return unixfs({ blockstore }).addBytes(compressed)
}

/** Decompresses all of the tar for all files, and half of it for one file, which is the average. */
async function readTar (
  cid: CID,
  paths: readonly string[],
  blockstore: CountingBlockstore,
  tree: Tree
): Promise<number> {
  const half = paths.length < tree.paths.length
  const decompress = createZstdDecompress()
  let read = 0

  const feed = (async () => {
    for await (const chunk of unixfs({ blockstore }).cat(cid)) {
      if (half && read > tree.size / 2) {
        break
      }

      if (!decompress.write(chunk)) {
        await new Promise(resolve => { decompress.once('drain', resolve) })
      }
    }

    decompress.end()
  })()

  // if reading stopped early, the decoder reports that the rest is missing
  decompress.on('error', () => {})

  await new Promise<void>(resolve => {
    decompress.on('data', chunk => { read += (chunk as Buffer).byteLength })
    decompress.on('close', resolve)
  })
  await feed

  if (read < (half ? tree.size / 2 : tree.size)) {
    throw new Error(`${read} bytes of files were read from a tar instead of ${tree.size}`)
  }

  return half ? sizeOf(tree, paths) : tree.size
}

async function compare (tree: Tree, directory: string, rounds: number): Promise<Map<string, Measured[]>> {
  const measured = new Map<string, Measured[]>(SIDES.map(({ name }) => [name, []]))
  const one = [tree.paths[Math.floor(tree.paths.length / 2)]]

  for (let round = 0; round < rounds; round++) {
    for (const side of rotate(SIDES, round)) {
      const store = join(directory, 'store')
      const inner = new FsBlockstore(store)
      await inner.open()
      const blockstore = new CountingBlockstore(inner)
      let cid: CID | undefined

      const { wall: add } = await measure(async () => { cid = await side.add(tree, blockstore) })
      const { wall: readAll } = await measure(
        async () => check(await side.read(cid as CID, tree.paths, blockstore, tree), tree.size)
      )
      const { blocksRead, bytesRead } = blockstore
      const ones: number[] = []

      for (let i = 0; i < SINGLE_READS; i++) {
        const { wall } = await measure(
          async () => check(await side.read(cid as CID, one, blockstore, tree), sizeOf(tree, one))
        )
        ones.push(wall)
      }

      measured.get(side.name)?.push({
        add,
        readAll,
        readOne: median(ones),
        ones,
        blocks: blockstore.blocks,
        bytes: blockstore.bytes,
        oneBlocks: (blockstore.blocksRead - blocksRead) / SINGLE_READS,
        oneBytes: (blockstore.bytesRead - bytesRead) / SINGLE_READS
      })
      await rm(store, { recursive: true })
    }
  }

  return measured
}

function toRow ({ name }: Side, tree: Tree, measured: Map<string, Measured[]>): Row {
  const all = measured.get(name) ?? []
  const plain = measured.get(PLAIN) ?? []
  const of = (values: readonly Measured[], key: Exclude<keyof Measured, 'ones'>): number =>
    median(values.map(measured => measured[key]))

  return {
    tree: tree.name,
    files: tree.paths.length,
    MB: rounded(tree.size / 1e6),
    side: name,
    'stored / original': Number((of(all, 'bytes') / tree.size).toFixed(4)),
    blocks: of(all, 'blocks'),
    'add, ms': rounded(of(all, 'add')),
    'add, spread': spread(all.map(({ add }) => add)),
    'add, times as fast': rounded(of(plain, 'add') / of(all, 'add')),
    'read all, ms': rounded(of(all, 'readAll')),
    'read all, spread': spread(all.map(({ readAll }) => readAll)),
    'read all, times as fast': rounded(of(plain, 'readAll') / of(all, 'readAll')),
    'read one, ms': rounded(of(all, 'readOne')),
    'read one, spread': spread(all.flatMap(({ ones }) => ones)),
    'read one, times as fast': rounded(of(plain, 'readOne') / of(all, 'readOne')),
    'read one, blocks': of(all, 'oneBlocks'),
    'read one, KiB': rounded(of(all, 'oneBytes') / 1024)
  }
}

function check (read: number, size: number): void {
  if (read !== size) {
    throw new Error(`${read} bytes were read instead of ${size}`)
  }
}
