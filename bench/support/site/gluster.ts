import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkGluster, startGluster } from '../../../test/interop/gluster/cluster.ts'
import { atExit } from '../at-exit.ts'
import { addressOf, STORAGE } from './wan.ts'
import type { Storage } from './storage.ts'

/**
 * GlusterFS in each site, on its host for storage: three bricks, each with all files. Every node mounts it, over the
 * network of the site.
 */
export const GLUSTER: Storage = {
  name: 'GlusterFS',
  startSeconds: 15,
  software: async () => [`GlusterFS ${
    /\d[\d.]+/.exec((await promisify(execFile)('glusterd', ['--version'])).stdout)?.[0] ?? ''}`],
  missing: async () => checkGluster().then(() => undefined, (err: Error) => err.message),

  async start ({ wan, sites, nodes }) {
    const kills: Array<() => void> = []
    const stay = atExit(() => { kills.forEach(kill => { kill() }) })
    const started = await Promise.allSettled(Array.from({ length: sites }, async (_, i) => {
      const site = i + 1

      return startGluster(nodes, {
        address: addressOf(site, STORAGE),
        onBricks: command => wan.on(site, STORAGE, command),
        onMount: (mount, command) => wan.on(site, mount + 1, command),
        close: async () => {},
        onStart: kill => { kills.push(kill) }
      })
    }))
    const clusters = started.flatMap(one => one.status === 'fulfilled' ? [one.value] : [])
    const close = async (): Promise<void> => {
      await Promise.all(clusters.map(async ({ stop }) => stop()))
      stay()
    }
    const failed = started.find(one => one.status === 'rejected')

    if (failed != null) {
      await close()
      throw failed.reason
    }

    const directoryOf = (site: number, node: number): string => join(clusters[site - 1].mounts[node - 1], 'blocks')

    for (let site = 1; site <= sites; site++) {
      await mkdir(directoryOf(site, 1))
    }

    return {
      placeOf: ({ site, node }) => directoryOf(site, node),
      kill: async () => clusters[0].killBrick(1),
      close
    }
  }
}
