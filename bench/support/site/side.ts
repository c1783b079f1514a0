import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import type { Api } from './messages.ts'
import type { Wan } from './wan.ts'

export interface SideInit {
  wan: Wan
  sites: number
  /** In each site. */
  nodes: number
  /** Empty, and removed at the end. */
  directory: string
}

/** One way to run the nodes of all sites. */
export interface Side {
  name: string
  api: Api
  /** Start all nodes, connected to each other. */
  start (init: SideInit): Promise<RunningSide>
}

export interface RunningSide {
  /** Connect all nodes to each other again, after a site was cut off. */
  reconnect (): Promise<void>
  close (): Promise<void>
}

/** End processes, and wait until they have. */
export async function endAll (children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(children.map(async child => {
    const ended = once(child, 'close')
    child.kill()
    await ended
  }))
}

/** The hosts of all nodes. */
export function hostsOf ({ sites, nodes }: Pick<SideInit, 'sites' | 'nodes'>): Array<{ site: number, node: number }> {
  return Array.from({ length: sites * nodes }, (_, i) => ({ site: Math.floor(i / nodes) + 1, node: i % nodes + 1 }))
}
