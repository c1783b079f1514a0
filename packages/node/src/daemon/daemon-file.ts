import { join } from 'node:path'
import { removeFile } from '@ipfsz/utils/while-open'
import { readServerFile, writeServerFile } from '../locks/server-file.ts'

const VERSION = 3

/** How commands reach the daemon of a repo: an HTTP server on 127.0.0.1. */
export interface DaemonAddress {
  pid: number
  port: number
  /** 256 random bits in hexadecimal. Every request must carry them. */
  token: string
}

/**
 * Writes the file by which commands find this daemon. Only the same user can read it.
 *
 * @param lock - the name of the lock that the daemon holds while it runs
 */
export async function writeDaemonFile (
  repo: string,
  { pid, port, token }: DaemonAddress,
  lock: string
): Promise<void> {
  await writeServerFile(fileIn(repo), { version: VERSION, pid, lock, port, token }, 0o600)
}

export async function removeDaemonFile (repo: string): Promise<void> {
  await removeFile(fileIn(repo))
}

/** @returns undefined if no daemon of the repo can be reached */
export async function readDaemonFile (repo: string): Promise<DaemonAddress | undefined> {
  const { pid, port, token } = await readServerFile(repo, fileIn(repo), VERSION) ?? {}

  return typeof pid === 'number' && typeof port === 'number' && typeof token === 'string'
    ? { pid, port, token }
    : undefined
}

function fileIn (repo: string): string {
  return join(repo, 'daemon.json')
}
