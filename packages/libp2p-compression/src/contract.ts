import type { CompressionCodec } from './negotiation/codec-names.ts'
import type { AbortOptions, Connection, Libp2p, Metrics, NewStreamOptions, PeerStore, Stream, StreamHandler, StreamHandlerOptions, StreamHandlerRecord, StreamMiddleware } from '@libp2p/interface'

export interface CompressInit {
  /**
   * What may compress, the preferred one first. What does not run on the platform is
   * left out: zstd in browsers.
   *
   * @default ['zstd', 'gzip', 'lz4']
   */
  codecs?: readonly CompressionCodec[]

  /**
   * How hard this side tries: 1 to 19 for zstd, 1 to 9 for gzip; lz4 has only 1. One
   * number is for all of them, up to the most that each has. Levels are not
   * negotiated: each side has its own.
   *
   * @default { zstd: 1, gzip: 3 }
   */
  level?: number | Partial<Record<CompressionCodec, number>>
}

/** What is used of libp2p. */
export interface CompressionComponents {
  metrics?: Metrics
}

export interface CompressProtocolsInit extends CompressInit {
  /** The ids of the protocols to compress, and no others. */
  protocols: readonly string[]
}

type Dialable = Parameters<Libp2p['dial']>[0]

/** What is used of libp2p, and of it what is replaced. */
export interface ProtocolComponents extends CompressionComponents {
  peerStore: Pick<PeerStore, 'get'>
  registrar: {
    handle (protocol: string, handler: StreamHandler, options?: StreamHandlerOptions): Promise<void>
    unhandle (protocols: string | string[], options?: AbortOptions): Promise<void>
    getHandler (protocol: string): StreamHandlerRecord
    getMiddleware (protocol: string): StreamMiddleware[]
  }
  connectionManager: {
    openConnection (peer: Dialable, options?: AbortOptions): Promise<Connection>
    openStream (peer: Dialable, protocols: string | string[], options?: NewStreamOptions): Promise<Stream>
  }
}
