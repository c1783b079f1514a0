import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atExit } from '../at-exit.ts'
import { BUCKET, CREDENTIALS, GATEWAY_PORT, SWARM_PORT } from './messages.ts'
import { endAll } from './side.ts'
import { hostsOf } from './storage.ts'
import { startOn } from './start-on.ts'
import { startProcess } from './start-process.ts'
import { addressOf } from './wan.ts'
import type { ChildProcess } from 'node:child_process'
import type { RunningSide, Side, SideInit } from './side.ts'
import type { Host, Storage } from './storage.ts'

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/ipfsz.js', import.meta.url))

/**
 * `ipfsz daemon` as an operator runs it: nodes of one store know each other. The daemon takes no files over HTTP: what
 * is added, `ipfsz add` adds.
 */
export function daemonSide (id: string, storage: Storage): Side {
  return {
    id,
    name: `ipfsz daemon, ${storage.name}`,
    api: 'ipfsz',
    doors: ['write by a command'],
    compressed: true,
    startSeconds: storage.startSeconds,
    software: async () => ['ipfsz', ...await storage.software()],
    missing: async () => storage.missing(),

    start: async init => startOn(storage, init, async ({ placeOf }) => start(init, host => storeAt(placeOf(host))))
  }
}

/** The argument of `ipfsz init --store`. */
function storeAt (place: string): string {
  return place.startsWith('http:') ? `s3://${BUCKET}/?endpoint=${place}` : place
}

interface Node extends Host {
  repo: string
}

async function start (init: SideInit, storeOf: (host: Host) => string): Promise<RunningSide> {
  const nodes: Node[] = []

  for (const host of hostsOf(init)) {
    nodes.push(await createNode(host, storeOf(host), init))
  }

  const children: ChildProcess[] = []
  const stay = atExit(() => { children.forEach(child => child.kill()) })
  await Promise.all(nodes.map(async node => {
    children.push(
      await startProcess(node, init.wan, daemonOf(node), environment()),
      await startProcess(node, init.wan, [
        join(import.meta.dirname, 'command-node.ts'), process.execPath, COMMAND, 'add', '-Q', '--repo', node.repo, '-'
      ], environment())
    )
  }))

  const addresses = await Promise.all(nodes.map(async node => multiaddrOf(node, init)))
  // each dials those before it, so no two dial each other
  const reconnect = async (): Promise<void> => {
    await Promise.all(nodes.slice(1).map(async (node, i) => {
      await run(node, init, ['connect', ...addresses.slice(0, i + 1)])
    }))
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

async function createNode (host: Host, store: string, init: SideInit): Promise<Node> {
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

/** Run a command on a host: a store on S3 is reached only from within its site, and so are daemons. */
async function run ({ site, node, repo }: Node, { wan }: SideInit, args: string[]): Promise<string> {
  const [command, all] = wan.on(site, node, [process.execPath, COMMAND, ...args, '--repo', repo])

  return (await promisify(execFile)(command, all, { env: environment() })).stdout
}

/** Without bootstrap peers. */
function environment (): NodeJS.ProcessEnv {
  const { accessKeyId, secretAccessKey } = CREDENTIALS

  return {
    ...process.env,
    IPFSZ_BOOTSTRAP: 'none',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey
  }
}
