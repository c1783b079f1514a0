// @ipfsz/core/http: Fetch, FilePart, GatewayBlock, GatewayBody, GatewayBusyError, GatewayConnectionError, GatewayContentError, GatewayPool, GatewayRefusedError, GatewayRequest, GatewayResponse, GatewaySettingsInit, GatewayStalledError, GatewaysFailedError, HttpSource, HttpSourceInit, InvalidGatewayUrlError, ReadPlan, RequestOptions, SourceFetchOptions, isCut, openResponse, parseGatewayUrl
// @ipfsz/core/kubo: KuboBlockstore, KuboCallOptions, KuboCheckOptions, KuboCidMismatchError, KuboClient, KuboFailedError, KuboForbiddenError, KuboInit, KuboPinOptions, KuboPutOptions, KuboUnreachableError, KuboUnsupportedCidError, NotKuboError, checkKubo, createIpfszForKubo, pinInKubo
// @ipfsz/core/libp2p: EarlyBudget, GatewayResponse, HTTP_PROTOCOL, HttpPeer, HttpPeers, HttpPeersComponents, InvalidResponseError, PeerFetchOptions, PeerGateways, PeerGatewaysInit, ReadPlan, connectedPeers, earlyBudget, fetchOverStream
// @ipfsz/core/nodes: FileNode, NodeLinks, decodeBlock, decodeNode, findHeader
// @ipfsz/core/originals: AddOriginalsOptions, DerivedBlockstore, DerivedBlockstoreInit, ImportDagOptions, ImportedDag, ImportedFile, ORIGINAL_LAYOUTS, Original, Originals, OriginalsComponents, OriginalsDatastore, OriginalsInit, PruneOriginalsOptions, importDag
// @ipfsz/core/reader: AlreadyExistsError, BaseTooCostlyError, BlockNotFoundWhileOfflineError, ContentMismatchError, CorruptBlockError, CorruptFrameError, DagTooLargeError, DecodeQueueFullError, DigestLengthError, DoesNotExistError, FetchStalledError, FileClosedError, FileHandle, FileReadOptions, FileTooLargeError, FrameTooLargeError, HeaderRule, InvalidBaseError, InvalidDagError, InvalidFrameSizeError, InvalidHeaderError, InvalidLevelError, InvalidLinkError, InvalidOriginalError, InvalidParametersError, InvalidTrailerError, IpfszReader, LinkMismatchError, LinkedFileMissingError, LinksUnavailableError, MissingHeaderError, MissingImplementationError, NotADirectoryError, NotAFileError, NotFoundError, NotMarkableError, NotUnixFSError, OpenOptions, OriginalMismatchError, ReaderComponents, ReaderInit, TREE_CODE, UncheckedLinkError, UnknownCodecError, UnknownHashError, UnknownMarkerError, UnlinkedFileError, UnreadableBaseError, VerifyFailedError, WindowTooLargeError, WrongBaseError, checkBlock, checkHash, codecName, ipfszReader, isIdentity, isMarked, mark, notUnixFS, readableWith, unmark
// @ipfsz/core/small-files: DecodedFile, DictionaryWindow, EncodedBlock, EncodedFile, EncodedLargeFile, FileDictionaries, FileMarker, MAX_DICTIONARY_FILE, Metadata, SharedDictionary, SmallFile, SmallFileDecoder, SmallFileDecoderInit, SmallFileEncoder, SmallFileEncoderInit, createSmallFileDecoder, createSmallFileEncoder, mayHaveDictionary
// @ipfsz/core/with-codecs: WithCodecsInit, ipfsz
// @ipfsz/core: AddAllOptions, AddCandidate, AddCandidateStream, AddEvents, AddFileOptions, AddFrameEvents, AddLinkOptions, AddOptions, AlreadyExistsError, BaseOf, BaseOfBase, BaseTooCostlyError, BasedFile, BlockNotFoundWhileOfflineError, BlockSource, BlocksBelow, BlocksOptions, ByteStream, CatEvents, CatFrameEvents, CatOptions, ChmodOptions, CodeOf, CompressionOptions, CompressionStats, ContentMismatchError, CorruptBlockError, CorruptFrameError, CpOptions, DEFAULT_FETCH_AHEAD, DEFAULT_FETCH_BYTES, DEFAULT_FETCH_TIMEOUT, DEFAULT_FRAME_SIZE, DEFAULT_IN_FLIGHT_BYTES, DEFAULT_STALL_TIMEOUT, DagMeter, DagMeterInit, DagTooLargeError, DagTotals, DecidedProgress, DecodeQueueFullError, DigestLengthError, DirectoryCandidate, DirectoryEntry, DirectoryLink, DoesNotExistError, EntryLocation, ExtendedStatOptions, ExtendedStats, FetchEvents, FetchInit, FetchRetryProgress, FetchStalledError, FetchedBlockProgress, FileCandidate, FileClosedError, FileHandle, FilePart, FileReadOptions, FileTooLargeError, FrameProgress, FrameTooLargeError, FramesOptions, HeaderRule, ImportCandidateStream, ImportResult, InvalidBaseError, InvalidDagError, InvalidFrameSizeError, InvalidHeaderError, InvalidLevelError, InvalidLinkError, InvalidOriginalError, InvalidParametersError, InvalidTrailerError, Ipfsz, IpfszComponents, IpfszInit, IpfszReader, Link, LinkDatastore, LinkEvents, LinkInsteadProgress, LinkMismatchError, LinkOptions, LinkOutcome, LinkProgress, LinkedFileMissingError, Links, LinksUnavailableError, LsOptions, MARKERS, MIN_FRAME_SIZE, MarkerCode, MarkerName, MeasureOptions, Measured, MissingHeaderError, MissingImplementationError, MkdirOptions, Mtime, NotADirectoryError, NotAFileError, NotFoundError, NotMarkableError, NotUnixFSError, OpenOptions, Optimize, OriginalMismatchError, PEER_STALL_TIMEOUT, ProgressHandler, ProviderRouting, PruneOptions, ReadCost, ReferredFile, RepeatedProgress, RmOptions, SILENT_PEER_TIMEOUT, SKETCHED_SIZE, STALL_CHECK_INTERVAL, SeenBlocks, SourceBlock, SourceOptions, StallDetector, StallDetectorInit, StatOptions, Stats, StoredFile, TREE_CODE, TouchOptions, UncheckedLinkError, UnknownCodecError, UnknownHashError, UnknownMarkerError, UnlinkedFileError, UnreadableBaseError, VerifyEvents, VerifyFailedError, VerifyFileEvents, VerifyOptions, VerifyProgress, VerifyReport, WindowTooLargeError, WrappedBlockstore, WrittenCandidate, WrittenFile, WrongBaseError, checkBlock, checkHash, codecName, copyLinks, describeLink, documentLinks, followDocument, frameConcurrency, heliaSource, ipfsz, isDamage, isDocument, isIdentity, isMarked, isRefusal, listDirectory, locateEntry, mark, markerCodecs, notUnixFS, readableWith, shardLinks, sketchOf, storedModeOf, unmark, withIpfsz

