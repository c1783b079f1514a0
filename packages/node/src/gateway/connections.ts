import { readFile } from 'node:fs/promises'
import { DEFAULT_MAX_CONNECTIONS } from '@ipfsz/gateway/node'

/**
 * How many connections a gateway may have: at most half of the files that the system lets this process open. With all
 * of them, neither blocks nor new connections could be opened.
 */
export async function maxConnections (): Promise<number> {
  // there is no such file outside of Linux
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)

  return Math.min(DEFAULT_MAX_CONNECTIONS, Math.max(1, Math.floor(files / 2)))
}
