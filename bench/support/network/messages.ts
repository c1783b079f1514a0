import type { Transport } from './node.ts'

/** The argument of a provider process. */
export interface ProviderInit {
  /** A directory with the blocks of an FsBlockstore. */
  blocks: string
  transport: Transport
}

export interface Provider {
  peer: string
  port: number
}

/** The argument of a fetcher process. */
export interface FetcherInit {
  /** The provider's peer ID, and the port on loopback to dial. */
  peer: string
  port: number
  transport: Transport
  reader: 'helia' | 'ipfsz'
  cid: string
  /** The size of the file in bytes. */
  size: number
  /** In milliseconds. */
  timeout: number
}

/** The outcome of a fetch: the time to the first and to the last byte, in milliseconds. */
export interface Fetched {
  first: number
  wall: number
  /** Processor time of the fetcher, in milliseconds. Unknown for a command. */
  cpu?: number
  /** Bytes that were read. */
  size: number
  /** Why it failed, if it did, such as the name of an error. */
  failure?: string
}

/** The argument of a process that reads through a Kubo daemon. */
export interface KuboFetcherInit {
  url: string
  /** Whether the file is a zstd stream to decompress, as `zstd -dc` would. */
  decompress: boolean
  size: number
  timeout: number
}

/** What a process reports that ran the command. Times are in milliseconds since 1970, with fractions. */
export interface CommandRun {
  /** Whether it exited with 0. */
  good: boolean
  /** The number of bytes that it printed. */
  size: number
  /** When the first of them was read. */
  first: number
  end: number
  stderr: string
}