interface AddAllOptions extends AddOptions {
    depthFirst?: boolean | undefined;
    onWritten?(files: WrittenCandidate): Promise<void>;
}

type AddCandidate = Elements<ImportCandidateStream> | WrittenCandidate;

type AddCandidateStream = AsyncIterable<AddCandidate> | Iterable<AddCandidate>;

type AddEvents = unixfs.AddEvents | AddFrameEvents;

interface AddFileOptions extends Omit<AddOptions, 'wrapWithDirectory'>, Pick<unixfs.FileCandidate, 'mode' | 'mtime'> {
}

type AddFrameEvents = ProgressEvent<'ipfsz:add:repeated', RepeatedProgress> | ProgressEvent<'ipfsz:add:decided', DecidedProgress> | ProgressEvent<'ipfsz:add:frame', FrameProgress>;

interface AddLinkOptions extends LinkOptions, ProgressOptions<CatFrameEvents> {
    unchecked?: boolean | undefined;
    maxWindowSize?: number | undefined;
}

interface AddOptions extends Omit<unixfs.AddOptions, 'onProgress'>, ProgressHandler<AddEvents> {
    compression?: CompressionOptions | undefined;
    link?: boolean | undefined;
}

interface AddOriginalsOptions extends LinkOptions, ProgressOptions<CatFrameEvents> {
}

type BaseOf = (path: string | undefined, start: Uint8Array) => CID | undefined | Promise<CID | undefined>;

type BaseOfBase = 'flatten' | 'refuse';

class BaseTooCostlyError extends NamedError {
    static readonly name = "BaseTooCostlyError";
    readonly cid: CID;
    readonly base: CID;
    readonly limit: number;
    constructor(cid: CID, base: CID, limit: number, options?: ErrorOptions);
}

interface BasedFile extends StoredFile {
    base: CID;
    regions: ReadonlyArray<{
        offset: number;
        length: number;
    }>;
}

class BlockNotFoundWhileOfflineError extends NamedError {
    static readonly name = "BlockNotFoundWhileOfflineError";
    readonly cid: CID;
    constructor(cid: CID, place: string, options?: ErrorOptions);
}

interface BlockSource {
    fetch(cid: CID, options: SourceOptions): Promise<SourceBlock>;
    found?(cid: CID, options: Pick<SourceOptions, 'part'>): void;
    failures?(): readonly Error[];
    gaveUp?(root: CID, time: number): Promise<number | undefined>;
}

interface BlocksBelow {
    readonly checksBlocks?: boolean | undefined;
    get(cid: CID, options?: {
        signal?: AbortSignal | null | undefined;
        offline?: boolean | undefined;
        size?: number | undefined;
        isFarAhead?: boolean | undefined;
    }): AsyncGenerator<Uint8Array>;
    has(...args: Parameters<Blockstore['has']>): Promise<boolean>;
}

interface BlocksOptions {
    signal?: AbortSignal | null | undefined;
}

interface CachedRoot {
    block: Uint8Array;
    node: FileNode;
    header?: Header;
}

interface CallOptions {
    signal?: AbortSignal | null;
    offline?: boolean;
}

type CatEvents = unixfs.GetEvents | CatFrameEvents | FetchEvents | LinkEvents;

type CatFrameEvents = ProgressEvent<'ipfsz:cat:frame', FrameProgress>;

interface CatOptions extends Omit<unixfs.CatOptions, 'onProgress' | 'signal'>, Omit<ReadOptions, 'onProgress'>, ProgressHandler<CatEvents> {
    maxWindowSize?: number | undefined;
    transient?: boolean | undefined;
}

interface Clock {
    now(): number;
    wait(milliseconds: number): Promise<void>;
}

type CodeOf<Marker extends MarkerName | number> = Marker extends MarkerName ? (typeof MARKERS)[Marker] : Extract<Marker, number>;

interface CompressionOptions {
    codec?: CodecName | 'auto' | 'none' | undefined;
    optimize?: Optimize | undefined;
    level?: number | undefined;
    frameSize?: number | undefined;
    basedFrameSize?: number | undefined;
    leafSize?: number | undefined;
    cut?: Cut | undefined;
    filters?: boolean | undefined;
    detect?: boolean | undefined;
    base?: CID | BaseOf | undefined;
    baseOfBase?: BaseOfBase | undefined;
    dictionaries?: 'auto' | false | undefined;
}

interface CompressionStats {
    storedSize?: bigint;
    fetchSize?: bigint;
    ratio?: number;
    codec?: CodecName | 'none';
    frames: number;
    frameSize?: number;
    filters?: readonly Filter[];
    base?: CID;
    baseSize?: bigint;
    sizeKnown?: boolean;
    plainCid: CID;
    markedCid?: CID;
    contentCid?: CID;
}

class ContentCache {
    constructor(shared?: ContentCache);
    get(cid: string): Uint8Array | undefined;
    set(cid: string, content: Uint8Array): void;
}
//# sourceMappingURL=content-cache.d.ts.map

class ContentMismatchError extends NamedError {
    static readonly name = "ContentMismatchError";
    readonly cid: CID;
    readonly expected: CID;
    readonly actual: CID;
    constructor(cid: CID, expected: CID, actual: CID);
}

type Cut = 'size' | 'content';
//# sourceMappingURL=compression-options.d.ts.map

const DEFAULT_FETCH_AHEAD = 2000;

const DEFAULT_FETCH_BYTES: number;

const DEFAULT_FETCH_TIMEOUT = 60000;

const DEFAULT_FRAME_SIZE: number;

const DEFAULT_IN_FLIGHT_BYTES: number;

const DEFAULT_STALL_TIMEOUT = 10000;

class DagMeter {
    constructor(init: DagMeterInit, known?: Map<string, Totals>);
    add(root: CID | FileNode, options?: MeasureOptions): Promise<Measured & {
        totals: DagTotals;
    }>;
    addBases(options?: MeasureOptions): Promise<Measured & {
        totals: DagTotals;
    }>;
    get counted(): Measured;
}
//# sourceMappingURL=dag-meter.d.ts.map

interface DagMeterInit {
    blockstore: GetStore & Pick<Blockstore, 'has'>;
    seen?: SeenBlocks;
    makeSeen?: () => SeenBlocks;
    marked?: boolean;
    maxBlocks?: number | undefined;
    offline?: boolean | undefined;
    skipsLeaves?: boolean;
    onBlock?: () => void;
}

class DagTooLargeError extends NamedError {
    static readonly name = "DagTooLargeError";
    readonly maxBlocks: number;
    constructor(maxBlocks: number);
}

interface DagTotals {
    blocks: bigint;
    dagSize: bigint;
    localSize: bigint;
    filesSize: bigint;
}

interface DecidedProgress {
    path?: string;
    codec: string;
    reason: 'type' | 'trial' | 'options' | 'empty';
    dictionary?: ReferredFile;
    base?: ReferredFile;
}

class DecodeQueueFullError extends NamedError {
    static readonly name = "DecodeQueueFullError";
    readonly waiting: number;
    constructor(waiting: number);
}
//# sourceMappingURL=errors.d.ts.map

