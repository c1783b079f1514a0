import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atExit } from '../at-exit.ts'
import { untilEnded } from '../until-ended.ts'
import { addressOf, STORAGE } from './wan.ts'
import type { SideInit } from './side.ts'
import type { RunningStorage } from './storage.ts'
import type { Wan } from './wan.ts'

interface Cluster {
  /** Where nodes find it: the first line that the program prints. */
  place: string
  kill (): Promise<void>
  close (): Promise<void>
}

/**
 * Start a cluster in each site, on its host for storage. A program of this directory runs it: it gets the host's
 * address, prints where nodes find the cluster, kills a process of it for each line of stdin, and ends with stdin.
 */
export async function startClusters (
  { wan, sites }: Pick<SideInit, 'wan' | 'sites'>,
  program: string
): Promise<RunningStorage> {
  const started = await Promise.allSettled(
    Array.from({ length: sites }, async (_, i) => startCluster(wan, i + 1, program))
  )
  const clusters = started.flatMap(one => one.status === 'fulfilled' ? [one.value] : [])
  const close = async (): Promise<void> => { await Promise.all(clusters.map(async cluster => cluster.close())) }
  const failed = started.find(one => one.status === 'rejected')

  if (failed != null) {
    await close()
    throw failed.reason
  }

  return { placeOf: ({ site }) => clusters[site - 1].place, kill: async () => clusters[0].kill(), close }
}

async function startCluster (wan: Wan, site: number, program: string): Promise<Cluster> {
  const address = addressOf(site, STORAGE)
  const [command, args] = wan.on(site, STORAGE, [process.execPath, join(import.meta.dirname, program), address])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const stay = atExit(() => { child.kill() })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<string> => {
    const { value, done } = await lines.next()

    if (done === true) {
      throw new Error(`${program} of site ${site} ended: see what it printed above`)
    }

    return value
  }

  return {
    place: await answer(),
    kill: async () => {
      child.stdin.write('kill\n')
      await answer()
    },
    close: async () => {
      const closed = untilEnded(child)
      child.stdin.end()
      await closed
      stay()
    }
  }
}
