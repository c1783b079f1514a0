import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HOST } from '../lock-files.ts'
import { lives, startOf } from '../process-lives.ts'

const VERSION = 1

/** How commands reach the daemon of a repo. */
export interface DaemonAddress {
  pid: number
  /** On 127.0.0.1. */
  port: number
  /** 256 random bits in hexadecimal, which whoever asks must know. */
  token: string
}

/** Tell commands of the same user about this process. Others cannot read the file. */
export async function writeDaemonFile (repo: string, { pid, port, token }: DaemonAddress): Promise<void> {
  const temporary = `${fileIn(repo)}.${randomUUID()}`

  try {
    await writeFile(temporary, `${JSON.stringify({ version: VERSION, pid, start: startOf(pid), host: HOST, port, token })}\n`, { mode: 0o600, flag: 'wx' })
    await rename(temporary, fileIn(repo))
  } finally {
    await rm(temporary, { force: true })
  }
}

export async function removeDaemonFile (repo: string): Promise<void> {
  await rm(fileIn(repo), { force: true })
}

/** The daemon of a repo, if one runs: a file that a killed one left behind is none. */
export async function readDaemonFile (repo: string): Promise<DaemonAddress | undefined> {
  let value: Record<string, unknown>

  try {
    value = JSON.parse(await readFile(fileIn(repo), 'utf8')) as Record<string, unknown>
  } catch {
    // there is none, or it cannot be read by this user
    return undefined
  }

  const { version, pid, start, host, port, token } = value ?? {}

  if (version !== VERSION || host !== HOST || typeof pid !== 'number' || typeof start !== 'string' || typeof port !== 'number' || typeof token !== 'string' || !lives(pid, start)) {
    return undefined
  }

  return { pid, port, token }
}

function fileIn (repo: string): string {
  return join(repo, 'daemon.json')
}