interface DecodedFile extends Metadata {
    bytes: Uint8Array;
    frameLength?: number;
}

class DerivedBlockstore extends WrappedBlockstore {
    constructor(inner: Blockstore, init: DerivedBlockstoreInit);
    original(cid: CID): Promise<Original | undefined>;
    has(cid: CID, options?: Options): Promise<boolean>;
    get(cid: CID, options?: Options): AsyncGenerator<Uint8Array>;
    getMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<Pair>;
}

interface DerivedBlockstoreInit {
    datastore: Pick<OriginalsDatastore, 'get' | 'query'>;
    codecs?: readonly Codec[] | undefined;
    cacheSize?: number | undefined;
    concurrency?: number | undefined;
    maxWaiting?: number | undefined;
    bytesPerSecond?: number | undefined;
    onError?: ((err: unknown) => void) | undefined;
    clock?: Clock | undefined;
}

class DictionaryWindow {
    get isFull(): boolean;
    add(size: number): void;
}
//# sourceMappingURL=window.d.ts.map

interface DirectoryEntry extends UnixFSDirectoryEntry, Partial<CompressionStats> {
    cid: CID;
    size: bigint;
    plainCid: CID;
    type?: 'file' | 'directory' | 'raw';
    mode?: number;
    mtime?: unixfs.FileStats['mtime'];
    unixfs?: UnixFSMessage;
}
//# sourceMappingURL=unixfs.d.ts.map

interface DirectoryLink {
    name: string;
    cid: CID;
    size: number;
}

interface EarlyBudget {
    used: number;
    max?: number | undefined;
    ahead?: number | undefined;
}

type Elements<T> = T extends AsyncIterable<infer E> | Iterable<infer E> ? E : never;

interface EncodedBlock {
    cid: Uint8Array;
    bytes: Uint8Array;
}

interface EncodedFile {
    cid: Uint8Array;
    marker?: number;
    onlyIpfsz?: boolean;
    hasDictionary?: boolean;
    blocks: EncodedBlock[];
    size: number;
    dagSize: number;
    codec: DecidedProgress['codec'];
    reason: DecidedProgress['reason'];
    frameLength?: number;
}

interface EncodedLargeFile {
    cid: Uint8Array;
    marker?: number;
    dagSize: number;
    onlyIpfsz: boolean;
}

interface EntryLocation {
    cid: CID;
    shards: CID[];
}

interface EntrySource {
    blockstore: GetStore;
    objects?: ObjectReader | undefined;
}

interface ExtendedStatOptions extends StatOptions, Pick<unixfs.ExtendedStatOptions, 'filter'> {
    extended: true;
    maxBlocks?: number | undefined;
    maxWindowSize?: number | undefined;
}

type ExtendedStats = CompressionStats & Required<Pick<CompressionStats, 'storedSize' | 'fetchSize' | 'ratio'>> & (unixfs.ExtendedFileStats | unixfs.ExtendedDirectoryStats | unixfs.ExtendedRawStats);

type Fetch = (url: URL, init: GatewayRequest) => Promise<GatewayResponse>;

type FetchEvents = ProgressEvent<'ipfsz:fetch:block', FetchedBlockProgress> | ProgressEvent<'ipfsz:fetch:retry', FetchRetryProgress>;

interface FetchInit {
    ahead?: number | undefined;
    maxBytes?: number | undefined;
    stallTimeout?: number | undefined;
    timeout?: number | undefined;
}

interface FetchRetryProgress {
    cid: CID;
    attempt: number;
    reason: 'stalled' | 'failed';
    error: Error;
}

class FetchStalledError extends NamedError {
    static readonly name = "FetchStalledError";
    readonly cid: CID;
    readonly time: number;
    readonly providers: number | undefined;
    readonly asked: number | undefined;
    readonly failures: readonly Error[];
    constructor(cid: CID, time: number, { providers, asked, failures, ...options }?: ErrorOptions & {
        providers?: number;
        asked?: number;
        failures?: readonly Error[];
    });
}

interface FetchedBlockProgress {
    cid: CID;
    size: number;
    duration: number;
    sender?: string | undefined;
    provider?: CID | undefined;
    broker?: string | undefined;
}

class FileClosedError extends NamedError {
    static readonly name = "FileClosedError";
    readonly cid: CID;
    constructor(cid: CID);
}

interface FileDictionaries {
    dictionaries: SharedDictionary[];
    blocks: EncodedBlock[];
    assigned: Int32Array;
}

interface FileHandle {
    readonly stats: Stats;
    readonly stored: StoredFile | undefined;
    readonly based: BasedFile | undefined;
    read(options?: FileReadOptions): AsyncIterable<Uint8Array>;
    readCost(options?: Pick<OpenOptions, 'signal'>): Promise<ReadCost>;
    close(): void;
}

type FileMarker = number | 'in-tree' | 'plain';

interface FileNode {
    cid: CID;
    data: Uint8Array;
    unixfs: UnixFS;
    links: NodeLinks;
    length: number;
}

interface FilePart {
    file: CID;
    start: number;
    end: number;
    readonly here?: number | undefined;
}

interface FileReadOptions extends Omit<CatOptions, 'path'> {
}

class FileTooLargeError extends NamedError {
    static readonly name = "FileTooLargeError";
    readonly frames: number;
    readonly frameSize: number;
    readonly path: string | undefined;
    constructor(frames: number, frameSize: number, path?: string);
}

type Filter = {
    kind: 'delta';
    width: Width;
} | {
    kind: 'shuffle' | 'records';
    width: number;
};

interface FrameGroup {
    length: number;
    size: number;
}

interface FrameProgress {
    frame: number;
    size: number;
    length: number;
}

interface FramesOptions extends Pick<CatOptions, 'signal' | 'readAhead' | 'onOpenLinks'> {
    offset?: number | undefined;
}

class Gateway {
    readonly url: string;
    rate: number | undefined;
    latency: number | undefined;
    waited: number;
    isSlow: boolean;
    hasWorked: boolean;
    requests: number;
    blocks: number;
    cuts: number;
    failure: Error | undefined;
    constructor(url: URL);
    get pause(): number;
    during<T>(request: Promise<T>): Promise<T>;
    succeeded(): void;
    failed(err: Error): void;
}
//# sourceMappingURL=gateway.d.ts.map

interface GatewayBlock extends SourceBlock {
    verified: true;
    sender: string;
}

interface GatewayBody {
    getReader: () => {
        read: () => Promise<{
            value?: Uint8Array | undefined;
        }>;
        waiting?: (() => Uint8Array | undefined) | undefined;
        release?: ((chunk: Uint8Array) => void) | undefined;
    };
    cancel: () => Promise<void>;
}

class GatewayBusyError extends GatewayError {
    static readonly name = "GatewayBusyError";
    readonly status: number;
    readonly retryAfter: number | undefined;
    constructor(gateway: string, status: number, retryAfter: number | undefined, options?: ErrorOptions);
}

class GatewayConnectionError extends GatewayError {
    static readonly name = "GatewayConnectionError";
    readonly received: number | undefined;
    readonly times: number;
    constructor(gateway: string, reason: string, { received, times, ...options }?: ErrorOptions & {
        received?: number | undefined;
        times?: number;
    });
    after(times: number): GatewayConnectionError;
}

