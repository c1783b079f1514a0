// @ipfsz/gateway/libp2p: DEFAULT_LIBP2P_HELD_BYTES, DEFAULT_LIBP2P_REQUESTS, DEFAULT_LIBP2P_REQUESTS_PER_PEER, HTTP_PROTOCOL, Libp2pGatewayInit, serveOverLibp2p
// @ipfsz/gateway/node: ClientRequest, DEFAULT_MAX_CONNECTIONS, IsTrusted, NodeHandler, NodeHandlerInit, NodeServer, NodeServerInit, TrustedProxies, clientAddress, createNodeHandler, createNodeServer, trustedProxies
// @ipfsz/gateway/service-worker: DEFAULT_CACHE_SIZE, FetchedBlock, ServiceWorkerInit, SiteInit, WorkerGatewayInit, registerIpfsz
// @ipfsz/gateway: BlockTooLargeError, BodyError, BodyLengthError, BodyStalledError, BodyTooLargeError, CarTooLargeError, CompressedBlock, Compressor, CompressorInit, ContentCoding, DEFAULT_COMPRESSED_CACHE, DEFAULT_COMPRESSIONS, DEFAULT_CPU_SHARE, DEFAULT_DECOMPRESSED_BYTES, DEFAULT_HELD_BYTES, DEFAULT_LISTED_ENTRIES, DEFAULT_STALL_TIMEOUT, DEFAULT_START_TIMEOUT, EntryNotFoundError, Gateway, GatewayBlocks, GatewayComponents, GatewayError, GatewayInit, GatewayLimits, InvalidHostError, InvalidPathError, InvalidProxyError, InvalidRedirectsFileError, LabelTooLongError, NameNotFoundError, NameResolver, NamesUnavailableError, NotContentPathError, PathInDocumentError, PathTooCostlyError, PathTooSlowError, ResolvedName, ResponseTooSlowError, RootReader, StoredBlock, createCompressor, createGateway

class BlockTooLargeError extends GatewayError {
    static readonly name = "BlockTooLargeError";
    readonly cid: CID;
    readonly limit: number;
    constructor(cid: CID, limit: number, options?: ErrorOptions);
}

abstract class BodyError extends NamedError {
}

class BodyLengthError extends BodyError {
    static readonly name = "BodyLengthError";
    readonly expected: number;
    readonly actual: number;
    constructor(expected: number, actual: number, options?: ErrorOptions);
}

class BodyStalledError extends BodyError {
    static readonly name = "BodyStalledError";
    readonly time: number;
    constructor(time: number, options?: ErrorOptions);
}

class BodyTooLargeError extends BodyError {
    static readonly name = "BodyTooLargeError";
    readonly limit: number;
    constructor(limit: number, options?: ErrorOptions);
}

class CarTooLargeError extends NamedError {
    static readonly name = "CarTooLargeError";
    readonly maxBlocks: number;
    constructor(maxBlocks: number, options?: ErrorOptions);
}

interface ClientRequest {
    headers: IncomingHttpHeaders;
    socket: {
        remoteAddress?: string | undefined;
    };
}

interface CompressedBlock {
    bytes: Uint8Array;
    coding: ContentCoding;
}

