import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { syncDirectory } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { Key } from 'interface-datastore'
import { beginBlockSetting, DEFAULT_LAYOUT, readBlockSetting } from '../blocks/block-setting.ts'
import { ownBlocks } from '../blocks/own-blocks.ts'
import { RepoError, StoreError, StoreMissingError } from '../errors.ts'
import { readKeptMark } from './kept-mark.ts'
import { statIfThere } from '../disk/read-input.ts'
import { checkIsSame, checkRepoPath, makeRepoDirectory } from '../disk/repo-directory.ts'
import { checkNotShared } from '../disk/shared-path.ts'
import { readReference } from '@ipfsz/shared-store/reference'
import { linksOf } from './link-store.ts'
import { RepoDatastore } from './repo-datastore.ts'
import { absolutePath } from '../paths.ts'
import type { Environment, WorkingDirectory } from '../paths.ts'
import type { BlockStorage } from '@ipfsz/shared-store/storage'
import type { BackendInit } from '@ipfsz/shared-store/places'
import type { Links, Records } from '@ipfsz/shared-store/records'
import type { SharedStore } from '@ipfsz/shared-store'
import type { PackBlocks, SessionPackBlocks } from '@ipfsz/shared-store/packs'
import type { StoreSession } from '@ipfsz/shared-store/sessions'
import type { BlockLayout, BlockSetting } from '../blocks/block-setting.ts'
import type { OwnBlocks } from '../blocks/own-blocks.ts'
import type { Blockstore } from 'interface-blockstore'

/** The key of the datastore's version, which is Helia's, and the only version that ipfsz can open. */
const VERSION_KEY = new Key('/version')
const VERSION = '1'

/** Set in repos that always had pins: whatever is not pinned there may be deleted. */
const PINS_KEY = new Key('/ipfsz/keeps-pins')

/**
 * The repo of a node. Its directory has what is the node's own: keys, locks, settings, caches, what it published, the
 * index of originals. Blocks, pins, histories and links are there too, or in a store that other nodes share.
 */
export interface Repo {
  /** The directory. */
  readonly path: string
  /** Where the blocks lie, compressed or not. */
  readonly storage: BlockStorage
  /** The blocks by their CIDs, decompressed. */
  readonly blockstore: Blockstore
  /** Pins and histories. */
  readonly records: Records
  readonly links: Links
  /** The node's own records. */
  readonly datastore: RepoDatastore
  /** The store that other nodes share. Undefined: the repo keeps everything itself. */
  readonly shared?: SharedStore
  /** Protects what this process adds from collections of other nodes. Only while it adds to a store. */
  readonly session?: StoreSession
  /**
   * The packs, for those who read or write many blocks at a time. A conversion may move blocks out of them: what is not
   * there, `blockstore` still finds. Undefined: blocks are files, or in a store.
   */
  readonly packs?: OwnBlocks['packs']
  /** The packs of a shared store, as `session` sees them. Undefined: there is no session, or the store has no packs. */
  readonly sessionPacks?: SessionPackBlocks | undefined
  /** Reads blocks that are wanted together from a store of packs, as `blockstore` does. Undefined: there is none. */
  readonly together?: Pick<PackBlocks, 'expect' | 'getTogether'> | undefined
  /** Resolves when no put runs any more, and what is open is closed. */
  readonly close: () => Promise<void>
}

export interface RepoInit extends BackendInit {
  /**
   * Whether writes survive a power cut once `storage.sync` returns. Without it writes are faster: enough for blocks
   * that can be fetched again.
   *
   * @default true
   */
  sync?: boolean
  /**
   * Whether what this node has kept of a store over the network may be read while the store is away. Only for reading.
   *
   * @default false
   */
  readsKept?: boolean
  /**
   * How a new repo keeps its blocks.
   *
   * @default 'packs'
   */
  layout?: BlockLayout | undefined
}

/**
 * The directory of the repo: the one asked for, or the default.
 *
 * @throws {RepoError} none is asked for, and there is no home directory for the default
 */
export function repoPath (path: string | undefined, io: WorkingDirectory & { env: Environment }): string {
  const repo = path == null || path === '' ? defaultRepoPath(io) : absolutePath(path, io)

  if (repo == null) {
    throw new RepoError(
      'There is no home directory for the repo: HOME is empty, or not an absolute path',
      { problem: 'no-home' }
    )
  }

  return repo
}

/**
 * The directory of a repo that is about to be used.
 *
 * @throws {RepoError} there is none, or everybody on this machine could replace it
 */
export function safeRepoPath (path: string | undefined, io: WorkingDirectory & { env: Environment }): string {
  const repo = repoPath(path, io)
  checkNotShared(repo, io)

  return repo
}

/** The directory of the repo if none is asked for: `$IPFSZ_PATH`, or `~/.ipfsz`. Undefined without a home directory. */
export function defaultRepoPath (io: WorkingDirectory & { env: Environment }): string | undefined {
  const { IPFSZ_PATH: path } = io.env

  if (path != null && path !== '') {
    return absolutePath(path, io)
  }

  const home = homeDirectory()

  // never the working directory, which may be published: a repo has private keys
  return home != null && isAbsolute(home) ? join(home, '.ipfsz') : undefined
}

/** The home directory, or undefined for a user without one, as in a container. */
function homeDirectory (): string | undefined {
  try {
    return homedir()
  } catch {
    return undefined
  }
}

/** The directory of the blocks that a repo keeps itself. */
export function blocksIn (repo: string): string {
  return join(repo, 'blocks')
}

