/** What a published site tells its loader and its worker: written in front of their scripts. */
export interface SiteConfig {
  /** The marked CID of the compressed tree. */
  root: string
  /** The path of the worker. */
  worker: string
}

/** The global that holds it. */
export const CONFIG = 'ipfszSite'

/** Names in the root of a published site. */
export const WORKER_FILE = 'ipfsz-worker.js'
export const TREE_NAME = 'ipfsz-site'

/** A script with its configuration in front of it. */
export function withConfig (config: SiteConfig, script: string): string {
  return `globalThis.${CONFIG}=${JSON.stringify(config)};${script}`
}
