import type {
  AbortOptions,
  Connection,
  Libp2p,
  Metrics,
  NewStreamOptions,
  PeerStore,
  Stream,
  StreamHandler,
  StreamHandlerOptions,
  StreamHandlerRecord,
  StreamMiddleware
} from '@libp2p/interface'

/** The codecs for connections. `gzip` is raw deflate, without gzip's header and checksum. */
export type CompressionCodec = 'zstd' | 'gzip' | 'lz4'

export interface CompressInit {
  /**
   * The codecs to offer, the preferred one first. Codecs that do not run on the platform are
   * skipped: zstd in browsers.
   *
   * @default ['zstd', 'gzip', 'lz4']
   */
  codecs?: readonly CompressionCodec[]

  /**
   * The compression level of this side: 1 to 19 for zstd, 1 to 9 for gzip, 1 for lz4. A
   * single number applies to all codecs, up to the highest level of each. Levels are not
   * negotiated: each side chooses its own.
   *
   * @default { zstd: 1, gzip: 3 }
   */
  level?: number | Partial<Record<CompressionCodec, number>>
}

/** The components of libp2p that `compress` uses. */
export interface CompressionComponents {
  metrics?: Metrics
}

export interface CompressProtocolsInit extends CompressInit {
  /** The ids of the protocols to compress. All others are not compressed. */
  protocols: readonly string[]
}

type Dialable = Parameters<Libp2p['dial']>[0]

/** The components of libp2p that `compressProtocols` uses. It replaces methods of the last two. */
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
