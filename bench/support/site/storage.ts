import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SideInit } from './side.ts'

/** A host of a site. */
export interface Host {
  site: number
  node: number
}

/** What nodes keep their blocks in. */
export interface Storage {
  /** The name in tables. */
  name: string
  /** How long it takes to start in three sites, in seconds: on two cores that do nothing else. */
  startSeconds: number
  /** The program, with its version, if it is not part of what results tell anyway. */
  software (): Promise<readonly string[]>
  /** What is missing here to run it, and how to install it. */
  missing (): Promise<string | undefined>
  start (init: SideInit): Promise<RunningStorage>
}

export interface RunningStorage {
  /** Where a node has its blocks: a directory, or the URL of an S3 server or of Cassandra. */
  placeOf (host: Host): string
  /** Kill a process of the first site's storage. */
  kill?: () => Promise<void>
  close (): Promise<void>
}

/** A directory of each node. */
export const OWN_STORES = directories('own stores', ({ site, node }) => `node-${site}-${node}`)
/** A directory of each site, on this machine's disk. */
export const SHARED_DIRECTORY = directories('shared directory', ({ site }) => `site-${site}`)

function directories (name: string, nameOf: (host: Host) => string): Storage {
  return {
    name,
    startSeconds: 0,
    software: async () => [],
    missing: async () => undefined,

    async start ({ sites, nodes, directory }) {
      const placeOf = (host: Host): string => join(directory, nameOf(host))

      for (const host of hostsOf({ sites, nodes })) {
        await mkdir(placeOf(host), { recursive: true })
      }

      return { placeOf, close: async () => {} }
    }
  }
}

/** The hosts of all nodes. */
export function hostsOf ({ sites, nodes }: Pick<SideInit, 'sites' | 'nodes'>): Host[] {
  return Array.from({ length: sites * nodes }, (_, i) => ({ site: Math.floor(i / nodes) + 1, node: i % nodes + 1 }))
}
