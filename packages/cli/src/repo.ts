import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { FsDatastore } from 'datastore-fs'
import { Key } from 'interface-datastore'
import { RepoError } from './errors.ts'
import { RepoBlockstore } from './repo-blockstore.ts'
import type { Datastore } from 'interface-datastore'

/** Where Helia keeps the version of a datastore, and the version this software knows. */
const VERSION_KEY = new Key('/version')
const VERSION = '1'

/** What a killed process left half written is deleted when it is as old as this, 1 hour. */
const STALE_AFTER = 60 * 60 * 1000

/** Where blocks and data are kept: `blocks/`, `datastore/`, and `tmp/` for what is being written. */
export interface Repo {
  readonly path: string
  readonly blockstore: RepoBlockstore
  readonly datastore: Datastore
}

/** The directory of the repo: the one asked for, `$IPFSZ_PATH`, or `~/.ipfsz`. */
export function repoPath (path?: string): string {
  return resolve(path ?? (process.env.IPFSZ_PATH || join(homedir(), '.ipfsz')))
}

/**
 * Open the repo in a directory, making one where there is none. Several processes
 * may have it open.
 *
 * @throws {RepoError} it cannot be opened, or is of another version
 */
export async function openRepo (path: string): Promise<Repo> {
  const temporary = join(path, 'tmp')
  const blockstore = new RepoBlockstore(join(path, 'blocks'), temporary)
  const datastore = new FsDatastore(join(path, 'datastore'))

  try {
    await mkdir(temporary, { recursive: true })
    await blockstore.open()
    await datastore.open()
  } catch (err) {
    throw new RepoError(`The repo ${path} cannot be opened: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }

  await checkVersion(path, datastore)
  await removeStale(temporary)

  return { path, blockstore, datastore }
}

async function checkVersion (path: string, datastore: Datastore): Promise<void> {
  const version = await datastore.has(VERSION_KEY) ? new TextDecoder().decode(await datastore.get(VERSION_KEY)) : ''

  // empty where a process was killed while it made the repo
  if (version === '') {
    await datastore.put(VERSION_KEY, new TextEncoder().encode(VERSION))
  } else if (version !== VERSION) {
    throw new RepoError(`The repo ${path} is of version ${version}, this ipfsz knows version ${VERSION}`)
  }
}

async function removeStale (temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const file = join(temporary, name)

    try {
      if (Date.now() - (await stat(file)).mtimeMs > STALE_AFTER) {
        await rm(file)
      }
    } catch {
      // another process was faster
    }
  }
}