/** The record of files that did not change since they were added. It may be deleted while nothing adds. */
export function knownFilesIn (repo: string): string {
  return join(repo, 'known-files')
}

/**
 * Open the repo in a directory for reading and writing, and create it if there is none. Several processes may have it
 * open.
 *
 * @throws {RepoError} it cannot be opened, or has an unknown version
 */
export async function openRepo (path: string, init?: RepoInit): Promise<Repo> {
  const before = await statIfThere(path)

  try {
    return await openToWrite(path, init)
  } finally {
    // also in place of the error that follows from it
    if (before != null) {
      await checkIsSame(path, before)
    }
  }
}

async function openToWrite (path: string, init?: RepoInit): Promise<Repo> {
  const repo = await repoIn(path, init, true)

  try {
    await makeRepoDirectory(path)
    await repo.storage.open()
    await repo.datastore.open()
  } catch (err) {
    await repo.close().catch(() => {})
    init?.signal?.throwIfAborted()
    throw err instanceof RepoError || err instanceof StoreError || err instanceof StoreMissingError
      ? err
      : cannotOpen(path, err)
  }

  // empty if this process made the repo, or another was killed while making it
  if (await readVersion(repo) === '') {
    await makeDurable(repo)
  }

  return repo
}

/** Open the repo in a directory for reading only. Changes nothing, so it may lie on a read-only disk. */
export async function openRepoToRead (path: string, init?: RepoInit): Promise<Repo> {
  const repo = await repoIn(path, init)

  try {
    await access(repo.shared == null ? blocksIn(path) : path)
  } catch (err) {
    throw new RepoError(`There is no repo in ${path}`, { problem: 'missing', cause: err })
  }

  await readVersion(repo)

  return repo
}

/**
 * Open the repo in a directory, and create it if there is none. One that is there may lie on a read-only disk.
 *
 * @throws {RepoError} it cannot be opened or created, or has an unknown version
 */
export async function openOrCreateRepo (path: string, init?: RepoInit): Promise<Repo> {
  try {
    return await openRepoToRead(path, init)
  } catch (err) {
    if (!(err instanceof RepoError)) {
      throw err
    }

    return openRepo(path, init)
  }
}

/** Whether a repo always had pins. False for repos of older versions of ipfsz, which had none. */
export async function keepsPins ({ datastore }: Pick<Repo, 'datastore'>): Promise<boolean> {
  return datastore.has(PINS_KEY)
}

/** Record that whatever is not pinned may be deleted. */
export async function setKeepsPins ({ datastore }: Pick<Repo, 'datastore'>): Promise<void> {
  await datastore.put(PINS_KEY, new TextEncoder().encode('1'))
}

/**
 * Write the version of a new repo. Always synced, and so are the repo's directory and those above, which may be new
 * too: a process that finds the version relies on them.
 */
async function makeDurable (repo: Repo): Promise<void> {
  for (let directory = repo.path; directory !== dirname(directory); directory = dirname(directory)) {
    await syncDirectory(directory)
  }

  const datastore = new RepoDatastore(repo.datastore.path, { sync: true })

  await setKeepsPins({ datastore })
  await datastore.put(VERSION_KEY, new TextEncoder().encode(VERSION))
}

/** @param creates - whether a new repo gets a setting of how it keeps its blocks */
async function repoIn (
  path: string,
  { sync = true, readsKept = false, layout = DEFAULT_LAYOUT, ...init }: RepoInit = {},
  creates = false
): Promise<Repo> {
  await checkRepoPath(path)
  const datastore = new RepoDatastore(join(path, 'datastore'), { sync })
  const reference = await readReference(path)

  if (reference != null) {
    const { openStore } = await import('@ipfsz/shared-store')
    const readKept = readsKept ? async () => readKeptMark(path) : undefined

    const store = await openStore(reference, {
      ...init, readKeptMark: readKept, indexDirectory: join(path, 'store-index')
    })

    const together = store.shared.packs?.reading

    return { path, datastore, ...store, together, close: async () => store.storage.settled() }
  }

  const setting = await readBlockSetting(path) ??
    (creates && !await exists(blocksIn(path)) ? await beginRepo(path, layout) : { layout: 'files' })
  const blocks = await ownBlocks({ repo: path, directory: blocksIn(path), setting, sync })

  return { path, ...blocks, records: datastore, links: linksOf(path), datastore }
}

/** Settle how a new repo keeps its blocks, before anything of it is there. */
async function beginRepo (path: string, layout: BlockLayout): Promise<BlockSetting> {
  try {
    await makeRepoDirectory(path)

    return await beginBlockSetting(path, { layout })
  } catch (err) {
    throw err instanceof RepoError ? err : cannotOpen(path, err)
  }
}

async function exists (path: string): Promise<boolean> {
  return access(path).then(() => true, () => false)
}

function cannotOpen (path: string, cause: unknown): RepoError {
  return new RepoError(`Cannot open the repo ${path}: ${messageOf(cause)}`, { cause })
}

/** The version of a repo, or '' if it has none yet. */
async function readVersion ({ path, datastore }: Repo): Promise<string> {
  const version = await datastore.has(VERSION_KEY) ? new TextDecoder().decode(await datastore.get(VERSION_KEY)) : ''

  if (version !== '' && version !== VERSION) {
    throw new RepoError(
      `The repo ${path} has version ${version}, but this ipfsz supports only ${VERSION}: use the ipfsz that created it`
    )
  }

  return version
}
