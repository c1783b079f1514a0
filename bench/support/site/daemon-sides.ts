import { execFile, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atExit } from '../at-exit.ts'
import { GATEWAY_PORT, S3_PORT, SWARM_PORT } from './messages.ts'
import { startS3 } from './s3-server.ts'
import { endAll, hostsOf } from './side.ts'
import { addressOf, STORAGE } from './wan.ts'
import type { ChildProcess } from 'node:child_process'
import type { RunningSide, Side, SideInit } from './side.ts'

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/ipfsz.js', import.meta.url))

/** `ipfsz daemon` as an operator runs it: nodes of one store know each other. */
export const DAEMON_SIDE: Side = {
  name: 'ipfsz daemon, shared directory',
  api: 'ipfsz',
  async start (init) {
    const storeOf = (site: number): string => join(init.directory, `site-${site}`)
    await Promise.all(Array.from({ length: init.sites }, async (_, i) => mkdir(storeOf(i + 1))))

    return start(init, storeOf)
  }
}

/** The same on S3: the server of the tests, in memory, on a host of its own in each site. */
export const S3_DAEMON_SIDE: Side = {
  name: 'ipfsz daemon, S3 in memory',
  api: 'ipfsz',
  async start (init) {
    const closeS3 = await startS3(init)
    await Promise.all(Array.from({ length: init.sites }, async (_, i) => {
      // ipfsz uses buckets, and makes none
      const [command, args] = init.wan.on(i + 1, STORAGE, [
        process.execPath, '-e', `fetch('${endpointOf(i + 1)}/site', { method: 'PUT' })`
      ])
      await promisify(execFile)(command, args)
    }))
    const running = await start(init, site => `s3://site/?endpoint=${endpointOf(site)}`)

    return {
      ...running,
      close: async () => {
        await running.close()
        await closeS3()
      }
    }
  }
}

function endpointOf (site: number): string {
  return `http://${addressOf(site, STORAGE)}:${S3_PORT}`
}

interface Node {
  site: number
  node: number
  repo: string
}

async function start (init: SideInit, storeOf: (site: number) => string): Promise<RunningSide> {
  const nodes: Node[] = []

  for (const host of hostsOf(init)) {
    nodes.push(await createNode(host, storeOf(host.site), init))
  }

  const children: ChildProcess[] = []
  const stay = atExit(() => { children.forEach(child => child.kill()) })
  await Promise.all(nodes.map(async node => {
    children.push(await startProcess(node, init, daemonOf(node)), await startProcess(node, init, [
      join(import.meta.dirname, 'add-node.ts'), node.repo
    ]))
  }))

  const addresses = await Promise.all(nodes.map(async node => multiaddrOf(node, init)))
  // each dials those before it
  const reconnect = async (): Promise<void> => {
    for (const [i, node] of nodes.entries()) {
      await (i === 0 ? undefined : run(node, init, ['connect', ...addresses.slice(0, i)]))
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

async function createNode (host: { site: number, node: number }, store: string, init: SideInit): Promise<Node> {
  const repo = join(init.directory, `node-${host.site}-${host.node}`)
  await run({ ...host, repo }, init, ['init', '--store', store])

  return { ...host, repo }
}

async function multiaddrOf (node: Node, init: SideInit): Promise<string> {
  const { addresses } = JSON.parse(await run(node, init, ['id', '--json'])) as { addresses: string[] }

  return addresses[0]
}

function daemonOf ({ site, node, repo }: Node): string[] {
  return [
    COMMAND, 'daemon', '--repo', repo, '--listen', `/ip4/${addressOf(site, node)}/tcp/${SWARM_PORT}`,
    '--gateway', `0.0.0.0:${GATEWAY_PORT}`, '--gateway-public', '--gateway-fetch'
  ]
}

/** Start a program of Node on a host, and wait until it says that it is ready. */
async function startProcess ({ site, node }: Node, { wan }: SideInit, program: string[]): Promise<ChildProcess> {
  const [command, args] = wan.on(site, node, [process.execPath, ...program])
  const child = spawn(command, args, { env: environment(), stdio: ['ignore', 'pipe', 'inherit'] })

  const lines = createInterface({ input: child.stdout })

  await new Promise<void>((resolve, reject) => {
    lines.on('line', line => {
      if (line.endsWith('ready')) {
        resolve()
      }
    })
    lines.once('close', () => { reject(new Error(`${program.join(' ')} ended: see what it printed above`)) })
  })

  return child
}

/** Run a command on a host: a store on S3 is reached only from within its site, and so are daemons. */
async function run ({ site, node, repo }: Node, { wan }: SideInit, args: string[]): Promise<string> {
  const [command, all] = wan.on(site, node, [process.execPath, COMMAND, ...args, '--repo', repo])

  return (await promisify(execFile)(command, all, { env: environment() })).stdout
}

/** Without bootstrap peers. The S3 server of the tests accepts any credentials. */
function environment (): NodeJS.ProcessEnv {
  return {
    ...process.env, IPFSZ_BOOTSTRAP: 'none', AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench'
  }
}
