import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { SharedFsBlockstore, syncDirectory } from '@ipfsz/blockstore-compressed/fs'
import { Key } from 'interface-datastore'
import { RepoError } from '../errors.ts'
import { PlainRepoBlockstore } from './repo-plain-blockstore.ts'
import { readCompression } from './repo-compression.ts'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import { RepoDatastore } from './repo-datastore.ts'
import type { Io } from '../io.ts'
import type { RepoCompression } from './repo-compression.ts'
import type { Blockstore } from 'interface-blockstore'

/** Where Helia keeps the version of a datastore, and the version this software knows. */
const VERSION_KEY = new Key('/version')
const VERSION = '1'

/** There in repos where everything that was added is pinned, or was meant not to be. */
const PINS_KEY = new Key('/ipfsz/keeps-pins')

/** Where blocks and data are kept: `blocks/` and `datastore/`. */
export interface Repo {
  readonly path: string
  /** The files of the blocks. */
  readonly disk: SharedFsBlockstore
  /** The blocks, whatever they are stored as. */
  readonly blockstore: Blockstore
  readonly datastore: RepoDatastore
}

export interface RepoInit {
  /**
   * Whether what is written survives a loss of power, as soon as `disk.sync` returns.
   * Who only keeps what others have need not wait for the disk.
   *
   * @default true
   */
  sync?: boolean
}

/** The directory of the repo: the one asked for, `$IPFSZ_PATH`, or `~/.ipfsz`. */
export function repoPath (path: string | undefined, { env, cwd }: Pick<Io, 'env' | 'cwd'>): string {
  return resolve(cwd, path || env.IPFSZ_PATH || join(homedir(), '.ipfsz'))
}

/**
 * Open the repo in a directory to write to it, making one where there is none.
 * Several processes may have it open.
 *
 * @throws {RepoError} it cannot be opened, or is of another version
 */
export async function openRepo (path: string, init?: RepoInit): Promise<Repo> {
  const repo = await repoIn(path, init)

  try {
    await makeRepoDirectory(path)
    await repo.disk.open()
    await repo.datastore.open()
  } catch (err) {
    throw new RepoError(`The repo ${path} cannot be opened: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }

  // none where this process made the repo, or another was killed while it did
  if (await readVersion(repo) === '') {
    await makeDurable(repo)
  }

  return repo
}

/**
 * Open the repo in a directory to read from it. Nothing is made or changed, so it
 * may lie on a disk that cannot be written to.
 *
 * @throws {RepoError} there is none, or it is of another version
 */
export async function openRepoToRead (path: string, init?: RepoInit): Promise<Repo> {
  const repo = await repoIn(path, init)

  try {
    await access(repo.disk.path)
  } catch (err) {
    throw new RepoError(`There is no repo in ${path}: add a file first, or name another with --repo or IPFSZ_PATH`, { cause: err })
  }

  await readVersion(repo)

  return repo
}

/** Whether all that was ever added to a repo could be pinned: older versions of ipfsz had no pins. */
export async function keepsPins ({ datastore }: Repo): Promise<boolean> {
  return datastore.has(PINS_KEY)
}

/** From now on what is not pinned is not wanted. */
export async function setKeepsPins ({ datastore }: Repo): Promise<void> {
  await datastore.put(PINS_KEY, new TextEncoder().encode('1'))
}

/**
 * Synced whatever comes after: whoever finds the version counts on the way to the repo,
 * which is as new, and so may directories above it be.
 */
async function makeDurable (repo: Repo): Promise<void> {
  for (let directory = repo.path; directory !== dirname(directory); directory = dirname(directory)) {
    await syncDirectory(directory)
  }

  const datastore = new RepoDatastore(repo.datastore.path, { sync: true })

  await setKeepsPins({ ...repo, datastore })
  await datastore.put(VERSION_KEY, new TextEncoder().encode(VERSION))
}

async function repoIn (path: string, { sync = true }: RepoInit = {}): Promise<Repo> {
  const disk = new SharedFsBlockstore(join(path, 'blocks'), { sync })
  const compression = await readCompression(path)

  return {
    path,
    disk,
    blockstore: compression == null ? new PlainRepoBlockstore(disk) : await compressed(disk, compression),
    datastore: new RepoDatastore(join(path, 'datastore'), { sync })
  }
}

async function compressed (disk: SharedFsBlockstore, compression: RepoCompression): Promise<Blockstore> {
  const { CompressedBlockstore } = await import('@ipfsz/blockstore-compressed')

  return new CompressedBlockstore(disk, compression)
}

/** The version of a repo, empty where it has none yet. */
async function readVersion ({ path, datastore }: Repo): Promise<string> {
  const version = await datastore.has(VERSION_KEY) ? new TextDecoder().decode(await datastore.get(VERSION_KEY)) : ''

  if (version !== '' && version !== VERSION) {
    throw new RepoError(`The repo ${path} is of version ${version}, this ipfsz knows version ${VERSION}`)
  }

  return version
}
