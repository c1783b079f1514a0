import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pinFromPeers } from './kubo-pin.ts'
import { run } from './tools.ts'
import type { ChildProcess } from 'node:child_process'

/** A Kubo daemon on loopback, with its own empty repo. */
export interface KuboNode {
  directory: string
  peerId: string
  /** Its address, with its peer id. */
  address: string
  /** The port of its RPC API. */
  apiPort: number
  /** The URL of its gateway, `http://127.0.0.1:PORT`. */
  gateway: string
  /** Run a command through its daemon, and return what it prints. */
  ipfs: (args: string[], input?: Uint8Array, signal?: AbortSignal) => Promise<Buffer>
  /** Pin what peers have. */
  pin: (cid: string) => Promise<void>
  stop: () => Promise<void>
}

export interface KuboNodeInit {
  /** Multiaddrs of the only peers that it knows. */
  bootstrap?: readonly string[]
  /** More settings, by key. */
  config?: Readonly<Record<string, unknown>>
  /** Without a network: `ipfs name publish` then needs no peers. */
  offline?: boolean
  /** Domains whose DNSLink is the IPNS name of its own key, which `ipfs name publish` changes. */
  dnsLinks?: readonly string[]
}

/** How long it may take to start, in milliseconds. */
const PATIENCE = 60_000

export async function startKubo (
  { bootstrap = [], config: more = {}, offline = false, dnsLinks = [] }: KuboNodeInit = {}
): Promise<KuboNode> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-kubo-'))
  const env = { IPFS_PATH: directory, IPFS_TELEMETRY: 'off' }
  const ipfs: KuboNode['ipfs'] = async (args, input, signal) => run('ipfs', args, input, env, signal)
  const config = async (key: string, value: unknown): Promise<void> => {
    await ipfs(['config', '--json', key, JSON.stringify(value)])
  }

  // no public peers, only loopback, free ports
  await ipfs(['init', '--profile=test'])
  await config('Bootstrap', bootstrap)
  await config('Routing', { Type: 'dhtserver', LoopbackAddressesOnLanDHT: true })
  await config('Swarm.DisableNatPortMap', true)
  await config('Discovery.MDNS.Enabled', false)
  await config('AutoTLS', { Enabled: false })
  await config('AutoConf', { Enabled: false })

  for (const [key, value] of Object.entries(more)) {
    await config(key, value)
  }

  const key = (await ipfs(['config', 'Identity.PeerID'])).toString().trim()
  const child = spawn('ipfs', ['daemon', ...offline ? ['--offline'] : []], {
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      ...env,
      // in place of DNS, for tests: boxo's namesys
      IPFS_NS_MAP: dnsLinks.map(domain => `${domain}:/ipns/${key}`).join(',')
    },
    stdio: 'ignore'
  })
  const stop = async (): Promise<void> => {
    await end(child)
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }

  try {
    const deadline = Date.now() + PATIENCE
    let api: string | undefined

    while (api == null) {
      api = await readFile(join(directory, 'api'), 'utf8').catch(() => undefined)

      if (child.exitCode != null || Date.now() > deadline) {
        throw new Error(`ipfs daemon did not start: see IPFS_PATH=${directory} ipfs daemon`)
      }

      await setTimeout(50)
    }

    // offline it has none
    const { ID, Addresses } = JSON.parse(
      (await ipfs(['id', '--enc=json'])).toString()
    ) as { ID: string, Addresses: string[] | null }
    const gateway = (await readFile(join(directory, 'gateway'), 'utf8')).trim()

    return {
      directory,
      peerId: ID,
      address: Addresses?.find(address => address.includes('/tcp/') && !address.includes('/ws')) ??
        Addresses?.[0] ?? '',
      apiPort: Number(api.trim().split('/')[4]),
      gateway,
      ipfs,
      pin: async cid => pinFromPeers(cid, ipfs),
      stop
    }
  } catch (err) {
    await stop()
    throw err
  }
}

async function end (child: ChildProcess): Promise<void> {
  if (child.exitCode == null && child.signalCode == null) {
    await new Promise(resolve => {
      child.once('exit', resolve)
      child.kill('SIGTERM')
    })
  }
}
