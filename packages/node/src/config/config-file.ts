import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { syncDirectory, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import { ConfigError, RepoError } from '../errors.ts'
import { holdFile } from '../locks/kernel-lock.ts'
import { locksIn } from '../locks/lock-files.ts'

/** How long to wait between two tries to lock the settings, in milliseconds. */
const POLL_INTERVAL = 20

/** A text or number as after an option, whether a flag is set, or the values of an option that is repeated. */
export type ConfigValue = string | number | boolean | string[]

/** Settings by their keys, such as `add.codec`. */
export type Config = Readonly<Record<string, ConfigValue>>

/** The file of a repo with settings. */
export function configIn (repo: string): string {
  return join(repo, 'config.json')
}

/**
 * Read the settings of a repo. None if there is no file, or no repo.
 *
 * @throws {ConfigError} the file is damaged, or cannot be read
 * @throws {RepoError} the repo cannot be entered
 */
export async function readConfig (repo: string): Promise<Config> {
  const file = configIn(repo)
  let values: unknown

  try {
    const bytes = await readOwnFile(file)
    values = bytes == null ? {} : JSON.parse(bytes.toString())
  } catch (err) {
    // the repo itself is a file: whatever needs one says so
    if ((err as NodeJS.ErrnoException).code === 'ENOTDIR') {
      return {}
    }

    await checkIsOpen(repo)

    throw new ConfigError(file, undefined, messageOf(err), { cause: err })
  }

  if (typeof values !== 'object' || values == null || Array.isArray(values)) {
    throw new ConfigError(file, undefined, 'it is not an object of settings')
  }

  for (const [key, value] of Object.entries(values)) {
    if (!isValue(value)) {
      throw new ConfigError(file, undefined, `${key} is neither a text, a number, true, false, nor a list of texts`)
    }
  }

  return values as Config
}

/**
 * Change the settings of a repo, which need not exist yet. One process at a time: two changes at once are both kept.
 * Atomic and synced: readers see the old or the new settings, even after a power cut.
 *
 * @param change - gets the settings, and returns the new ones
 * @throws {ConfigError} the file is damaged, or cannot be read
 * @throws {RepoError} the path of the repo leads to a file, or the repo cannot be locked
 */
export async function changeConfig (
  repo: string,
  change: (config: Config) => Config,
  signal?: AbortSignal
): Promise<void> {
  await makeRepoDirectory(repo)
  const release = await lockConfig(repo, signal)

  try {
    const config = change(await readConfig(repo))

    await writeAtomic(configIn(repo), Buffer.from(`${JSON.stringify(config, undefined, 2)}\n`), {
      temporary: `${configIn(repo)}.${randomUUID()}`,
      sync: true
    })
    await syncDirectory(repo)
  } finally {
    release()
  }
}

/** The file is never deleted: a process that waits would hold one that others no longer see. */
async function lockConfig (repo: string, signal?: AbortSignal): Promise<() => void> {
  const directory = locksIn(repo)
  const path = join(directory, 'config')
  await mkdir(directory, { recursive: true })
  // not created by SQLite: its errors do not say why it failed
  await (await open(path, 'a')).close()

  for (;;) {
    signal?.throwIfAborted()
    const release = holdFile(path)

    if (release != null) {
      return release
    }

    // the holder writes a small file: it is done soon, and the kernel frees the lock of a killed one
    await setTimeout(POLL_INTERVAL)
  }
}

async function checkIsOpen (repo: string): Promise<void> {
  await access(repo, constants.X_OK).catch((cause: unknown) => {
    throw new RepoError(`Cannot read the repo ${repo}: ${messageOf(cause)}`, { cause })
  })
}

function isValue (value: unknown): value is ConfigValue {
  return ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every(item => typeof item === 'string'))
}
