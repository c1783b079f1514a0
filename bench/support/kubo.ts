import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atExit } from './at-exit.ts'
import { processCpu } from './process-cpu.ts'
import type { ChildProcess } from 'node:child_process'

/** How long a daemon may take to start, in milliseconds. */
const START = 30_000

/** Whether there is a Kubo on the PATH. */
export async function hasKubo (): Promise<boolean> {
  try {
    await promisify(execFile)('ipfs', ['version'], { env: environment('') })
    return true
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') {
      return false
    }

    throw err
  }
}

/** The environment to run `ipfs` on a repo. */
export function environment (repo: string): NodeJS.ProcessEnv {
  return { ...process.env, IPFS_PATH: repo, IPFS_TELEMETRY: 'off' }
}

/**
 * Create an empty repo whose node knows no peers: the profile `test` has no bootstrap
 * peers and listens on loopback only.
 */
export async function createRepo (directory: string): Promise<void> {
  await promisify(execFile)('ipfs', ['init', '--profile=test'], { env: environment(directory) })

  const file = join(directory, 'config')
  const config = JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, unknown>>

  config.Routing.Type = 'none'
  // a peer that connects through a proxy would learn the address behind it, and dial that the next time
  config.Addresses.NoAnnounce = ['/ip4/127.0.0.0/ipcidr/8']
  config.Provide.Enabled = false
  config.HTTPRetrieval.Enabled = false
  config.Swarm.RelayClient = { Enabled: false }

  await writeFile(file, JSON.stringify(config, undefined, 2))
}

/** A daemon that only uses loopback. */
export interface KuboDaemon {
  peer: string
  /** The TCP port that other nodes connect to. */
  port: number
  /** The URL of its HTTP gateway. */
  gateway: string
  /** Processor time since it started, in milliseconds. */
  cpu (): Promise<number>
  /** The URL of a command of its RPC API. */
  url (command: string, parameters?: Record<string, string>): string
  /** Call its RPC API. The body of the response is not read yet. */
  call (command: string, parameters?: Record<string, string>, body?: FormData): Promise<Response>
  stop (): Promise<void>
}

/** @param args - more arguments of `ipfs daemon` */
export async function startKubo (repo: string, args: readonly string[] = []): Promise<KuboDaemon> {
  const child = spawn('ipfs', ['daemon', ...args], { env: environment(repo), stdio: ['ignore', 'pipe', 'pipe'] })
  const stay = atExit(() => { child.kill() })
  const ports = await listeningPorts(child)
  const api = `http://127.0.0.1:${ports.api}/api/v0`
  child.stdout?.resume()
  child.stderr?.resume()

  const url: KuboDaemon['url'] = (command, parameters = {}) => `${api}/${command}?${new URLSearchParams(parameters)}`

  const call: KuboDaemon['call'] = async (command, parameters, body = undefined) => {
    const response = await fetch(url(command, parameters), { method: 'POST', ...body == null ? {} : { body } })

    if (!response.ok) {
      throw new Error(`ipfs ${command} failed: ${await response.text()}`)
    }

    return response
  }

  const { ID } = await (await call('id')).json() as { ID: string }
  // offline it listens nowhere
  const { Strings: [address = ''] } = args.includes('--offline')
    ? { Strings: [] }
    : await (await call('swarm/addrs/listen')).json() as { Strings: string[] }

  return {
    peer: ID,
    port: Number(address.split('/')[4]),
    gateway: `http://127.0.0.1:${ports.gateway}`,
    cpu: async () => processCpu(child.pid as number),
    url,
    call,
    stop: async () => {
      const ended = once(child, 'close')
      child.kill()
      await ended
      stay()
    }
  }
}

async function listeningPorts (child: ChildProcess): Promise<{ api: number, gateway: number }> {
  let output = ''

  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => { reject(new Error(`ipfs daemon did not start within ${START} ms: ${output}`)) },
      START
    )

    child.on('close', () => { reject(new Error(`ipfs daemon did not start: ${output}`)) })
    child.stderr?.on('data', data => { output += String(data) })
    child.stdout?.on('data', data => {
      output += String(data)
      const [api, gateway] = ['RPC API', 'Gateway'].map(
        server => new RegExp(`${server} server listening on /ip4/127\\.0\\.0\\.1/tcp/(\\d+)`).exec(output)?.[1]
      )

      if (api != null && gateway != null && output.includes('Daemon is ready')) {
        clearTimeout(timer)
        resolve({ api: Number(api), gateway: Number(gateway) })
      }
    })
  })
}
