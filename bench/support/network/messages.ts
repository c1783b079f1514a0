import type { Transport } from './node.ts'

/** What a provider is started with. */
export interface ProviderInit {
  /** A directory with the blocks of an FsBlockstore. */
  blocks: string
  transport: Transport
}

export interface Provider {
  peer: string
  port: number
}

/** What a fetcher is started with. */
export interface FetcherInit {
  /** The provider's peer id, and the port on loopback where it is reached. */
  peer: string
  port: number
  transport: Transport
  reader: 'helia' | 'ipfsz'
  cid: string
  /** How many bytes are to be read. */
  size: number
  /** When to give up, in milliseconds. */
  timeout: number
}

/** How a fetch went: the time to the first and to the last byte, in milliseconds. */
export interface Fetched {
  first: number
  wall: number
  /** Of what fetches, in milliseconds. Not known of a command. */
  cpu?: number
  /** Bytes that were read. */
  size: number
  /** What went wrong, if something did: the error's name. */
  failure?: string
}

/** What a reader of a Kubo daemon is started with. */
export interface KuboFetcherInit {
  url: string
  /** Whether it is a stream of zstd, as `zstd -dc` reads it. */
  decompress: boolean
  size: number
  timeout: number
}