class GatewayContentError extends GatewayError {
    static readonly name = "GatewayContentError";
    constructor(gateway: string, reason: string, options?: ErrorOptions);
}

class GatewayError extends NamedError {
    readonly gateway: string;
    constructor(gateway: string, reason: string, options?: ErrorOptions);
}

class GatewayPool {
    constructor(urls: Iterable<string | URL>, shared?: GatewayPool);
    get gateways(): readonly Gateway[];
    add(url: string | URL): Gateway;
    pick(excluded: (gateway: Gateway) => boolean, load?: (gateway: Gateway) => number): Gateway | undefined;
    pause(excluded: (gateway: Gateway) => boolean): number;
    faster(than: Gateway, rate: number, excluded: (gateway: Gateway) => boolean): Gateway | undefined;
}
//# sourceMappingURL=gateway-pool.d.ts.map

class GatewayRefusedError extends GatewayError {
    static readonly name = "GatewayRefusedError";
    readonly status: number;
    constructor(gateway: string, status: number, reason: string, options?: ErrorOptions);
}

interface GatewayRequest extends Pick<RequestInit, 'credentials' | 'redirect' | 'referrerPolicy' | 'signal'> {
    headers: Record<string, string>;
}

interface GatewayResponse {
    readonly status: number;
    readonly type?: string | undefined;
    readonly headers: Pick<Headers, 'get' | 'has'>;
    readonly body: GatewayBody | null;
}

interface GatewaySettingsInit {
    pool: GatewayPool;
    fetch?: Fetch | undefined;
    isOnlySource?: boolean | undefined;
    carsOnly?: boolean | undefined;
    hedgeTime?: number | undefined;
    stallTimeout?: number | undefined;
}

class GatewayStalledError extends GatewayError {
    static readonly name = "GatewayStalledError";
    readonly time: number;
    constructor(gateway: string, time: number, options?: ErrorOptions);
}

class GatewaysFailedError extends NamedError {
    static readonly name = "GatewaysFailedError";
    readonly cid: CID;
    readonly failures: readonly Error[];
    constructor(cid: CID, failures: readonly Error[], options?: ErrorOptions);
}

interface GetBlockOptions {
    signal?: AbortSignal | null | undefined;
    expectedSize?: number | undefined;
    part?: FilePart | undefined;
    isFarAhead?: boolean | undefined;
    limit?: {
        take(cid: CID, bytes: number): void;
    } | undefined;
    until?: AbortSignal | undefined;
}

interface GetStore extends Pick<Blockstore, 'get'> {
    readonly readAheadBytes?: number | undefined;
    fetches?(): boolean;
    readonly checksBlocks?: boolean | undefined;
    isUnshared?(bytes: Uint8Array): boolean;
}

type Goal = 'size' | 'balanced' | 'speed';

const HTTP_PROTOCOL = "/http/1.1";

interface Header {
    codec: number;
    size: number;
    frameSize: number;
    frameLengths: number[];
    frameSizes?: number[];
    table?: TableIndex;
    filters?: readonly Filter[];
    regions?: Region[];
    contentCid?: CID;
}

type HeaderRule = 'encoding' | 'version' | 'codec' | 'frame-size' | 'frame-count' | 'frame-length' | 'total-length' | 'dictionary' | 'filters' | 'regions' | 'groups' | 'base' | 'root';

interface HttpPeer {
    id: string;
    isSure: boolean;
}

interface HttpPeers {
    find(root: CID): Promise<readonly HttpPeer[]>;
    fetch(peerId: string, url: URL, init: RequestInit): Promise<GatewayResponse>;
}

type HttpPeersComponents = Pick<Libp2p, 'getConnections' | 'peerStore'>;

class HttpSource implements BlockSource {
    protected readonly closed: AbortController;
    constructor({ root, plan, singleBlocks, early, ...init }: HttpSourceInit);
    fetch(cid: CID, { signal, ...options }?: SourceFetchOptions): Promise<GatewayBlock>;
    found(_: CID, { part }: Pick<SourceFetchOptions, 'part'>): void;
    failures(): readonly Error[];
    dropPlan(): void;
    close(): void;
}
//# sourceMappingURL=http-source.d.ts.map

interface HttpSourceInit extends GatewaySettingsInit {
    root: CID;
    early?: EarlyBudget | undefined;
    plan?: ReadPlan | undefined;
    singleBlocks?: boolean | undefined;
}

interface ImportDagOptions {
    signal?: AbortSignal | null | undefined;
    compression?: CompressionOptions | undefined;
    onFile?: ((file: ImportedFile) => void) | undefined;
    onBytes?: ((bytes: number) => void) | undefined;
}

interface ImportResult extends ImporterResult {
    onlyIpfsz?: boolean | undefined;
}

interface ImportedDag {
    cid: CID;
    compressed: number;
    unknown: number;
    plain: number;
}

interface ImportedFile {
    original: CID;
    compressed?: CID | undefined;
    reason?: 'not smaller' | 'unknown settings' | undefined;
}

class InvalidBaseError extends NamedError {
    static readonly name = "InvalidBaseError";
    readonly base: CID;
    readonly baseOfBase: CID | undefined;
    constructor(base: CID, reason: string, { baseOfBase, ...options }?: ErrorOptions & {
        baseOfBase?: CID;
    });
}

class InvalidDagError extends NamedError {
    static readonly name = "InvalidDagError";
    readonly cid: CID;
    constructor(cid: CID, reason: string, options?: ErrorOptions);
}

class InvalidFrameSizeError extends NamedError {
    static readonly name = "InvalidFrameSizeError";
    readonly frameSize: number;
    readonly min: number;
    readonly max: number;
    constructor(frameSize: number, min: number, max: number);
}

class InvalidGatewayUrlError extends NamedError {
    static readonly name = "InvalidGatewayUrlError";
    readonly url: string;
    constructor(given: string, reason: string, options?: ErrorOptions);
}

class InvalidHeaderError extends NamedError {
    static readonly name = "InvalidHeaderError";
    readonly rule: HeaderRule;
    readonly cid: CID;
    constructor(cid: CID, rule: HeaderRule, reason: string, options?: ErrorOptions);
}

class InvalidLinkError extends NamedError {
    static readonly name = "InvalidLinkError";
    readonly key: string;
    constructor(key: string, options?: ErrorOptions);
}

class InvalidOriginalError extends NamedError {
    static readonly name = "InvalidOriginalError";
    readonly key: string;
    constructor(key: string, options?: ErrorOptions);
}

class InvalidResponseError extends NamedError {
    static readonly name = "InvalidResponseError";
}

class InvalidTrailerError extends NamedError {
    static readonly name = "InvalidTrailerError";
    readonly cid: CID;
    constructor(cid: CID, reason: string, options?: ErrorOptions);
}

