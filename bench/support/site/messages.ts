/** What a node speaks: Kubo's RPC API; the two requests of `helia-node.ts`; or a gateway, which takes no files. */
export type Api = 'kubo' | 'node' | 'ipfsz'

/**
 * How a file gets into a node: through its API, from the client; or by a command that is started on the node's host for
 * each file, `ipfs add` or `ipfsz add`, which pins it too.
 */
export type Door = 'write' | 'write by a command'

/** An object to write or to read. */
export interface SiteObject {
  /** Bytes. */
  size: number
  compressible: boolean
  seed: number
}

/** Work for the client of a site. The answer is one `Outcome` for each item, in order. */
export interface Job {
  kind: Door | 'read'
  api: Api
  /** How many objects are written or read at a time. */
  concurrency: number
  /** How long each may take, in milliseconds. */
  timeout: number
  /** Each with the address of the node to ask, and the CID to read. */
  items: Array<SiteObject & { node: string, cid?: string }>
}

export interface Outcome {
  /** Milliseconds. */
  wall: number
  /** Of what was written. */
  cid?: string
  /** Whether the node that was asked had written it, of what was read. */
  byWriter?: boolean
  /** Why it failed. */
  failure?: string
}

/** The argument of the process of a Helia node. */
export interface HeliaNodeInit {
  /** The address to listen on. */
  address: string
  /** The directory of its blocks, or the URL of an S3 server or of Cassandra. Other nodes may use it too. */
  blocks: string
  /** Plain UnixFS in an FsBlockstore; or compressed files, under marked CIDs, in a SharedFsBlockstore or at the URL. */
  kind: 'helia' | 'ipfsz'
}

/** The first line that the process prints. */
export interface HeliaNode {
  /** Its address on libp2p. */
  multiaddr: string
}

/** What every S3 server here accepts. */
export const CREDENTIALS = { accessKeyId: 'ipfsz', secretAccessKey: 'ipfsz-secret' }
/** The bucket of a site. */
export const BUCKET = 'site'
/** The port of an S3 server. */
export const S3_PORT = 9000
/** The port of a node's API. */
export const API_PORT = 5001
/** The port of what adds by a command. */
export const COMMAND_PORT = 5002
/** The port of an ipfsz daemon's gateway. */
export const GATEWAY_PORT = 8080
/** The port of a node on libp2p. */
export const SWARM_PORT = 4001
