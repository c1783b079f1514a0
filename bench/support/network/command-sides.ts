import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createRepo, hasKubo, startKubo } from '../kubo.ts'
import { addByCommand, printedBy, runOverLink, startCommandDaemon, startCommandGateway } from './command.ts'
import type { Offer, Side } from './side.ts'

/** Our command on both sides, as users run it. */
export const COMMAND = 'ipfsz cat from ipfsz daemon'

/** The same over HTTP. */
export const OVER_HTTP = 'ipfsz cat --gateway, from ipfsz gateway'
export const OVER_HTTP_FROM_KUBO = "ipfsz cat --gateway, from Kubo's gateway"

/** `ipfsz cat` from `ipfsz daemon`, and from gateways. */
export async function startCommandSides (directory: string): Promise<{ sides: Side[], stop: () => Promise<void> }> {
  const repo = join(directory, 'command-provider')
  await mkdir(repo)
  await addByCommand(repo, import.meta.filename)

  const daemon = await startCommandDaemon(repo)
  const gateway = await startCommandGateway(repo)
  const overLibp2p = fetchFrom(directory, ['--peer', port => `/ip4/127.0.0.1/tcp/${port}/p2p/${daemon.peer}`])
  const overHttp = fetchFrom(directory, ['--gateway', port => `http://127.0.0.1:${port}`])
  const offer = async (file: string): Promise<Offer> => addByCommand(repo, file)
  const kubo = await hasKubo() ? await startKuboBeside(directory) : undefined

  const sides: Side[] = [
    { name: COMMAND, port: daemon.port, offer, fetch: overLibp2p },
    { name: OVER_HTTP, port: portOf(gateway.url), offer, fetch: overHttp },
    ...kubo == null ? [] : [{
      name: OVER_HTTP_FROM_KUBO,
      port: portOf(kubo.gateway),
      offer: async (file: string) => {
        await printedBy(['add', '-Q', '--repo', repo, '--kubo', new URL(kubo.url('')).origin, file])

        return offer(file)
      },
      fetch: overHttp
    }]
  ]

  return {
    sides,
    stop: async () => {
      await Promise.all([daemon.stop(), gateway.stop(), kubo?.stop()])
    }
  }
}

/** `ipfsz cat` with an option that names what it fetches from, behind a link. */
function fetchFrom (directory: string, [option, place]: [string, (port: number) => string]): Side['fetch'] {
  const fetched = join(directory, 'command-fetcher')

  return async ({ cid }, link, size, timeout, onReady) => {
    onReady()

    const seconds = `${Math.ceil(timeout / 1000)}`
    const args = ['cat', cid, '--repo', fetched, option, place(link.port), '--timeout', seconds]
    const { good, first, wall, size: read, stderr } = await runOverLink(args, link)
    await rm(fetched, { recursive: true, force: true })

    return { first, wall, size: read, ...good && read === size ? {} : { failure: stderr || `read ${read} bytes` } }
  }
}

function portOf (url: string): number {
  return Number(new URL(url).port)
}

/** A Kubo of its own, whose blocks the command adds. */
async function startKuboBeside (directory: string): ReturnType<typeof startKubo> {
  const repo = join(directory, 'kubo-gateway')
  await createRepo(repo)

  return startKubo(repo)
}