interface Ipfsz {
    readonly codecs: readonly Codec[];
    readonly links: Links;
    addAll(source: AddCandidateStream, options?: AddAllOptions): AsyncIterable<ImportResult>;
    addBytes(bytes: Uint8Array, options?: AddFileOptions): Promise<CID>;
    addByteStream(bytes: ByteStream, options?: AddFileOptions): Promise<CID>;
    addFile(file: FileCandidate, options?: AddFileOptions): Promise<CID>;
    addDirectory(directory?: Partial<DirectoryCandidate>, options?: AddFileOptions): Promise<CID>;
    blocks(root: CID, options?: BlocksOptions): BlocksBelow;
    cat(cid: CID, options?: CatOptions): AsyncIterable<Uint8Array>;
    chmod(cid: CID, mode: number, options?: ChmodOptions): Promise<CID>;
    cp(source: CID, target: CID, name: string, options?: CpOptions): Promise<CID>;
    ls(cid: CID, options?: LsOptions): AsyncIterable<DirectoryEntry>;
    mkdir(cid: CID, dirname: string, options?: MkdirOptions): Promise<CID>;
    open(cid: CID, options?: OpenOptions): Promise<FileHandle>;
    rm(cid: CID, path: string, options?: RmOptions): Promise<CID>;
    stat(cid: CID, options?: StatOptions): Promise<Stats>;
    stat(cid: CID, options?: ExtendedStatOptions): Promise<ExtendedStats>;
    touch(cid: CID, options?: TouchOptions): Promise<CID>;
    verify(cid: CID, options?: VerifyOptions): Promise<VerifyReport>;
}

interface IpfszComponents {
    blockstore: Pick<Blockstore, 'get' | 'put' | 'has'> & {
        readonly checksBlocks?: boolean | undefined;
        readonly freshBlocks?: boolean | undefined;
        readonly releasesBlocks?: boolean | undefined;
    };
    sources?: readonly BlockSource[] | undefined;
    datastore?: LinkDatastore | undefined;
    routing?: ProviderRouting | undefined;
}

interface IpfszInit {
    codecs?: readonly Codec[] | undefined;
    deterministic?: boolean | undefined;
    inFlightBytes?: number | undefined;
    fetch?: FetchInit | undefined;
}

type IpfszReader = Pick<Ipfsz, 'codecs' | 'blocks' | 'cat' | 'ls' | 'open' | 'stat'>;
//# sourceMappingURL=contract.d.ts.map

class KuboBlockstore {
    constructor(client: KuboClient, timeout: number);
    put(cid: CID, source: unknown, { signal }?: CallOptions): Promise<CID>;
    get(cid: CID, { signal, offline }?: CallOptions): AsyncGenerator<Uint8Array>;
    has(cid: CID, { signal }?: CallOptions): Promise<boolean>;
}

interface KuboCallOptions {
    signal?: AbortSignal;
    offline?: boolean;
}

interface KuboCheckOptions {
    signal?: AbortSignal | null | undefined;
    timeout?: number | undefined;
}

class KuboCidMismatchError extends NamedError {
    static readonly name = "KuboCidMismatchError";
    readonly expected: CID;
    readonly actual: CID;
    constructor(expected: CID, actual: CID);
}

interface KuboClient {
    block: {
        put(block: Uint8Array, options?: KuboPutOptions): Promise<CID>;
        get(cid: CID, options?: KuboCallOptions): Promise<Uint8Array>;
        stat(cid: CID, options?: KuboCallOptions): Promise<{
            size: number;
        }>;
    };
    pin: {
        add(cid: CID, options?: KuboCallOptions & {
            name?: string;
        }): Promise<CID>;
    };
}
//# sourceMappingURL=client.d.ts.map

class KuboFailedError extends NamedError {
    static readonly name = "KuboFailedError";
    constructor(reason: string, options?: ErrorOptions);
}

class KuboForbiddenError extends NamedError {
    static readonly name = "KuboForbiddenError";
    readonly status: number;
    constructor(status: number, options?: ErrorOptions);
}

interface KuboInit extends IpfszInit, Pick<IpfszComponents, 'datastore'> {
    pin?: boolean | undefined;
    timeout?: number | undefined;
    pinTimeout?: number | undefined;
}

interface KuboPinOptions {
    signal?: AbortSignal | null | undefined;
    name?: string | undefined;
    timeout?: number | undefined;
}

interface KuboPutOptions extends KuboCallOptions {
    cidCodec?: string;
    mhtype?: string;
    mhlen?: number;
    pin?: boolean;
}

class KuboUnreachableError extends NamedError {
    static readonly name = "KuboUnreachableError";
    constructor(reason: string, options?: ErrorOptions);
}

class KuboUnsupportedCidError extends NamedError {
    static readonly name = "KuboUnsupportedCidError";
    readonly cid: CID;
    constructor(cid: CID);
}
//# sourceMappingURL=errors.d.ts.map

interface LeafHasherOptions {
    signal?: AbortSignal | null | undefined;
}

interface Link {
    original: CID;
    compressed: CID;
    checked?: boolean;
}

interface LinkDatastore extends Pick<Datastore, 'get' | 'put' | 'delete' | 'query'> {
    change?<T>(work: () => Promise<T>): Promise<T>;
}

type LinkEvents = ProgressEvent<'ipfsz:link:unchecked', LinkProgress> | ProgressEvent<'ipfsz:link:instead', LinkInsteadProgress>;

interface LinkInsteadProgress extends LinkProgress {
    error: Error;
}

class LinkMismatchError extends NamedError {
    static readonly name = "LinkMismatchError";
    readonly original: CID;
    readonly compressed: CID;
    readonly by: 'header' | 'bytes' | 'kind';
    readonly found: readonly CID[];
    constructor(original: CID, compressed: CID, by: LinkMismatchError['by'], found: readonly CID[]);
}

interface LinkOptions {
    signal?: AbortSignal | null | undefined;
}

type LinkOutcome = 'copied' | 'there' | 'missing';

interface LinkProgress {
    original: CID;
    compressed: CID;
}

interface LinkRecord extends Omit<Link, 'checked'> {
    check?: string;
}

class LinkedFileMissingError extends NamedError {
    static readonly name = "LinkedFileMissingError";
    readonly original: CID;
    readonly compressed: CID;
    constructor(original: CID, compressed: CID);
}

interface Links {
    add(original: CID, compressed: CID, options?: AddLinkOptions): Promise<void>;
    get(cid: CID, options?: LinkOptions): Promise<CID | undefined>;
    delete(cid: CID, options?: LinkOptions): Promise<void>;
    list(options?: LinkOptions): AsyncIterable<Link>;
    prune(options?: PruneOptions): Promise<number>;
}
//# sourceMappingURL=links.d.ts.map

interface LinksComponents {
    blockstore: Pick<Blockstore, 'has'>;
    datastore?: LinkDatastore | undefined;
    read(compressed: CID, options: AddLinkOptions): AsyncIterable<Uint8Array>;
    stat?: (cid: CID, options: LinkOptions) => Promise<{
        type: string;
        size: bigint;
        sizeKnown?: boolean;
    }>;
}

class LinksUnavailableError extends NamedError {
    static readonly name = "LinksUnavailableError";
    constructor();
}

