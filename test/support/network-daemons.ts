import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Process, Sandbox } from '../integration/run-cli.ts'

/** A running `ipfsz daemon`, on loopback. */
export interface RunningDaemon {
  peerId: string
  /** Its TCP address, with its peer id. */
  address: string
  pid: number
  process: Process
  /** Stop it with SIGTERM, and return its exit code and its stderr. */
  stop: (signal?: NodeJS.Signals) => Promise<{ code: number | null, stderr: string }>
  /** Kill it, without a chance to clean up. */
  kill: () => Promise<void>
}

export interface DaemonInit {
  /** The directory of the repo, by default that of the sandbox. */
  repo?: string
  /** Multiaddrs of the only peers that it knows. */
  bootstrap?: readonly string[]
  /** By default a free port of loopback. */
  listen?: readonly string[]
  args?: readonly string[]
}

/** Start a daemon, and wait until it is ready. */
export async function startDaemon (
  sandbox: Sandbox,
  { repo = sandbox.repo, bootstrap = [], listen = ['/ip4/127.0.0.1/tcp/0'], args = [] }: DaemonInit = {}
): Promise<RunningDaemon> {
  const child = sandbox.start([
    'daemon',
    '--json',
    '--repo',
    repo,
    ...listen.flatMap(address => ['--listen', address]),
    ...args
  ], {
    env: { IPFSZ_BOOTSTRAP: bootstrap.length === 0 ? 'none' : bootstrap.join(',') }
  })
  const exit = once(child, 'close') as Promise<[number | null]>
  const stderr = text(child.stderr)
  let started: { peerId: string, addresses: string[], pid: number } | undefined

  for await (const line of createInterface(child.stdout)) {
    const value = JSON.parse(line) as { event: string, peerId: string, addresses: string[], pid: number }

    if (value.event === 'started') {
      started = value
    } else if (value.event === 'ready') {
      break
    }
  }

  if (started == null) {
    throw new Error(`the daemon did not start: ${await stderr}`)
  }

  const { peerId, addresses, pid } = started

  return {
    peerId,
    address: addresses.find(address => /\/tcp\/\d+\/p2p\//.test(address)) ?? addresses[0],
    pid,
    process: child,
    async stop (signal = 'SIGTERM') {
      child.kill(signal)
      const [code] = await exit

      return { code, stderr: await stderr }
    },
    async kill () {
      child.kill('SIGKILL')
      await exit
    }
  }
}
