import { createHash } from 'node:crypto'

/** What a published site tells its loader: set before its script runs. */
export interface LoaderConfig {
  /** The path of the worker. */
  worker: string
}

/** What it tells its worker. */
export interface SiteConfig extends LoaderConfig {
  /** The marked CID of the compressed tree. */
  root: string
}

/** The global that holds it. */
export const CONFIG = 'ipfszSite'

/** Names in the root of a published site. */
export const WORKER_FILE = 'ipfsz-worker.js'
export const TREE_NAME = 'ipfsz-site'

/** Paths that the site itself cannot have: these names, and directories with the names of files that we add. */
export const RESERVED_PATHS = /^(?:ipfsz-(?:site|worker(?:-[0-9a-f]+)?\.js)(?:\/|$)|(?:_redirects|ipfs-404\.html)\/)/

/** The name of the worker's script. Another script has another name: browsers keep it for the next release. */
export function workerScriptFile (script: Uint8Array): string {
  return `ipfsz-worker-${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`
}

/** A script with its configuration in front of it. */
export function withConfig (config: LoaderConfig, script: string): string {
  return `globalThis.${CONFIG}=${JSON.stringify(config)};${script}`
}