interface LsOptions extends Omit<unixfs.LsOptions, 'onProgress' | 'signal'>, GetBlockOptions, ProgressHandler<unixfs.GetEvents | FetchEvents | LinkEvents> {
}

const MARKERS: {
    readonly gzip: 4151809;
    readonly lz4: 4151810;
    readonly lzo: 4151811;
    readonly snappy: 4151812;
    readonly zstd: 4151813;
    readonly brotli: 4151814;
    readonly tree: 4151808;
};

const MAX_DICTIONARY_FILE: number;

const MIN_FRAME_SIZE: number;

type MarkerCode = (typeof MARKERS)[MarkerName];

type MarkerName = keyof typeof MARKERS;

interface MeasureOptions extends GetBlockOptions {
    levels?: number;
    statedSize?: number;
}

interface Measured {
    blocks: number;
    storedSize: bigint;
    missingSize: bigint;
    isIncomplete: boolean;
    size: bigint;
    compressed: {
        files: number;
        size: bigint;
        storedSize: bigint;
    };
}

interface Metadata {
    mode?: number;
    mtime?: Mtime;
}

class MissingHeaderError extends NamedError {
    static readonly name = "MissingHeaderError";
    readonly cid: CID;
    constructor(cid: CID);
}

class NodeLinks implements Iterable<PBLink> {
    readonly length: number;
    constructor(block: Uint8Array, offsets: Uint32Array);
    at(index: number): PBLink;
    [Symbol.iterator](): Generator<PBLink>;
    names(): Generator<string>;
    named(name: string): PBLink[];
}

class NotFoundError extends NamedError {
    static readonly name = "NotFoundError";
    readonly cid: CID;
    readonly compressed: CID | undefined;
    constructor(cid: CID, { compressed, ...options }?: ErrorOptions & {
        compressed?: CID;
    });
}

class NotKuboError extends NamedError {
    static readonly name = "NotKuboError";
    constructor(reason: string, options?: ErrorOptions);
}

class NotMarkableError extends NamedError {
    static readonly name = "NotMarkableError";
    readonly cid: CID;
    constructor(cid: CID);
}

class NotUnixFSError extends NamedError {
    static readonly name = "NotUnixFSError";
    readonly cid: CID;
    constructor(cid: CID, reason: string, options?: ErrorOptions);
}

const ORIGINAL_LAYOUTS: readonly string[];

interface ObjectReader {
    follow(cid: CID, names: readonly string[], blockstore: GetStore, options: GetBlockOptions): Promise<Segment[]>;
}

interface OpenOptions extends Omit<CatOptions, 'offset' | 'length'> {
}

type Optimize = Goal | 'ranges';

type Options = Parameters<Blockstore['has']>[1];

type Options = Parameters<Blockstore['has']>[1];

interface Original {
    original: CID;
    compressed: CID;
    type: 'file' | 'directory';
    layout?: string | undefined;
    dagSize: number;
}

class OriginalMismatchError extends NamedError {
    static readonly name = "OriginalMismatchError";
    readonly cid: CID;
    readonly compressed: CID;
    constructor(cid: CID, compressed: CID, reason: string, options?: ErrorOptions);
}

class Originals {
    constructor({ blockstore, links, datastore }: OriginalsComponents, { layouts, codecs }?: OriginalsInit);
    add(compressed: CID, options?: AddOriginalsOptions): Promise<Original[]>;
    get(original: CID): Promise<Original | undefined>;
    of(compressed: CID): AsyncGenerator<Original>;
    list({ signal }?: LinkOptions): AsyncGenerator<Original>;
    blocks(original: Original, { signal }?: LinkOptions): AsyncGenerator<CID>;
    delete(cid: CID): Promise<number>;
    deleteUnlinked(compressed: CID): Promise<number>;
    prune({ has, signal }?: PruneOriginalsOptions): Promise<number>;
}
//# sourceMappingURL=originals.d.ts.map

interface OriginalsComponents {
    blockstore: Pick<Blockstore, 'get' | 'put' | 'has'>;
    links: LinkDatastore;
    datastore: OriginalsDatastore;
}

type OriginalsDatastore = Pick<Datastore, 'get' | 'put' | 'delete' | 'query' | 'batch'>;

interface OriginalsInit {
    layouts?: readonly string[] | undefined;
    codecs?: readonly Codec[] | undefined;
}

const PEER_STALL_TIMEOUT = 8000;

class PathCache {
    follow(cid: CID, path: string, follow: () => Promise<Segment[]>): Promise<Segment[]>;
}
//# sourceMappingURL=path-cache.d.ts.map

type PathEnd = {
    cid: CID;
    used: number;
} | {
    missing: string;
} | 'value';

interface PeerFetchOptions extends SourceOptions {
    plan?: ReadPlan | undefined;
}

class PeerGateways implements BlockSource {
    constructor({ root, early, ...init }: PeerGatewaysInit);
    fetch(cid: CID, { plan, ...options }: PeerFetchOptions): Promise<SourceBlock>;
    close(): void;
}
//# sourceMappingURL=peer-gateways.d.ts.map

interface PeerGatewaysInit {
    root: CID;
    peers: HttpPeers;
    plan?: ReadPlan | undefined;
    early?: EarlyBudget | undefined;
    next?: Pick<BlockSource, 'fetch'> | undefined;
}

interface ProgressHandler<Event> {
    onProgress?(event: Event): void;
}

interface ProviderRouting {
    findProviders(cid: CID, options?: {
        signal?: AbortSignal;
    }): AsyncIterable<{
        id: CID;
    }>;
}

interface PruneOptions extends LinkOptions {
    has?: ((cid: CID) => Promise<boolean> | boolean) | undefined;
}

interface PruneOriginalsOptions extends LinkOptions {
    has?: ((cid: CID) => Promise<boolean> | boolean) | undefined;
}
//# sourceMappingURL=contract.d.ts.map

interface ReadCost {
    isSeekable: boolean;
    hasRanges: boolean;
    memory: number;
    memoryAhead: number;
}
//# sourceMappingURL=file-handle.d.ts.map

interface ReadLinks {
    readonly available: boolean;
    linkOf(original: CID): Promise<LinkRecord | undefined>;
    comparing: typeof comparing;
}

interface ReadOptions extends GetBlockOptions, ProgressOptions<ExporterProgressEvents> {
    blockReadConcurrency?: number | undefined;
    readAhead?: boolean | undefined;
    onOpenLinks?: ((change: number) => void) | undefined;
}

interface ReadPlan {
    path: string;
    scope: 'all' | 'entity' | 'block';
}

interface ReadSettings {
    blockstore: GetStore & Pick<Blockstore, 'put' | 'has'>;
    objects?: EntrySource['objects'];
    links: ReadLinks;
    codecs: readonly Codec[];
    inFlightBytes: number;
    roots: RootCache;
}

type ReaderComponents = Omit<IpfszComponents, 'datastore'>;

interface ReaderInit extends Pick<IpfszInit, 'inFlightBytes' | 'fetch'> {
    codecs: readonly Codec[];
}

interface ReferredFile {
    cid: CID;
    size: number;
}