interface Compressor {
    findBlock(cid: CID, codings: readonly ContentCoding[]): CompressedBlock | undefined;
    compressBlock(cid: CID, bytes: Uint8Array, codings: readonly ContentCoding[]): Promise<CompressedBlock | undefined>;
    takesFiles(): boolean;
    gzipFile(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
    compressDelta?(key: string, read: () => Promise<{
        bytes: Uint8Array;
        dictionary: Uint8Array;
    }>): Promise<Uint8Array | undefined>;
}

interface CompressorInit {
    cpuShare?: number | undefined;
    concurrency?: number | undefined;
    cacheSize?: number | undefined;
    files?: boolean | undefined;
}

type ContentCoding = 'br' | 'gzip' | 'zstd';

const DEFAULT_CACHE_SIZE: number;

const DEFAULT_COMPRESSED_CACHE: number;

const DEFAULT_COMPRESSIONS = 2;

const DEFAULT_CPU_SHARE = 0.25;

const DEFAULT_DECOMPRESSED_BYTES: number;

const DEFAULT_HELD_BYTES: number;

const DEFAULT_LIBP2P_HELD_BYTES: number;

const DEFAULT_LIBP2P_REQUESTS = 256;

const DEFAULT_LIBP2P_REQUESTS_PER_PEER = 32;

const DEFAULT_LISTED_ENTRIES = 10000;

const DEFAULT_MAX_CONNECTIONS = 8192;

const DEFAULT_STALL_TIMEOUT = 60000;

const DEFAULT_START_TIMEOUT = 60000;

class EntryNotFoundError extends GatewayError {
    static readonly name = "EntryNotFoundError";
    readonly segment: string;
    readonly cid: CID;
    constructor(segment: string, cid: CID, options?: ErrorOptions);
}

interface FetchedBlock {
    cid: CID;
    root: CID;
    size: number;
}

type Gateway = (request: Request) => Promise<Response>;
//# sourceMappingURL=contract.d.ts.map

interface GatewayBlocks {
    get(cid: CID, options?: {
        signal?: AbortSignal;
    }): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
    has(cid: CID, options?: {
        signal?: AbortSignal;
    }): Promise<boolean> | boolean;
    getStored?(cid: CID, options?: {
        signal?: AbortSignal;
    }): Promise<StoredBlock>;
}

interface GatewayComponents extends RootReader {
    below?(root: CID): RootReader;
    names?: NameResolver | undefined;
}

class GatewayError extends NamedError {
    static readonly name: string;
    readonly status: number;
    constructor(status: number, message: string, options?: ErrorOptions);
}

interface GatewayInit {
    subdomainHosts?: readonly string[] | undefined;
    trustlessHosts?: readonly string[] | undefined;
    isServed?(cid: CID): Promise<boolean> | boolean;
    compressor?: Compressor | undefined;
    onError?: ((err: unknown, request: Request) => void) | undefined;
    limits?: Partial<GatewayLimits> | undefined;
}

interface GatewayLimits {
    stallTimeout: number;
    startTimeout: number;
    pathTime: number;
    listedEntries: number;
    decompressedBytes: number;
    heldBytes: number;
}

const HTTP_PROTOCOL = "/http/1.1";

class InvalidHostError extends GatewayError {
    static readonly name = "InvalidHostError";
    readonly host: string;
    constructor(host: string, reason: string);
}

class InvalidPathError extends GatewayError {
    static readonly name = "InvalidPathError";
    readonly path: string;
    constructor(path: string, reason: string, options?: ErrorOptions);
}

class InvalidProxyError extends NamedError {
    static readonly name = "InvalidProxyError";
    readonly proxy: string;
    constructor(given: string, options?: ErrorOptions);
}

class InvalidRedirectsFileError extends GatewayError {
    static readonly name = "InvalidRedirectsFileError";
    readonly line: number | undefined;
    constructor(reason: string, { line, ...options }?: ErrorOptions & {
        line?: number;
    });
}

type IsTrusted = (address: string) => boolean;

class LabelTooLongError extends GatewayError {
    static readonly name = "LabelTooLongError";
    readonly root: string;
    constructor(what: 'CID' | 'DNSLink name', root: string);
}

interface Libp2pGatewayInit extends Pick<GatewayInit, 'isServed' | 'onError'> {
    requests?: number | undefined;
    requestsPerPeer?: number | undefined;
    heldBytes?: number | undefined;
}

class NameNotFoundError extends NamedError {
    static readonly name = "NameNotFoundError";
    readonly subject: string;
    constructor(subject: string, options?: ErrorOptions);
}

interface NameResolver {
    resolve(name: string, options: {
        signal: AbortSignal;
    }): Promise<ResolvedName>;
    record?(name: string, options: {
        signal: AbortSignal;
    }): Promise<Uint8Array>;
}

class NamesUnavailableError extends GatewayError {
    static readonly name = "NamesUnavailableError";
    readonly subject: string;
    constructor(subject: string);
}

type NodeHandler = (req: NodeRequestMessage, res: NodeResponseMessage) => void;

interface NodeHandlerInit {
    requests?: number | undefined;
    requestsPerAddress?: number | undefined;
    stalledAfter?: number | undefined;
    trustProxy?: TrustedProxies | undefined;
}

type NodeRequestMessage = IncomingMessage | Http2ServerRequest;

type NodeResponseMessage = ServerResponse | Http2ServerResponse;

type NodeServer = Server | Http2SecureServer;

interface NodeServerInit extends NodeHandlerInit {
    tls?: {
        key: string;
        cert: string;
    } | undefined;
    idleTimeout?: number | undefined;
    maxHeaderSize?: number | undefined;
    maxConnections?: number | undefined;
    connectionsPerAddress?: number | undefined;
}

class NotContentPathError extends GatewayError {
    static readonly name = "NotContentPathError";
    readonly path: string;
    constructor(path: string, reason?: string, options?: ErrorOptions);
}

class PathInDocumentError extends GatewayError {
    static readonly name = "PathInDocumentError";
    readonly cid: CID;
    readonly path: string;
    constructor(cid: CID, path: string, options?: ErrorOptions);
}

class PathTooCostlyError extends GatewayError {
    static readonly name = "PathTooCostlyError";
    readonly cid: CID;
    readonly limit: number;
    constructor(cid: CID, limit: number);
}

class PathTooSlowError extends GatewayError {
    static readonly name = "PathTooSlowError";
    readonly cid: CID;
    readonly limit: number;
    constructor(cid: CID, limit: number);
}

interface ResolvedName {
    cid: CID;
    path: string[];
    ttl: number;
}

class ResponseTooSlowError extends BodyError {
    static readonly name = "ResponseTooSlowError";
    constructor(options?: ErrorOptions);
}
//# sourceMappingURL=errors.d.ts.map

interface RootReader {
    fs: Pick<Ipfsz, 'ls' | 'open' | 'stat'>;
    blocks: GatewayBlocks;
}

interface ServiceWorkerInit extends WorkerGatewayInit {
    site?: SiteInit | undefined;
}

interface SiteInit {
    root: CID | string;
    except?: readonly string[] | undefined;
}

interface StoredBlock {
    codec: string;
    size: number;
    payload: Uint8Array;
}

type TrustedProxies = 'loopback' | readonly string[];

interface WorkerGatewayInit {
    gateways: readonly string[];
    codecs?: readonly Codec[] | undefined;
    trusted?: ReadonlyArray<CID | string> | undefined;
    cacheSize?: number | undefined;
    onBlock?: ((block: FetchedBlock) => void) | undefined;
    timeout?: number | undefined;
}

function clientAddress({ headers, socket: { remoteAddress } }: ClientRequest, isTrusted: IsTrusted): string;

function createCompressor(init?: CompressorInit): Compressor;

function createGateway(components: GatewayComponents, init?: GatewayInit): Gateway;
//# sourceMappingURL=create-gateway.d.ts.map

function createNodeHandler(gateway: Gateway, init?: NodeHandlerInit): NodeHandler;

function createNodeServer(gateway: Gateway, init?: NodeServerInit): NodeServer;
//# sourceMappingURL=server.d.ts.map

function registerIpfsz({ site: siteInit, trusted, ...init }: ServiceWorkerInit): void;
//# sourceMappingURL=register.d.ts.map

function serveOverLibp2p(libp2p: Pick<Libp2p, 'handle' | 'unhandle'>, components: GatewayComponents, init?: Libp2pGatewayInit): Promise<() => Promise<void>>;
//# sourceMappingURL=serve.d.ts.map

function trustedProxies(proxies?: TrustedProxies): IsTrusted;
