import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { run } from '../support/tools.ts'

/** A Kubo daemon without a network, with a repo of its own. */
export interface KuboStore {
  /** The directory of its repo, `IPFS_PATH`. */
  directory: string
  /** The URL of its RPC API. */
  url: string
  /** The address of its RPC API as Kubo writes it. */
  multiaddr: string
  /** `http://127.0.0.1:PORT` */
  gateway: string
  /** Run an `ipfs` command through its daemon, and return what it prints. */
  ipfs: (args: string[], input?: Uint8Array) => Promise<Buffer>
  /** Kill the daemon, so that it cannot clean up. */
  kill: () => Promise<void>
  /** Start the daemon again, on the same repo. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

/** @param config - settings of Kubo, by key */
export async function startKuboStore (config: Record<string, unknown> = {}): Promise<KuboStore> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-kubo-store-'))
  const env = { IPFS_PATH: directory, IPFS_TELEMETRY: 'off' }
  const ipfs: KuboStore['ipfs'] = async (args, input) => run('ipfs', args, input, env)
  const settings = {
    Bootstrap: [],
    'Discovery.MDNS.Enabled': false,
    AutoTLS: { Enabled: false },
    AutoConf: { Enabled: false },
    ...config
  }

  // this profile listens on loopback and free ports
  await ipfs(['init', '--profile=test'])

  for (const [key, value] of Object.entries(settings)) {
    await ipfs(['config', '--json', key, JSON.stringify(value)])
  }

  let daemon = await startDaemon(env)

  const store: KuboStore = {
    directory,
    ...await addresses(directory),
    ipfs,
    kill: async () => daemon.end('SIGKILL'),
    async restart () {
      daemon = await startDaemon(env)
      Object.assign(store, await addresses(directory))
    },
    async stop () {
      await daemon.end('SIGTERM')
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    }
  }

  return store
}

async function addresses (directory: string): Promise<Pick<KuboStore, 'url' | 'multiaddr' | 'gateway'>> {
  const multiaddr = (await readFile(join(directory, 'api'), 'utf8')).trim()

  return {
    multiaddr,
    url: `http://127.0.0.1:${multiaddr.split('/')[4]}`,
    gateway: (await readFile(join(directory, 'gateway'), 'utf8')).trim()
  }
}

async function startDaemon (env: Record<string, string>): Promise<{ end: (signal: NodeJS.Signals) => Promise<void> }> {
  const child = spawn('ipfs', ['daemon', '--offline'], {
    env: { PATH: process.env.PATH, HOME: env.IPFS_PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const exit = once(child, 'exit')
  const stderr = text(child.stderr)

  for await (const line of createInterface(child.stdout)) {
    if (line === 'Daemon is ready') {
      return {
        async end (signal) {
          child.kill(signal)
          await exit
        }
      }
    }
  }

  throw new Error(`ipfs daemon did not start: ${await stderr}`)
}
