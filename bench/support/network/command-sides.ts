import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { createRepo, hasKubo, startKubo } from '../kubo.ts'
import { addByCommand, printedBy, runOverLink, startCommandDaemon, startCommandGateway } from './command.ts'
import type { CommandRun, Fetched } from './messages.ts'
import type { Offer, Side } from './side.ts'
import type { ShapedProxy } from '../shaped-proxy.ts'

/** Our command on both sides, as users run it. */
export const COMMAND = 'ipfsz cat from ipfsz daemon'

/** The same from a daemon that serves no HTTP to its peers. */
export const OVER_BITSWAP = `${COMMAND} --no-libp2p-gateway`

/** The same over HTTP. */
export const OVER_HTTP = 'ipfsz cat --gateway, from ipfsz gateway'
export const OVER_HTTP_FROM_KUBO = "ipfsz cat --gateway, from Kubo's gateway"

/** What their links and servers allow: downloads by a tool that neither checks, stores nor decompresses anything. */
export const CURL = 'curl of the stored bytes, from ipfsz gateway'
export const CURL_FROM_KUBO = "curl of the CAR, from Kubo's gateway"

/** What the command asks a gateway for. */
const QUERY = '?format=car&dag-scope=entity'
const CAR = 'application/vnd.ipld.car; version=1; order=dfs; dups=n'

/** `ipfsz cat` from `ipfsz daemon`, and from gateways. */
export async function startCommandSides (directory: string): Promise<{ sides: Side[], stop: () => Promise<void> }> {
  const [repo, plainRepo] = ['command-provider', 'command-provider-bitswap'].map(name => join(directory, name))

  for (const path of [repo, plainRepo]) {
    await mkdir(path)
    await addByCommand(path, import.meta.filename)
  }

  const daemon = await startCommandDaemon(repo)
  const plainDaemon = await startCommandDaemon(plainRepo, ['--no-libp2p-gateway'])
  const gateway = await startCommandGateway(repo)
  const port = portOf(gateway.url)
  const offer = async (file: string): Promise<Offer> => addByCommand(repo, file)
  const kubo = await hasKubo() ? await startKuboBeside(directory) : undefined

  const sides: Side[] = [
    { name: COMMAND, port: daemon.port, offer, fetch: fetchFromPeer(directory, daemon.peer) },
    {
      name: OVER_BITSWAP,
      port: plainDaemon.port,
      offer: async file => addByCommand(plainRepo, file),
      fetch: fetchFromPeer(directory, plainDaemon.peer)
    },
    { name: OVER_HTTP, port, offer, fetch: fetchOverHttp(directory) },
    ...kubo == null ? [] : [{
      name: OVER_HTTP_FROM_KUBO,
      port: portOf(kubo.gateway),
      offer: async (file: string) => {
        await printedBy(['add', '-Q', '--repo', repo, '--kubo', new URL(kubo.url('')).origin, file])

        return offer(file)
      },
      fetch: fetchOverHttp(directory)
    }],
    { name: CURL, port, offer, fetch: fetchByCurl() },
    // offered above
    ...kubo == null ? [] : [{
      name: CURL_FROM_KUBO, port: portOf(kubo.gateway), offer, fetch: fetchByCurl(QUERY, CAR)
    }]
  ]

  return {
    sides,
    stop: async () => {
      await Promise.all([daemon.stop(), plainDaemon.stop(), gateway.stop(), kubo?.stop()])
    }
  }
}

function fetchFromPeer (directory: string, peer: string): Side['fetch'] {
  return async ({ cid }, link, ...rest) =>
    fetchByCommand(directory, cid, ['--peer', `/ip4/127.0.0.1/tcp/${link.port}/p2p/${peer}`], link, ...rest)
}

function fetchOverHttp (directory: string): Side['fetch'] {
  return async ({ cid }, link, ...rest) =>
    fetchByCommand(directory, cid, ['--gateway', `http://127.0.0.1:${link.port}`], link, ...rest)
}

async function fetchByCommand (
  directory: string,
  cid: string,
  from: readonly string[],
  link: ShapedProxy,
  size: number,
  timeout: number,
  onReady: () => void
): Promise<Fetched> {
  const fetched = join(directory, 'command-fetcher')
  onReady()

  const seconds = `${Math.ceil(timeout / 1000)}`
  const run = await runOverLink(['cat', cid, '--repo', fetched, ...from, '--timeout', seconds], link)
  await rm(fetched, { recursive: true, force: true })

  return toFetched(run, size)
}

function toFetched ({ good, first, wall, size: read, stderr }: CommandRun & { wall: number }, size: number): Fetched {
  const failure = good && read === size ? {} : { failure: stderr || `read ${read} bytes of ${size}` }

  return { first, wall, size: read, ...failure }
}

/** Where a gateway behind a link has the stored bytes of a file. */
function urlOf (cid: string, { port }: ShapedProxy): string {
  return `http://127.0.0.1:${port}/ipfs/${unmark(CID.parse(cid))}`
}

/** What `curl` measures: the times begin when it starts. */
function fetchByCurl (query = '', accept = '*/*'): Side['fetch'] {
  return async ({ cid }, link, size, timeout, onReady) => {
    onReady()

    const { stdout } = await promisify(execFile)('curl', [
      '--silent',
      '--fail',
      '--max-time',
      `${Math.ceil(timeout / 1000)}`,
      '--header',
      `accept: ${accept}`,
      '--output',
      '/dev/null',
      '--write-out',
      '%{time_starttransfer} %{time_total}',
      `${urlOf(cid, link)}${query}`
    ])
    const [first, wall] = stdout.split(' ').map(seconds => Number(seconds) * 1000)

    return { first, wall, size }
  }
}

export function portOf (url: string): number {
  return Number(new URL(url).port)
}

/** A Kubo of its own, whose blocks the command adds. */
export async function startKuboBeside (directory: string): ReturnType<typeof startKubo> {
  const repo = join(directory, 'kubo-gateway')
  await createRepo(repo)

  return startKubo(repo)
}
