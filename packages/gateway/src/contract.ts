import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Reads a root and everything below it. */
export interface RootReader {
  /** Reads files and directories, marked and plain, and the stored frames of files. */
  fs: Pick<Ipfsz, 'ls' | 'open' | 'stat'>
  /** Blocks for `?format=raw`, CARs, and DAG-CBOR and DAG-JSON documents. */
  blocks: GatewayBlocks
}

/** The sources of a gateway. */
export interface GatewayComponents extends RootReader {
  /**
   * Returns the components that read a root, for example to fetch everything below it from the providers of the root.
   * Called once for each request that reads, with the CID in the request.
   *
   * @default `fs` and `blocks` for every root
   */
  below? (root: CID): RootReader
  /** Resolves `/ipns` names. Without it, the gateway answers them with 501. */
  names?: NameResolver | undefined
}

/** A blockstore: of a Helia node, or a CompressedBlockstore, whose compressed blocks are sent as stored. */
export interface GatewayBlocks {
  get (cid: CID, options?: { signal?: AbortSignal }): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  has (cid: CID, options?: { signal?: AbortSignal }): Promise<boolean> | boolean
  getStored? (cid: CID, options?: { signal?: AbortSignal }): Promise<StoredBlock>
}

export interface StoredBlock {
  /** The codec that decompresses the payload, or `none`. */
  codec: string
  /** Bytes of the block. */
  size: number
  payload: Uint8Array
}

/** The content codings that responses can have. */
export type ContentCoding = 'br' | 'gzip' | 'zstd'

export interface CompressedBlock {
  bytes: Uint8Array
  coding: ContentCoding
}

/**
 * Compresses responses that are not stored in an encoding that the client accepts, within its CPU budget.
 * `createCompressor` creates one. Its methods do not reject, unless what they read does.
 */
export interface Compressor {
  /** Return a compressed block from the cache. */
  findBlock (cid: CID, codings: readonly ContentCoding[]): CompressedBlock | undefined

  /**
   * Compress a block. Undefined if it would not shrink, or if the CPU budget is used up.
   *
   * @param bytes - the whole block, already verified
   */
  compressBlock (
    cid: CID,
    bytes: Uint8Array,
    codings: readonly ContentCoding[]
  ): Promise<CompressedBlock | undefined>

  /** Whether files may be sent through `gzipFile` now. */
  takesFiles (): boolean

  /** Compress the original bytes of a file as one gzip member. */
  gzipFile (source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>

  /**
   * Compress a file as one zstd frame, for a client that has another version of it as a dictionary. Once for all
   * clients that have the same: frames are cached.
   *
   * @param key - what names both
   * @param read - reads both. It is not called if the CPU budget is used up. If it rejects, so does this method
   * @returns undefined if no time is left, or if the frame would have more than half of the bytes
   * @default no file is compressed with a dictionary
   */
  compressDelta? (
    key: string,
    read: () => Promise<{ bytes: Uint8Array, dictionary: Uint8Array }>
  ): Promise<Uint8Array | undefined>
}

export interface NameResolver {
  /**
   * Resolve an IPNS key or a DNSLink name.
   *
   * @throws {NameNotFoundError} the name has no record
   */
  resolve (name: string, options: { signal: AbortSignal }): Promise<ResolvedName>

  /** The signed IPNS record of a key, for `?format=ipns-record`. */
  record? (name: string, options: { signal: AbortSignal }): Promise<Uint8Array>
}

export interface ResolvedName {
  cid: CID
  /** The path below the CID. */
  path: string[]
  /** How long the result may be cached, in seconds. */
  ttl: number
}

export interface GatewayInit {
  /**
   * Hosts whose subdomains are separate origins: `bafy....ipfs.HOST` and `KEY.ipns.HOST`. Paths of
   * these hosts are redirected there.
   *
   * @default ['localhost']
   */
  subdomainHosts?: readonly string[] | undefined

  /** Hosts that serve only blocks, CARs and IPNS records (specs.ipfs.tech/http-gateways/trustless-gateway). */
  trustlessHosts?: readonly string[] | undefined

  /**
   * Whether a root may be served. A gateway that fetches and serves every root is an open
   * proxy.
   *
   * @default every root of `components`
   */
  isServed? (cid: CID): Promise<boolean> | boolean

  /**
   * Compresses blocks that are stored uncompressed, or with a codec that the client does not accept, and optionally
   * files whose stored encoding the client does not accept.
   *
   * @default these are sent uncompressed
   */
  compressor?: Compressor | undefined

  /**
   * Called with each internal failure, whose details are hidden from clients: a damaged block, a failing disk or
   * codec. The response has the status 500, or its body ends early.
   */
  onError?: ((err: unknown, request: Request) => void) | undefined

  /** Limits of one response. */
  limits?: Partial<GatewayLimits> | undefined
}

export interface GatewayLimits {
  /**
   * Milliseconds without a byte for the body.
   *
   * @default 60000
   */
  stallTimeout: number
  /**
   * Milliseconds until the response starts.
   *
   * @default 60000
   */
  startTimeout: number
  /**
   * Milliseconds of processing to resolve the paths of one request, without waiting for blocks. Other requests are
   * answered meanwhile.
   *
   * @default 5000
   */
  pathTime: number
  /**
   * Maximum number of entries in the HTML page of a directory.
   *
   * @default 10000
   */
  listedEntries: number
  /**
   * Maximum number of bytes decompressed for a response without a range. Frames sent as stored, and
   * ranges, are not limited.
   *
   * @default 68719476736
   */
  decompressedBytes: number
  /**
   * Approximate memory limit of all responses together: decompressed data, data read ahead, and data that clients
   * have not received yet. Beyond it, responses take turns. Each response has 64 KiB in addition.
   *
   * @default 268435456
   */
  heldBytes: number
}

/** Answers a request. Never rejects: failures are responses, or errors of the body that close the connection. */
export type Gateway = (request: Request) => Promise<Response>
