import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** What reads a root, and all that is below it. */
export interface RootReader {
  /** Reads files and directories, marked and plain, and files as they are stored. */
  fs: Pick<Ipfsz, 'cat' | 'ls' | 'stat' | 'storedFile'>
  /** Blocks for `?format=raw`, CARs, and DAG-CBOR and DAG-JSON documents. */
  blocks: GatewayBlocks
}

/** What a gateway serves from. */
export interface GatewayComponents extends RootReader {
  /**
   * What reads a root, where that depends on the root: one that fetches asks the providers of the root for all
   * that is below it. Called once for each request that reads, with the CID as it was asked for.
   *
   * @default `fs` and `blocks` for every root
   */
  below? (root: CID): RootReader
  /** Resolves `/ipns` names. Without it, the gateway answers them with 501. */
  names?: NameResolver | undefined
}

/** A blockstore: that of a Helia node, or a CompressedBlockstore, whose compressed blocks go out as they are stored. */
export interface GatewayBlocks {
  get (cid: CID, options?: { signal?: AbortSignal }): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  has (cid: CID, options?: { signal?: AbortSignal }): Promise<boolean> | boolean
  getStored? (cid: CID, options?: { signal?: AbortSignal }): Promise<StoredBlock>
}

/** A block as it is stored. */
export interface StoredBlock {
  /** The codec that decompresses the payload, or `none`. */
  codec: string
  /** Bytes of the block. */
  size: number
  payload: Uint8Array
}

/** The content codings that responses can have. */
export type ContentCoding = 'br' | 'gzip' | 'zstd'

/** A block that was compressed for a response. */
export interface CompressedBlock {
  bytes: Uint8Array
  coding: ContentCoding
}

/**
 * Compresses responses that are not stored in a form that their clients take, as fast and as often as it is
 * allowed to. `createCompressor` makes one. Calls of it do not reject.
 */
export interface Compressor {
  /** A block that was compressed before. */
  findBlock (cid: CID, codings: readonly ContentCoding[]): CompressedBlock | undefined

  /**
   * Compress a block. Undefined: it is not worth it, or no processor time is left for it.
   *
   * @param bytes - the whole block, which was compared with the CID
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
  /** Names below the CID. */
  path: string[]
  /** How long the answer may be cached, in seconds. */
  ttl: number
}

export interface GatewayInit {
  /**
   * Hosts whose subdomains are origins of their own: `bafy....ipfs.HOST` and `KEY.ipns.HOST`. Paths of
   * these hosts are redirected there.
   *
   * @default ['localhost']
   */
  subdomainHosts?: readonly string[] | undefined

  /** Hosts that serve blocks, CARs and IPNS records alone (specs.ipfs.tech/http-gateways/trustless-gateway). */
  trustlessHosts?: readonly string[] | undefined

  /**
   * Whether a root may be served. A gateway that answers for every root fetches for strangers: an open
   * proxy.
   *
   * @default every root of `components`
   */
  isServed? (cid: CID): Promise<boolean> | boolean

  /**
   * Compresses blocks that are not stored compressed, or with a codec that the client does not take, and, if it
   * is made so, files that the client cannot take as they are stored.
   *
   * @default these go out uncompressed
   */
  compressor?: Compressor | undefined

  /**
   * Called with each failure of the gateway's own, which clients are not told: a damaged block, a disk or codec
   * that fails. The response has the status 500, or its body breaks off.
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
   * Milliseconds until the response begins.
   *
   * @default 60000
   */
  startTimeout: number
  /**
   * The most entries of a directory in one page of HTML.
   *
   * @default 10000
   */
  listedEntries: number
  /**
   * The most original bytes that a response without a range decompresses on the fly. Stored bytes that
   * pass through, and ranges, are not limited.
   *
   * @default 68719476736
   */
  decompressedBytes: number
  /**
   * About the most bytes that all responses together hold: what they decompress and read ahead, and what their
   * clients have not taken yet. More of them take turns. Each response also has 64 KiB that do not count.
   *
   * @default 268435456
   */
  heldBytes: number
}

/** Answers a request. Never rejects: failures are responses, or errors of the body that cut the connection. */
export type Gateway = (request: Request) => Promise<Response>
