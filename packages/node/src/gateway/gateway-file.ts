import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { loopback } from '../daemon/daemon-file.ts'
import { isHeld } from '../locks/kernel-lock.ts'
import { locksIn, takeLock } from '../locks/lock-files.ts'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { removeFile, retryWhileOpen } from '@ipfsz/utils/while-open'

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
    await writeGatewayFile(repo, url, lock.name)
  } catch (err) {
    await lock.release()
    throw err
  }

  return async () => {
    const current = await readValue(repo)

    // another gateway may have started since
    if (current?.lock === lock.name) {
      await removeFile(fileIn(repo))
    }

    await lock.release()
  }
}

/**
 * The URL of the gateway that serves a repo, without a slash at its end. Ignores the file of a gateway that
 * was killed, and of one in another network namespace: its loopback is not ours.
 *
 * @returns undefined if none can be reached
 */
export async function findGateway (repo: string): Promise<string | undefined> {
  const { version, lock, loopback: at, url } = await readValue(repo) ?? {}

  if (version !== VERSION || typeof lock !== 'string' || typeof url !== 'string' || basename(lock) !== lock) {
    return undefined
  }

  if (url.length > MAX_URL_LENGTH || !/^http:\/\/[\w.:[\]-]+$/.test(url) || at !== await loopback()) {
    return undefined
  }

  try {
    return isHeld(join(locksIn(repo), lock)) ? url : undefined
  } catch {
    // the lock is another user's
    return undefined
  }
}

async function writeGatewayFile (repo: string, url: string, lock: string): Promise<void> {
  const temporary = `${fileIn(repo)}.${randomUUID()}`
  const content = { version: VERSION, pid: process.pid, lock, loopback: await loopback(), url }

  try {
    await writeFile(temporary, `${JSON.stringify(content)}\n`, { flag: 'wx' })
    await retryWhileOpen(async () => rename(temporary, fileIn(repo)))
  } finally {
    await rm(temporary, { force: true })
  }
}

async function readValue (repo: string): Promise<Record<string, unknown> | undefined> {
  try {
    return JSON.parse(String(await readOwnFile(fileIn(repo)))) as Record<string, unknown>
  } catch {
    return undefined
  }
}

function fileIn (repo: string): string {
  return join(repo, 'gateway.json')
}
