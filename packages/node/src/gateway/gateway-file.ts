import { join } from 'node:path'
import { removeFile } from '@ipfsz/utils/while-open'
import { takeLock } from '../locks/lock-files.ts'
import { readServerFile, readServerValues, writeServerFile } from '../locks/server-file.ts'

const VERSION = 1

/** The kind of lock that a gateway holds. It excludes nobody: it only says that the gateway still runs. */
const KIND = 'gateway'

/** Errors of a read-only repo. */
const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM'])

/** The longest URL of a gateway, in characters. */
const MAX_URL_LENGTH = 512

/**
 * Let `ipfsz add` find this gateway, until the returned function is called or the process ends. Of several
 * gateways of one repo, it finds the one that started last.
 *
 * @param url - without a slash at its end
 * @returns undefined if the repo is read-only
 */
export async function announceGateway (repo: string, url: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await announce(repo, url)
  } catch (err) {
    if (READ_ONLY.has((err as NodeJS.ErrnoException).code ?? '')) {
      return undefined
    }

    throw err
  }
}

async function announce (repo: string, url: string): Promise<() => Promise<void>> {
  const lock = await takeLock(repo, KIND)

  try {
    await writeServerFile(fileIn(repo), { version: VERSION, pid: process.pid, lock: lock.name, url })
  } catch (err) {
    await lock.release()
    throw err
  }

  return async () => {
    const current = await readServerValues(fileIn(repo))

    // another gateway may have started since
    if (current?.lock === lock.name) {
      await removeFile(fileIn(repo))
    }

    await lock.release()
  }
}

/** The URL of the gateway that serves a repo, without a slash at its end. Undefined if none can be reached. */
export async function findGateway (repo: string): Promise<string | undefined> {
  const { url } = await readServerFile(repo, fileIn(repo), VERSION) ?? {}

  return typeof url === 'string' && url.length <= MAX_URL_LENGTH && /^http:\/\/[\w.:[\]-]+$/.test(url)
    ? url
    : undefined
}

function fileIn (repo: string): string {
  return join(repo, 'gateway.json')
}
