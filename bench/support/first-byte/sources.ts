import { createServer } from 'node:http'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listen } from '../loopback.ts'
import { addByCommand, printedBy, startCommandDaemon, startCommandGateway } from '../network/command.ts'
import { portOf } from '../network/command-sides.ts'

/** Where the command gets a file from. */
export interface Source {
  name: string
  /** The port on loopback of what is on the other end of the link. Undefined: nothing is fetched. */
  port?: number
  /** The repo to read, by default an empty one. */
  repo?: string
  /**
   * Prepare a fetch into a repo over the link that begins at this port.
   *
   * @returns the options of `ipfsz cat`, and what is called after it
   */
  prepare (port: number, repo: string): Promise<{ args: string[], end?: () => Promise<unknown> }>
}

/** All kinds of sources, each with the same file. */
export async function startSources (
  directory: string,
  file: string
): Promise<{ cid: string, stored: number, sources: Source[], stop: () => Promise<unknown> }> {
  const repo = join(directory, 'provider')
  await mkdir(repo)
  const { cid, stored } = await addByCommand(repo, file)
  const bitswapRepo = join(directory, 'provider-bitswap')
  await mkdir(bitswapRepo)
  await addByCommand(bitswapRepo, file)

  const peer = await startCommandDaemon(repo)
  const bitswapPeer = await startCommandDaemon(bitswapRepo, ['--no-libp2p-gateway'])
  const gateway = await startCommandGateway(repo)

  const sources: Source[] = [
    { name: 'own repo', repo, prepare: async () => ({ args: ['--offline'] }) },
    {
      name: 'gateway',
      port: portOf(gateway.url),
      prepare: async port => ({ args: ['--gateway', `http://127.0.0.1:${port}`] })
    },
    { name: 'gateway that a router names', port: portOf(gateway.url), prepare: routed },
    {
      name: 'peer over HTTP on libp2p',
      port: peer.port,
      prepare: async port => ({ args: ['--peer', addressOf(port, peer)] })
    },
    {
      name: 'peer over Bitswap',
      port: bitswapPeer.port,
      prepare: async port => ({ args: ['--peer', addressOf(port, bitswapPeer)] })
    },
    {
      name: 'daemon that is connected to that peer over HTTP',
      port: peer.port,
      async prepare (port, repo) {
        const daemon = await startCommandDaemon(repo)
        await printedBy(['connect', addressOf(port, peer), '--repo', repo])

        return { args: [], end: daemon.stop }
      }
    }
  ]

  return {
    cid,
    stored,
    sources,
    stop: async () => Promise.all([peer.stop(), bitswapPeer.stop(), gateway.stop()])
  }
}

function addressOf (port: number, { peer }: { peer: string }): string {
  return `/ip4/127.0.0.1/tcp/${port}/p2p/${peer}`
}

/** A delegated router on loopback names the gateway. */
async function routed (port: number): ReturnType<Source['prepare']> {
  const providers = [{ Schema: 'peer', Addrs: [`/ip4/127.0.0.1/tcp/${port}/http`] }]
  const router = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ Providers: providers }))
  })
  const routerPort = await listen(router)

  return {
    args: ['--router', `http://127.0.0.1:${routerPort}`, '--allow-local'],
    end: async () => {
      router.closeAllConnections()
      router.close()
    }
  }
}