interface Region {
    offset: number;
    length: number;
}

interface RegionGroup {
    size: number;
    largest: number;
}

interface RepeatedProgress {
    cid: CID;
    size: number;
    path: string;
    isInFile: boolean;
}

interface RequestOptions {
    fetch: Fetch;
    stallTimeout: number;
    signal: AbortSignal;
}

class RootCache {
    readonly paths: PathCache;
    readonly contents: ContentCache;
    readonly pieces: SharedPieces;
    constructor(shared?: RootCache);
    get(cid: CID): CachedRoot | undefined;
    set(root: CachedRoot): void;
    setWritten(cid: CID, block: Uint8Array): void;
}
//# sourceMappingURL=root-cache.d.ts.map

interface RootSource {
    blockstore: GetStore;
    roots?: RootCache | undefined;
}

const SILENT_PEER_TIMEOUT = 3000;

const SKETCHED_SIZE: number;

const STALL_CHECK_INTERVAL = 250;

interface SeenBlocks {
    has(cid: CID): boolean;
    add(cid: CID): void;
}

interface Segment {
    name: string;
    cid: CID;
}

interface SharedDictionary {
    content: Uint8Array;
    cid: Uint8Array;
    size: number;
    dagSize: number;
    isThin: boolean;
}

class SharedPieces {
    get(cid: CID, start: number, load: (signal: AbortSignal) => Promise<Uint8Array>, signal?: AbortSignal | null): Promise<Uint8Array>;
}
//# sourceMappingURL=shared-pieces.d.ts.map

interface SmallFile {
    path: string;
    bytes: Uint8Array;
}

interface SmallFileDecoder {
    decode(cid: Uint8Array, root: Uint8Array, marker: FileMarker, getLeaf: (cid: Uint8Array) => Uint8Array | undefined): DecodedFile | undefined;
    sizeOf(cid: Uint8Array, root: Uint8Array, marker: FileMarker): number | undefined;
}

interface SmallFileDecoderInit extends Pick<SmallFileEncoderInit, 'codecs'> {
    reusesMemory?: boolean | undefined;
}

interface SmallFileEncoder {
    readonly maxSize: number;
    encode(bytes: Uint8Array, metadata?: Metadata): EncodedFile | undefined;
    encodeLater(bytes: Uint8Array, metadata?: Metadata, dictionary?: SharedDictionary): Promise<EncodedFile | undefined>;
    train(files: readonly SmallFile[]): Promise<FileDictionaries>;
    encodeLarge(read: (target: Uint8Array) => number, metadata: Metadata, put: (block: EncodedBlock) => Promise<void>): Promise<EncodedLargeFile | undefined>;
}

interface SmallFileEncoderInit {
    compression?: CompressionOptions | undefined;
    link?: boolean | undefined;
    codecs?: readonly Codec[] | undefined;
    allocate?: ((size: number) => Uint8Array) | undefined;
    [option: string]: unknown;
}

type Source = OriginalsComponents['blockstore'];

type Source<T> = Iterable<T> | AsyncIterable<T>;

interface SourceBlock {
    bytes: Uint8Array;
    verified?: boolean | undefined;
    stored?: boolean | undefined;
    sender?: string | undefined;
    provider?: CID | undefined;
    broker?: string | undefined;
}

interface SourceFetchOptions extends Pick<SourceOptions, 'isFarAhead' | 'part' | 'size'> {
    signal?: AbortSignal | undefined;
}

interface SourceOptions {
    root: CID;
    size?: number | undefined;
    part?: FilePart | undefined;
    isFarAhead?: boolean | undefined;
    damaged?: boolean | undefined;
    providers?: unknown[] | undefined;
    onProgress?: ((event: ProgressEvent) => void) | undefined;
    signal: AbortSignal;
}

class StallDetector {
    readonly now: () => number;
    constructor({ now, least }?: StallDetectorInit);
    get lastArrival(): number;
    get hasBegun(): boolean;
    arrived(bytes?: number): void;
    silence(since: number): number;
    watch(time: number, onStalled: () => void, { since, longest }?: {
        since?: number;
        longest?: number;
    }): () => void;
}
//# sourceMappingURL=stall-detector.d.ts.map

interface StallDetectorInit {
    now?: (() => number) | undefined;
    least?: number | undefined;
}

interface StatOptions extends Omit<unixfs.StatOptions, 'onProgress' | 'signal'>, GetBlockOptions, ProgressHandler<unixfs.GetEvents | FetchEvents | LinkEvents> {
}

type Stats = (unixfs.FileStats | unixfs.DirectoryStats | unixfs.RawStats) & CompressionStats;

interface StoredFile {
    codec: CodecName;
    size: number;
    frameSize: number;
    frameSizes?: readonly number[];
    frameLengths: readonly number[];
    length: number;
    frames: (options?: FramesOptions) => AsyncIterable<Uint8Array>;
}

const TREE_CODE = 4151808;

interface TableIndex {
    frames: number;
    groups: readonly FrameGroup[];
    regions?: readonly RegionGroup[];
}

interface Totals extends DagTotals {
    fileSize: bigint;
}

class UncheckedLinkError extends NamedError {
    static readonly name = "UncheckedLinkError";
    readonly original: CID;
    readonly compressed: CID;
    readonly what: 'range' | 'directory' | 'settings';
    constructor(original: CID, compressed: CID, what: 'range' | 'directory' | 'settings');
}

class UnknownMarkerError extends NamedError {
    static readonly name = "UnknownMarkerError";
    readonly code: number | string;
    constructor(code: number | string);
}

class UnlinkedFileError extends NamedError {
    static readonly name = "UnlinkedFileError";
    readonly cid: CID;
    constructor(cid: CID);
}

class UnreadableBaseError extends NamedError {
    static readonly name = "UnreadableBaseError";
    readonly cid: CID;
    readonly base: CID;
    constructor(cid: CID, base: CID, cause: unknown);
}

type VerifyEvents = CatEvents | VerifyFileEvents;

class VerifyFailedError extends NamedError {
    static readonly name = "VerifyFailedError";
    readonly cid: CID;
    readonly path: string;
    constructor(cid: CID, path: string, cause: unknown);
}

type VerifyFileEvents = ProgressEvent<'ipfsz:verify:file', VerifyProgress>;

interface VerifyOptions extends Omit<CatOptions, 'offset' | 'length' | 'onProgress'>, ProgressOptions<VerifyEvents> {
    seen?: SeenBlocks;
    bases?: SeenBlocks;
}

interface VerifyProgress {
    cid: CID;
    path: string;
    size: bigint;
}

interface VerifyReport {
    cid: CID;
    size: bigint;
    blocks: bigint;
    frames: number;
    files: number;
    contentCid?: CID;
}
//# sourceMappingURL=verification.d.ts.map

type Width = 1 | 2 | 3 | 4 | 8;

interface WithCodecsInit extends Pick<IpfszInit, 'inFlightBytes' | 'fetch'> {
    codecs: readonly Codec[];
}

