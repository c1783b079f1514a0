import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createRepo, environment, hasKubo, startKubo } from '../kubo.ts'
import { addByCommand, printedBy, runOverLink, startCommandDaemon, startCommandGateway } from './command.ts'
import { portOf, startKuboBeside } from './command-sides.ts'
import type { Fetched } from './messages.ts'
import type { Offer, Side, Sides } from './side.ts'
import type { ShapedProxy } from '../shaped-proxy.ts'

/** What fetches a whole directory to disk. Of these sides, `offer` takes a directory. */
export async function startTreeSides (directory: string): Promise<Sides> {
  const repo = join(directory, 'trees')
  await mkdir(repo)
  await addByCommand(repo, import.meta.filename)
  const daemon = await startCommandDaemon(repo)
  const gateway = await startCommandGateway(repo)
  const withKubo = await hasKubo()
  const kubo = withKubo ? await startKuboBeside(directory) : undefined
  const pair = withKubo ? await startKuboPair(directory) : undefined
  const offer = async (tree: string): Promise<Offer> => addByCommand(repo, tree)
  const overHttp: Side['fetch'] = async ({ cid }, link, ...rest) =>
    getByCommand(directory, cid, ['--gateway', `http://127.0.0.1:${link.port}`], link, ...rest)

  return {
    sides: [
      ...pair == null ? [] : [pair.side],
      {
        name: 'ipfsz get from ipfsz daemon',
        port: daemon.port,
        offer,
        fetch: async ({ cid }, link, ...rest) =>
          getByCommand(directory, cid, ['--peer', `/ip4/127.0.0.1/tcp/${link.port}/p2p/${daemon.peer}`], link, ...rest)
      },
      { name: 'ipfsz get --gateway, from ipfsz gateway', port: portOf(gateway.url), offer, fetch: overHttp },
      ...kubo == null ? [] : [{
        name: "ipfsz get --gateway, from Kubo's gateway",
        port: portOf(kubo.gateway),
        offer: async (tree: string) => {
          await printedBy(['add', '-Q', '--repo', repo, '--kubo', new URL(kubo.url('')).origin, tree])

          return offer(tree)
        },
        fetch: overHttp
      }]
    ],
    close: async () => {
      await Promise.all([daemon.stop(), gateway.stop(), kubo?.stop(), pair?.stop()])
    }
  }
}

async function getByCommand (
  directory: string,
  cid: string,
  from: readonly string[],
  link: ShapedProxy,
  size: number,
  timeout: number,
  onReady: () => void
): Promise<Fetched> {
  const [fetched, output] = ['tree-fetcher', 'tree-output'].map(name => join(directory, name))
  onReady()

  const seconds = `${Math.ceil(timeout / 1000)}`
  const args = ['get', cid, '-o', output, '--repo', fetched, ...from, '--timeout', seconds]
  const { wall, good, stderr } = await runOverLink(args, link)
  await Promise.all([fetched, output].map(async path => rm(path, { recursive: true, force: true })))

  return { first: wall, wall, size, ...good ? {} : { failure: stderr } }
}

/** `ipfs get` of a Kubo that is connected to another one. */
async function startKuboPair (directory: string): Promise<{ side: Side, stop: () => Promise<void> }> {
  const [from, to] = ['kubo-trees', 'kubo-trees-fetcher'].map(name => join(directory, name))
  await Promise.all([from, to].map(createRepo))
  const [provider, fetcher] = [await startKubo(from), await startKubo(to)]

  return {
    side: {
      name: 'Kubo',
      port: provider.port,
      offer: async tree => {
        const cid = await ipfs(from, 'add', '-r', '-Q', '--cid-version', '1', tree)
        const { TotalSize: stored } = JSON.parse(
          await ipfs(from, 'dag', 'stat', '--progress=false', '--enc=json', cid)
        ) as { TotalSize: number }

        return { cid, stored }
      },
      fetch: async ({ cid }, { port }, size, timeout, onReady) => {
        const output = join(directory, 'kubo-output')
        await fetcher.call('swarm/disconnect', { arg: `/p2p/${provider.peer}` }).catch(() => {})
        await (await fetcher.call('repo/gc')).text()
        await (await fetcher.call('swarm/connect', { arg: `/ip4/127.0.0.1/tcp/${port}/p2p/${provider.peer}` })).text()
        onReady()

        const start = performance.now()
        await ipfs(to, 'get', '--timeout', `${timeout}ms`, '--output', output, cid)
        const wall = performance.now() - start
        await rm(output, { recursive: true, force: true })

        return { first: wall, wall, size }
      }
    },
    stop: async () => { await Promise.all([provider, fetcher].map(async daemon => daemon.stop())) }
  }
}

async function ipfs (repo: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)('ipfs', args, { env: environment(repo) })).stdout.trim()
}
