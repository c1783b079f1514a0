import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { run } from '../../../test/support/tools.ts'
import { atExit } from '../at-exit.ts'
import { addressOf, STORAGE } from './wan.ts'
import type { Storage } from './storage.ts'
import type { Wan } from './wan.ts'

/** A cluster of Ceph in each site, on its host for storage: three storage daemons, each with a copy of all objects. */
export const CEPH: Storage = {
  name: 'Ceph',
  software: async () => [`Ceph ${/\d[\d.]+/.exec(String(await run('ceph-mon', ['--version'])))?.[0] ?? ''}`],
  missing: async () => Promise.all(['ceph-mon', 'ceph-osd', 'radosgw'].map(
    async program => run(program, ['--version'])
  )).then(() => undefined, (err: Error) => err.message),

  async start ({ wan, sites }) {
    const clusters = await Promise.all(Array.from({ length: sites }, async (_, i) => startCluster(wan, i + 1)))

    return {
      placeOf: ({ site }) => clusters[site - 1].endpoint,
      kill: async () => clusters[0].kill(),
      close: async () => { await Promise.all(clusters.map(async ({ close }) => close())) }
    }
  }
}

interface Cluster {
  endpoint: string
  kill (): Promise<void>
  close (): Promise<void>
}

/** Start `ceph-cluster.ts` on the host for storage. */
async function startCluster (wan: Wan, site: number): Promise<Cluster> {
  const [command, args] = wan.on(site, STORAGE, [
    process.execPath, join(import.meta.dirname, 'ceph-cluster.ts'), addressOf(site, STORAGE)
  ])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const stay = atExit(() => { child.kill() })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<string> => {
    const { value, done } = await lines.next()

    if (done === true) {
      throw new Error(`Ceph in site ${site} ended: see what it printed above`)
    }

    return value
  }

  return {
    endpoint: await answer(),
    kill: async () => {
      child.stdin.write('kill\n')
      await answer()
    },
    close: async () => {
      child.stdin.end()
      await once(child, 'close')
      stay()
    }
  }
}
