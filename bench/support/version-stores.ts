import { globSync, statSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { rabin } from 'ipfs-unixfs-importer/chunker'
import { run } from '../../test/support/tools.ts'
import { sum } from '../benchmark.ts'
import { PLAIN } from './file-systems.ts'
import { createRepo, environment } from './kubo.ts'
import type { UnixFS } from '@helia/unixfs'
import type { CompressionOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Where the versions of a file are stored. */
export interface VersionStore {
  /** Store the next version, which is also in a file. */
  add (bytes: Uint8Array, path: string): Promise<void>
  /** Bytes of everything that is stored. */
  stored (): number
  /** The version that was added last. */
  readLast (): Promise<Uint8Array>
}

export interface VersionSide {
  name: string
  /** Make an empty store in an empty directory. */
  open (directory: string): Promise<VersionStore>
}

/** Chunks of the size that frames have in files that IPFSz cuts by content. */
const RABIN = { minChunkSize: 64 * 1024, avgChunkSize: 128 * 1024, maxChunkSize: 256 * 1024 }

const RESTIC = { RESTIC_PASSWORD: 'bench' }

/** The compared libraries. */
export const LIBRARY_SIDES: readonly VersionSide[] = [
  { name: PLAIN, open: plainStore({}) },
  { name: `${PLAIN}, cut by content`, open: plainStore({ chunker: rabin(RABIN) }) },
  { name: 'ipfsz', open: compressedStore(() => ({})) },
  { name: 'ipfsz, cut by content', open: compressedStore(() => ({ cut: 'content' })) },
  { name: 'ipfsz, with a base', open: compressedStore(base => ({ codec: 'zstd', base })) }
]

/** The compared tools, which are started for each step. Those that are not installed are left out. */
export const TOOL_SIDES: readonly VersionSide[] = [
  { name: 'zstd --patch-from', open: openPatches },
  ...isInstalled('ipfs') ? [{ name: 'Kubo', open: openKubo }] : [],
  ...isInstalled('restic') ? [{ name: 'restic', open: openRestic }] : []
]

interface Files {
  addBytes (bytes: Uint8Array, base?: CID): Promise<CID>
  cat (cid: CID): AsyncIterable<Uint8Array>
}

/** Blocks in files. A base is the version before, or what that refers back to. */
async function openBlocks (
  directory: string,
  create: (blockstore: FsBlockstore) => Files
): Promise<VersionStore> {
  const blockstore = new FsBlockstore(directory)
  await blockstore.open()
  const files = create(blockstore)
  let last: CID | undefined

  return {
    add: async bytes => { last = await files.addBytes(bytes, last) },
    stored: () => bytesIn(directory),
    readLast: async () => Buffer.concat(last == null ? [] : await Array.fromAsync(files.cat(last)))
  }
}

function plainStore (options: Parameters<UnixFS['addBytes']>[1]): VersionSide['open'] {
  return async directory => openBlocks(directory, blockstore => {
    const fs = unixfs({ blockstore })

    return { addBytes: async bytes => fs.addBytes(bytes, options), cat: cid => fs.cat(cid) }
  })
}

function compressedStore (compression: (base?: CID) => CompressionOptions): VersionSide['open'] {
  return async directory => openBlocks(directory, blockstore => {
    const fs = ipfsz({ blockstore })

    return {
      addBytes: async (bytes, base) => fs.addBytes(bytes, { compression: compression(base) }),
      cat: cid => fs.cat(cid)
    }
  })
}

/** The first version, and patches, each against the version before: a chain, that is read from its start. */
async function openPatches (directory: string): Promise<VersionStore> {
  await mkdir(directory, { recursive: true })
  const patches: string[] = []
  let before: string | undefined

  return {
    async add (_bytes, path) {
      const patch = join(directory, `${patches.length}.zst`)
      await run('zstd', ['-q', '-3', ...before == null ? [] : [`--patch-from=${before}`], path, '-o', patch])
      patches.push(patch)
      before = path
    },
    stored: () => sum(patches.map(patch => statSync(patch).size)),
    async readLast () {
      const work = join(directory, 'work')
      await mkdir(work)

      for (const [i, patch] of patches.entries()) {
        const from = i === 0 ? [] : [`--patch-from=${join(work, `${i - 1}`)}`]
        await run('zstd', ['-q', '-d', '--memory=512MB', ...from, patch, '-o', join(work, `${i}`)])
      }

      const bytes = await readFile(join(work, `${patches.length - 1}`))
      await rm(work, { recursive: true })

      return bytes
    }
  }
}

/** A repo. Its blocks are those of plain Helia. */
async function openKubo (directory: string): Promise<VersionStore> {
  await mkdir(directory, { recursive: true })
  await createRepo(directory)
  const blocks = join(directory, 'blocks')
  const empty = bytesIn(blocks)
  const ipfs = async (...args: string[]): Promise<Buffer> =>
    run('ipfs', ['--offline', ...args], undefined, environment(directory))
  let last = ''

  return {
    add: async (_bytes, path) => { last = String(await ipfs('add', '-Q', path)).trim() },
    stored: () => bytesIn(blocks) - empty,
    readLast: async () => ipfs('cat', last)
  }
}

/** A repository, into which a file with the version is backed up. It is encrypted, which cannot be turned off. */
async function openRestic (directory: string): Promise<VersionStore> {
  const [repository, file] = [join(directory, 'repository'), join(directory, 'file')]
  const restic = async (...args: string[]): Promise<Buffer> =>
    run('restic', ['--quiet', '--no-cache', '--repo', repository, ...args], undefined, RESTIC)
  await mkdir(directory, { recursive: true })
  await restic('init', '--repository-version', '2')

  return {
    async add (bytes) {
      await writeFile(file, bytes)
      await restic('backup', '--force', file)
    },
    stored: () => bytesIn(repository),
    readLast: async () => restic('dump', 'latest', file)
  }
}

/** Bytes of all files in a directory. */
function bytesIn (directory: string): number {
  return sum(globSync('**/*', { cwd: directory }).map(path => statSync(join(directory, path)))
    .map(stats => stats.isFile() ? stats.size : 0))
}

function isInstalled (tool: string): boolean {
  return (process.env.PATH ?? '').split(':').some(directory => statSync(join(directory, tool), {
    throwIfNoEntry: false
  }) != null)
}
