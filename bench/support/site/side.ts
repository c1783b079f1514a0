import { untilEnded } from '../until-ended.ts'
import type { ChildProcess } from 'node:child_process'
import type { Api, Door } from './messages.ts'
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
  /** For `--only`. */
  id: string
  /** For the table. */
  name: string
  api: Api
  /** The ways to add to a node. What is read was added through the first. */
  doors: readonly [Door, Door?]
  /** Whether nothing is read, because what it writes cannot be. */
  onlyWrites?: boolean
  /** Whether it stores compressed files. */
  compressed: boolean
  /** How long its storage takes to start in three sites, in seconds: on two cores that do nothing else. */
  startSeconds: number
  /** What its results depend on: names in the versions of a result, or a program with its version. */
  software (): Promise<readonly string[]>
  /** What is missing here to run it, and how to install it. */
  missing (): Promise<string | undefined>
  /** Start all nodes, connected to each other. */
  start (init: SideInit): Promise<RunningSide>
}

export interface RunningSide {
  /** Connect all nodes to each other again, after a site was cut off. */
  reconnect (): Promise<void>
  /** Kill a process of the storage of the first site, as a loss of power would. Not all storage has several. */
  killStorage?: () => Promise<void>
  close (): Promise<void>
}

/** End processes, and wait until they have. */
export async function endAll (children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(children.map(async child => {
    const ended = untilEnded(child)
    child.kill()
    await ended
  }))
}
