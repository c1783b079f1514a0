import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { NoInputError } from '../../benchmark.ts'
import { atExit } from '../at-exit.ts'
import { untilEnded } from '../until-ended.ts'
import type { ChildProcess } from 'node:child_process'

/** Round trips in milliseconds. */
export interface Delays {
  /** Between two sites. */
  sites: number
  /** From the client of a site to its nodes. */
  client: number
  /** Between the nodes of a site. */
  lan: number
}

export interface WanInit {
  sites: number
  /** In each site. */
  nodes: number
  delays: Delays
}

/** Bytes and packets so far. */
export interface WanTraffic {
  /** Bytes between different sites, in both directions. */
  betweenSites: number
  /** Packets that were dropped: those of a site that is cut off, and those that a host did not take. */
  dropped: number
}

/** The number of a site's client among its hosts. */
export const CLIENT = 100
/** The number of the host with a site's storage. */
export const STORAGE = 90

/** Sites of hosts, each in a network namespace of its own, with delays between them and no way out. */
export interface Wan {
  /** The command line that runs a command on a host. */
  on (site: number, node: number, command: readonly string[]): [string, string[]]
  traffic (): Promise<WanTraffic>
  /** Let nothing pass between a site and the others. */
  cut (site: number): Promise<void>
  heal (site: number): Promise<void>
  close (): Promise<void>
}

/** The address of a host. */
export function addressOf (site: number, node: number): string {
  return `10.88.${site}.${node}`
}

export async function startWan ({ sites, nodes, delays }: WanInit): Promise<Wan> {
  const child = spawn(
    'python3',
    [join(import.meta.dirname, 'wan.py'), sites, nodes, delays.sites, delays.client, delays.lan].map(String),
    { stdio: ['pipe', 'pipe', 'inherit'] }
  )
  const stay = atExit(() => { child.kill() })
  const answers = linesOf(child)
  const { hosts } = await answers() as { hosts: Record<string, number> }

  const ask = async (line: string): Promise<WanTraffic> => {
    child.stdin.write(`${line}\n`)
    const { sites: matrix, dropped } = await answers() as { sites: number[][], dropped: number }

    return { betweenSites: matrix.flat().reduce((total, bytes) => total + bytes, 0), dropped }
  }

  return {
    on: (site, node, command) => [
      // the kernel ends it when this process is gone, however that ended
      'nsenter', [`--net=/proc/${hosts[`${site}.${node}`]}/ns/net`, 'setpriv', '--pdeathsig', 'TERM', ...command]
    ],
    traffic: async () => ask('report'),
    cut: async site => { await ask(`cut ${site}`) },
    heal: async site => { await ask(`heal ${site}`) },
    close: async () => {
      child.stdin.end()
      await untilEnded(child)
      stay()
    }
  }
}

/** Read one line of JSON after the other, which a process prints. */
function linesOf (child: ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> }): () => Promise<unknown> {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()

  return async () => {
    const { value, done } = await lines.next()

    if (done === true) {
      throw new Error('the network of namespaces ended: see what it printed above')
    }

    return JSON.parse(value)
  }
}

/** @throws {NoInputError} something that a network needs is missing here */
export function checkMachine (): void {
  if (process.getuid?.() !== 0) {
    throw new NoInputError('site makes network namespaces, so it needs root: run it as root, as CI does')
  }

  if (!existsSync('/dev/net/tun')) {
    throw new NoInputError('site needs TUN devices, and there is no /dev/net/tun: run modprobe tun')
  }

  for (const [command, what] of [['python3', 'python3'], ['ip', 'iproute2'], ['nsenter', 'util-linux']]) {
    if (spawnSync(command, ['-V'], { stdio: 'ignore' }).error != null) {
      throw new NoInputError(`site needs ${command}: run apt-get install ${what}`)
    }
  }
}
