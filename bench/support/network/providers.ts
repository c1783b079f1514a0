import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createRepo, hasKubo, startKubo } from '../kubo.ts'
import { addByCommand, printedBy, startCommandDaemon } from './command.ts'
import { startProvider } from './sides.ts'
import type { Provider } from './messages.ts'

/** A file that a provider has, compressed as `ipfsz add` does. */
export interface Offered extends Provider {
  /** The name of the provider. */
  name: string
  cid: string
  /** Bytes of all blocks. */
  stored: number
}

export interface Providers {
  directory: string
  /** Add a file to all of them. */
  offer (file: string): Promise<Offered[]>
  close (): Promise<void>
}

/** Starts the nodes that `ipfsz` fetches from. All have the same blocks. */
export async function startProviders (directory: string): Promise<Providers> {
  const repo = join(directory, 'repo')
  await mkdir(repo)
  await printedBy(['add', '-Q', '--repo', repo, import.meta.filename])

  const { child, ...helia } = await startProvider({ blocks: join(repo, 'blocks'), transport: 'plain' })
  const daemon = await startCommandDaemon(repo)
  const kubo = await hasKubo() ? await startKuboIn(join(directory, 'kubo')) : undefined

  return {
    directory,

    async offer (file) {
      const { cid, stored } = await addByCommand(repo, file)
      const offered = [{ ...helia, name: 'Helia', cid, stored }, { ...daemon, name: 'ipfsz daemon', cid, stored }]

      if (kubo == null) {
        return offered
      }

      await printedBy(['add', '-Q', '--repo', repo, '--kubo', new URL(kubo.url('')).origin, file])

      return [...offered, { peer: kubo.peer, port: kubo.port, name: 'Kubo', cid, stored }]
    },

    async close () {
      child.kill()
      await daemon.stop()
      await kubo?.stop()
    }
  }
}

async function startKuboIn (repo: string): ReturnType<typeof startKubo> {
  await createRepo(repo)

  return startKubo(repo)
}
