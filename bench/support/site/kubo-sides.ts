import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { atExit } from '../at-exit.ts'
import { environment, hasKubo } from '../kubo.ts'
import { API_PORT, SWARM_PORT } from './messages.ts'
import { endAll } from './side.ts'
import { hostsOf } from './storage.ts'
import { startProcess } from './start-process.ts'
import { addressOf } from './wan.ts'
import type { ChildProcess } from 'node:child_process'
import type { RunningSide, Side, SideInit } from './side.ts'

/** How long a daemon may take to start, in milliseconds. */
const START = 60_000

/** How the nodes of a site are set up. */
interface Setup {
  /** Whether they keep their blocks in one directory. */
  shared: boolean
  /** Whether they stay connected to each other, as Kubo's setting `Peering` does. */
  peering: boolean
}

/** Kubo as the paper ran it, with the setting that an operator of a site would choose, and on a directory per site. */
export const KUBO_SIDES: readonly Side[] = [
  side('kubo-own', 'Kubo, own stores', { shared: false, peering: false }),
  side('kubo-peering', 'Kubo, own stores, peering in the site', { shared: false, peering: true }),
  side('kubo-shared', 'Kubo, shared directory', { shared: true, peering: true })
]

interface Node {
  site: number
  node: number
  repo: string
  peer: string
}

function side (id: string, name: string, setup: Setup): Side {
  return {
    id,
    name,
    api: 'kubo',
    doors: ['write', 'write by a command'],
    compressed: false,
    startSeconds: 0,
    software: async () => ['kubo'],
    missing: async () => await hasKubo() ? undefined : 'run `npm run kubo`, which builds it with Go, or install Kubo',
    start: async init => start(setup, init)
  }
}

async function start (setup: Setup, init: SideInit): Promise<RunningSide> {
  const nodes = await Promise.all(hostsOf(init).map(async host => createNode(host, init.directory)))

  for (const node of nodes) {
    await configure(node, nodes, setup)
    await (setup.shared ? shareBlocks(node, init.directory) : undefined)
  }

  const children: ChildProcess[] = []
  const stay = atExit(() => { children.forEach(child => child.kill()) })

  // a daemon that opens a directory makes its place for unfinished blocks anew, and one that is starting fails then
  const groups = setup.shared ? [...Map.groupBy(nodes, ({ site }) => site).values()] : nodes.map(node => [node])
  await Promise.all(groups.map(async group => {
    for (const node of group) {
      await startDaemon(node, init, children)
    }
  }))

  for (const node of nodes) {
    children.push(await startProcess(node, init.wan, [
      join(import.meta.dirname, 'command-node.ts'), 'ipfs', 'add', '-Q', '--cid-version=1'
    ], environment(node.repo)))
  }

  const reconnect = async (): Promise<void> => {
    for (const { site, node } of nodes) {
      const [command, args] = init.wan.on(site, node, [process.execPath, join(import.meta.dirname, 'reconnect.ts')])
      await promisify(execFile)(command, args)
    }
  }

  await reconnect()

  return {
    reconnect,
    close: async () => {
      await endAll(children)
      stay()
    }
  }
}

async function createNode (host: { site: number, node: number }, directory: string): Promise<Node> {
  const repo = join(directory, `kubo-${host.site}-${host.node}`)
  await promisify(execFile)('ipfs', ['init', '--empty-repo'], { env: environment(repo) })
  const { Identity } = JSON.parse(await readFile(join(repo, 'config'), 'utf8')) as { Identity: { PeerID: string } }

  return { ...host, repo, peer: Identity.PeerID }
}

/** Bootstrap from all others, with a DHT of their own, and ask nobody else. */
async function configure (
  { site, node, repo }: Node,
  nodes: readonly Node[],
  { peering, shared }: Setup
): Promise<void> {
  const file = join(repo, 'config')
  const config = JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, unknown>>
  const others = nodes.filter(other => other.repo !== repo)
  const addressTo = (other: Node): string => `/ip4/${addressOf(other.site, other.node)}/tcp/${SWARM_PORT}`
  const siblings = peering ? others.filter(other => other.site === site) : []

  await writeFile(file, JSON.stringify({
    ...config,
    Addresses: {
      ...config.Addresses,
      Swarm: [`/ip4/${addressOf(site, node)}/tcp/${SWARM_PORT}`],
      API: `/ip4/0.0.0.0/tcp/${API_PORT}`,
      Gateway: []
    },
    // it remembers which blocks are missing, which another node of the site may have stored since: with it, 72 % of
    // what one node had fetched was fetched again by the next
    Datastore: { ...config.Datastore, ...shared ? { BlockKeyCacheSize: 0 } : {} },
    AutoConf: { Enabled: false },
    AutoTLS: { Enabled: false },
    AutoNAT: { ServiceMode: 'disabled' },
    Bootstrap: others.map(other => `${addressTo(other)}/p2p/${other.peer}`),
    Peering: { Peers: siblings.map(other => ({ ID: other.peer, Addrs: [addressTo(other)] })) },
    Discovery: { MDNS: { Enabled: false } },
    DNS: { Resolvers: {} },
    HTTPRetrieval: { Enabled: false },
    Ipns: { ...config.Ipns, DelegatedPublishers: [] },
    Routing: { Type: 'dhtserver', DelegatedRouters: [] },
    Swarm: {
      ...config.Swarm,
      AddrFilters: null,
      DisableNatPortMap: true,
      EnableHolePunching: false,
      RelayClient: { Enabled: false },
      RelayService: { Enabled: false },
      Transports: { Network: { QUIC: false, Relay: false, WebRTCDirect: false, WebTransport: false, Websocket: false } }
    }
  }))
}

/** The first node of a site brings the directory. */
async function shareBlocks ({ site, repo }: Node, directory: string): Promise<void> {
  const [own, shared] = [join(repo, 'blocks'), join(directory, `site-${site}`)]

  await (existsSync(shared) ? rm(own, { recursive: true }) : rename(own, shared))
  await symlink(shared, own)
}

async function startDaemon ({ site, node, repo }: Node, { wan }: SideInit, children: ChildProcess[]): Promise<void> {
  const [command, args] = wan.on(site, node, ['ipfs', 'daemon'])
  const child = spawn(command, args, { env: environment(repo), stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''

  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', data => { output = `${output}${String(data)}`.slice(-10_000) })
  }

  for (const deadline = performance.now() + START; !output.includes('Daemon is ready');) {
    if (child.exitCode != null || performance.now() > deadline) {
      throw new Error(`ipfs daemon did not start: ${output}`)
    }

    await setTimeout(50)
  }
}