class WrappedBlockstore implements Blockstore {
    constructor(inner: Blockstore);
    unwrap(): Blockstore;
    get checksBlocks(): boolean;
    has(cid: CID, options?: Options): Promise<boolean>;
    put(...args: Parameters<Blockstore['put']>): Promise<CID>;
    putMany(source: Source<InputPair>, options?: Options): AsyncGenerator<CID>;
    get(cid: CID, options?: Options): AsyncGenerator<Uint8Array>;
    getMany(source: Source<CID>, options?: Options): AsyncGenerator<Pair>;
    getAll(options?: Options): AsyncGenerator<Pair>;
    delete(cid: CID, options?: Options): Promise<void>;
    deleteMany(source: Source<CID>, options?: Options): AsyncGenerator<CID>;
}

interface WrittenCandidate {
    path: string;
    written: readonly WrittenFile[];
}

interface WrittenFile {
    name: string;
    cid: CID;
    size: bigint;
    blocks: ReadonlyArray<{
        cid: CID;
        size: number;
    }>;
    repeated?: number | undefined;
    onlyIpfsz?: boolean | undefined;
    dictionary?: ReferredFile | undefined;
}

class WrongBaseError extends NamedError {
    static readonly name = "WrongBaseError";
    readonly cid: CID;
    readonly base: CID;
    constructor(cid: CID, base: CID, cause: unknown);
}

function checkBlock(cid: CID, bytes: Uint8Array, isBusy?: boolean): Promise<void>;
//# sourceMappingURL=hashes.d.ts.map

function checkHash(cid: CID): void;

function checkKubo(client: KuboClient, options?: KuboCheckOptions): Promise<void>;
//# sourceMappingURL=check.d.ts.map

function codecName(code: number): CodecName | undefined;
//# sourceMappingURL=codec-names.d.ts.map

function comparing(link: LinkRecord, source: AsyncIterable<Uint8Array>, options: LeafHasherOptions, layout?: string): AsyncGenerator<Uint8Array, string | undefined>;

function connectedPeers(libp2p: HttpPeersComponents): HttpPeers;
//# sourceMappingURL=connected-peers.d.ts.map

function copyLinks(from: LinkDatastore, to: {
    blockstore: LinksComponents['blockstore'];
    datastore: LinkDatastore;
}, options?: LinkOptions): AsyncGenerator<{
    link: Link;
    outcome: LinkOutcome;
}>;
//# sourceMappingURL=copy-links.d.ts.map

function createIpfszForKubo(client: KuboClient, init?: KuboInit): Ipfsz;

function createSmallFileDecoder({ codecs, reusesMemory }?: SmallFileDecoderInit): Promise<SmallFileDecoder | undefined>;
//# sourceMappingURL=small-files.d.ts.map

function createSmallFileEncoder({ compression, link, codecs, allocate, ...others }?: SmallFileEncoderInit): Promise<SmallFileEncoder | undefined>;

function decodeBlock(bytes: Uint8Array): {
    data: Uint8Array | undefined;
    links: NodeLinks;
};
//# sourceMappingURL=node-links.d.ts.map

function decodeNode(cid: CID, block: Uint8Array): FileNode;

function describeLink({ cid, size }: Pick<DirectoryLink, 'cid' | 'size'>, marked: boolean, settings: RootSource, options: GetBlockOptions): Promise<Omit<DirectoryEntry, 'name' | 'path'>>;
//# sourceMappingURL=ls.d.ts.map

function documentLinks(cid: Pick<CID, 'code'>, block: Uint8Array): Generator<CID>;

function earlyBudget(): EarlyBudget;

function fetchOverStream(stream: Stream, url: URL, { headers, signal }?: Pick<RequestInit, 'headers' | 'signal'>): Promise<GatewayResponse>;
//# sourceMappingURL=fetch-over-stream.d.ts.map

function findHeader(node: FileNode, marker?: number): Header | undefined;
//# sourceMappingURL=find-header.d.ts.map

function followDocument(cid: CID, block: Uint8Array, names: readonly string[], pause: (milliseconds: number) => Promise<void>): Promise<PathEnd>;
//# sourceMappingURL=follow-document.d.ts.map

function frameConcurrency(frameSize: number, inFlightBytes: number): number;

function heliaSource(blockstore: Pick<Blockstore, 'get'>): BlockSource;
//# sourceMappingURL=helia-source.d.ts.map

function importDag(root: CID, source: Source, components: OriginalsComponents, options?: ImportDagOptions): Promise<ImportedDag>;

function ipfsz(components: IpfszComponents, init?: IpfszInit): Ipfsz;

function ipfsz(components: IpfszComponents, init: WithCodecsInit): Ipfsz;

function ipfszReader({ blockstore, sources, routing }: ReaderComponents, { codecs, inFlightBytes, fetch }: ReaderInit): IpfszReader;
//# sourceMappingURL=create-reader.d.ts.map

function isCut(err: Error): err is GatewayConnectionError;

function isDamage(err: unknown): boolean;
//# sourceMappingURL=damage.d.ts.map

function isDocument({ code }: Pick<CID, 'code'>): boolean;

function isIdentity({ multihash }: CID): boolean;

function isMarked(cid: CID): boolean;

function isRefusal(err: unknown): boolean;
//# sourceMappingURL=source.d.ts.map

function listDirectory(node: FileNode, blockstore: GetStore, options: GetBlockOptions): AsyncGenerator<DirectoryLink>;

function locateEntry(node: FileNode, name: string, blockstore: GetStore, options?: GetBlockOptions): Promise<EntryLocation | undefined>;

function ls(cid: CID, settings: ReadSettings, options?: LsOptions): AsyncGenerator<DirectoryEntry>;

function mark<Marker extends MarkerName | number>(cid: CID, marker: Marker): CID<unknown, CodeOf<Marker>, number, 1>;

const markerCodecs: Array<BlockCodec<number, PBNode>>;
//# sourceMappingURL=marker.d.ts.map

function mayHaveDictionary(size: number): boolean;

function notUnixFS(cid: CID): NotUnixFSError;

function openResponse(gateway: string, path: string, type: string, { fetch, stallTimeout, signal }: RequestOptions): Promise<GatewayResponse>;

function parseGatewayUrl(text: string): URL;
//# sourceMappingURL=gateway-url.d.ts.map

function pinInKubo(client: Pick<KuboClient, 'pin'>, cid: CID, { signal, name, timeout }?: KuboPinOptions): Promise<void>;
//# sourceMappingURL=pin.d.ts.map

function readableWith({ codec, frames, filters, base }: Partial<Pick<CompressionStats, 'codec' | 'frames' | 'filters' | 'base'>>): string | undefined;
//# sourceMappingURL=readable-with.d.ts.map

function shardLinks(shard: FileNode): Generator<PBLink>;

function sketchOf(bytes: Uint8Array): number[];
//# sourceMappingURL=sketch.d.ts.map

function storedModeOf(unixfs: UnixFS): number | undefined;
//# sourceMappingURL=ipfs-unixfs-internals.d.ts.map

function unmark(cid: CID): CID;

function withIpfsz<H extends Pick<Helia, 'getCodec' | 'pins'>>(helia: H): H;
//# sourceMappingURL=with-ipfsz.d.ts.map
