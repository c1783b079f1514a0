import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { syncDirectory, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import { ConfigError } from '../errors.ts'

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
 * Write the settings of a repo, which need not exist yet. Atomic and synced: readers see the old or the new ones, even
 * after a power cut.
 *
 * @throws {RepoError} the path of the repo leads to a file
 */
export async function writeConfig (repo: string, config: Config): Promise<void> {
  await makeRepoDirectory(repo)
  await writeAtomic(configIn(repo), Buffer.from(`${JSON.stringify(config, undefined, 2)}\n`), {
    temporary: `${configIn(repo)}.${randomUUID()}`,
    sync: true
  })
  await syncDirectory(repo)
}

function isValue (value: unknown): value is ConfigValue {
  return ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every(item => typeof item === 'string'))
}
