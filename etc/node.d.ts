// @ipfsz/node/add: AddSource, AddSourcesOptions, AddedEntry, AddedRoot, ChangedFiles, KnownCounts, LATEST, PathSource, StreamSource, TreeContent, addSources
// @ipfsz/node/car: CarRoot, CarSource, ExportCarOptions, ExportedCar, ImportCarOptions, ImportedCars, ImportedRoot, exportCar, importCars
// @ipfsz/node/collect: CollectOptions, Collected, FreedPacks, MaxUnused, collectGarbage
// @ipfsz/node/config: Config, ConfigValue, changeConfig, configIn, readConfig
// @ipfsz/node/convert: BlockLayout, ConvertBlocksOptions, ConvertReport, MovedBlocks, RepoCompression, convertBlocks, convertLayout
// @ipfsz/node/daemon: Daemon, DaemonInit, Provides, startDaemon
// @ipfsz/node/diff: DescribedEntry, DiffContentOptions, Difference, Differences, diffContent
// @ipfsz/node/environment: DEFAULT_GATEWAY_ADDRESS, Environment, NONE, WorkingDirectory, absolutePath, bootstrapTexts, defaultRepoPath, packageVersion, repoPath, safeRepoPath, urlsIn
// @ipfsz/node/errors: ConfigError, DaemonError, DaemonProblem, DaemonRunningError, DamagedDagError, DifferentError, IncompleteError, InvalidCarError, LinksError, ListenError, MissingAddonError, NAME_REASONS, NO_ANSWER, NameError, NameReason, NoHistoryError, NoRoomError, NodeError, NotConnectedError, NotLinkedError, NotPinnedError, NothingPinnedError, OutputTooLargeError, PathProblem, PinRecordError, PrivateAddressError, RepoLockedError, RouterError, ThreadFailedError, TreeEntryError, WorkingDirectoryError
// @ipfsz/node/events: Fetched, LockFile, MeasuredOptions, NodeEvents, NodeProgressOptions, Step, StepProgress, Task, beginStep, duringStep, emit, waitingFor
// @ipfsz/node/files: HeldDirectory, HeldTree, Ignore, holdDirectory, ignoreMatcher, openRegular
// @ipfsz/node/find: FindContentOptions, FoundEntry, WalkOptions, WalkedEntry, findContent, walkContent
// @ipfsz/node/gateway: AccessEntry, Compressed, DEFAULT_CACHE_SIZE, DEFAULT_GATEWAY_ADDRESS, ServeGatewayOptions, ServedGateway, checkGateway, entryToJson, formatCombined, gatewayOfDaemon, isLoopback, parseListenAddress, serveGateway
// @ipfsz/node/get: GetContentOptions, Written, getContent
// @ipfsz/node/history: ForgetVersionsOptions, JudgedVersion, KeepRules, PinnedVersion, Version, forgetHistory, forgetVersions, listHistories, listVersions
// @ipfsz/node/import: ImportFromKuboOptions, ImportedDag, ImportedPin, ImportedPins, importFromKubo
// @ipfsz/node/init: BlockLayout, InitRepoOptions, InitStoreOptions, InitializedRepo, JoinedRepo, RepoCompression, initRepo, initStore
// @ipfsz/node/links: AddLinkOptions, RemoveContentOptions, RemoveLinksOptions, Removed, addLink, listLinks, removeContent, removeLinks
// @ipfsz/node/migrate: LostInMigration, MigrateOptions, Migrated, MigratedCount, migrateStore
// @ipfsz/node/names: PublishOptions, PublishedPath, publishName, resolveName
// @ipfsz/node/network: ConnectedPeer, NodeId, OpenNodeInit, Provider, PublishNameOptions, PublishedName, ResolvedName, RunningNode, openNode
// @ipfsz/node/originals: IndexOriginalsOptions, Original, indexOriginals, listOriginals
// @ipfsz/node/peers: ConnectedPeer, Provider, RepoIdentity, connectPeers, connectedPeers, findProviders, identify
// @ipfsz/node/pins: AddPinsOptions, ListPinsOptions, PinInfo, PinTarget, RemovePinsOptions, addPins, listPins, removePins
// @ipfsz/node/read: CidPath, NamePath, StatTargetOptions, TargetOptions, cidAt, cidsAt, nameOf, parseContentPath, statTarget, withTarget, withTargets
// @ipfsz/node/repair: LostBlock, RepairOptions, RepairReport, Repaired, RepairedRoot, repairContent
// @ipfsz/node/session: AddTreeOptions, Added, AddedTree, LatestVersions, NetworkOptions, NodeContext, PendingRoot, PendingRoots, PendingRootsInit, Reading, Session, SessionOptions, addTree, basesInTree, checkFileTarget, checkNoOverwrite, countNewBlocks, findGateway, openToRead, withRepo
// @ipfsz/node/stats: CompressedFiles, CountedPacks, RepoStats, countRepo
// @ipfsz/node/usage: MeasureUsageOptions, NamedUsage, Usage, UsageReport, measureUsage
// @ipfsz/node/verify: FailedTargets, Verified, VerifiedPin, VerifiedPins, VerifyAllContentOptions, VerifyContentOptions, VerifyPinsOptions, verifyAllContent, verifyContent, verifyPins
// @ipfsz/node: AddDataOptions, AddDirectoryOptions, AddPathOptions, AddedEntry, AddedRoot, CallOptions, CollectOptions, Collected, ContentPath, ForgetVersionsOptions, GetOptions, JudgedVersion, KeepRules, ListPinsOptions, NodeEvents, OpenRepo, OpenRepoInit, PinInfo, PinnedVersion, RepoClosedError, RepoHistory, RepoLinked, RepoNetwork, RepoOriginals, RepoPinned, Step, Target, Task, TreeContent, VerifyContentOptions, Version, WithFilesOptions, Written, openRepo

interface AccessEntry {
    time: number;
    address: string;
    method: string;
    url: string;
    httpVersion: string;
    host: string | undefined;
    status: number;
    bytes: number;
    duration: number;
    encoding: string | undefined;
    complete: boolean;
    referer: string | undefined;
    userAgent: string | undefined;
}

interface AddDataOptions extends CallOptions, Omit<AddSourcesOptions, ForOne | OfDirectories> {
    base?: CID | ContentPath | 'latest' | undefined;
    name?: string | undefined;
    mode?: StreamSource['mode'];
    mtime?: StreamSource['mtime'];
}

interface AddDirectoryOptions extends AddPathOptions {
    onEntry?: ((entry: AddedEntry) => void | Promise<void>) | undefined;
}

interface AddLinkOptions {
    unchecked?: boolean | undefined;
    maxWindowSize?: number | undefined;
}

interface AddPathOptions extends CallOptions, Omit<AddSourcesOptions, ForOne> {
    base?: CID | ContentPath | 'latest' | undefined;
    name?: string | undefined;
}

interface AddPinsOptions {
    onPin?: ((pin: {
        cid: CID;
        isPinned: boolean;
    }) => void) | undefined;
}

type AddSource = PathSource | StreamSource;

interface AddSourcesOptions {
    compression?: Omit<CompressionOptions, 'base'> | undefined;
    base?: Pick<CidPath, 'cid' | 'path'> | typeof LATEST | undefined;
    name?: string | undefined;
    deterministic?: boolean | undefined;
    link?: boolean | undefined;
    wrap?: boolean | undefined;
    onlyHash?: boolean | undefined;
    dryRun?: boolean | undefined;
    pin?: boolean | undefined;
    sync?: boolean | undefined;
    hidden?: boolean | undefined;
    ignore?: readonly string[] | undefined;
    gitignore?: boolean | undefined;
    preserve?: {
        mode?: boolean;
        mtime?: boolean;
    } | undefined;
    threads?: number | undefined;
    cache?: boolean | undefined;
    measures?: boolean | undefined;
    kubo?: string | undefined;
    onEntry?: ((entry: AddedEntry) => void | Promise<void>) | undefined;
    onRoot?: ((root: AddedRoot) => void | Promise<void>) | undefined;
}

interface AddTreeOptions extends TreeSourceInit {
    add: Omit<AddOptions, 'signal'>;
    pass?: ((candidates: AsyncIterable<Candidate>) => AsyncIterable<AddCandidate>) | undefined;
    progress: Pick<Progress, 'update' | 'end'>;
    onAdded?(added: Added): Promise<void>;
    onWritten?(path: string, file: WrittenInTree): Promise<void> | undefined;
}

interface Added {
    cid: CID;
    path: string;
    size: number;
    storedSize: bigint;
    ratio: number;
    codec: string;
    type: EntryType;
    readableWith?: string | undefined;
}

interface AddedEntry extends Added {
    plainCid: CID;
    url: string | undefined;
}

interface AddedRoot {
    cid: CID;
    plainCid: CID;
    name: string;
    type: 'file' | 'directory';
    size: number | bigint;
    storedSize: bigint;
    ratio: number;
    codec: string;
    url: string | undefined;
    codecs: Readonly<Record<string, number>>;
    content?: TreeContent | undefined;
    hidden: number;
    executables: number;
    changed: ChangedFiles;
    newSize?: number | undefined;
    known?: KnownCounts | undefined;
    readableWith?: string | undefined;
}
//# sourceMappingURL=add-options.d.ts.map

interface AddedTree {
    root: Added & {
        plainCid: CID;
    };
    content: TreeContent;
    codecs: Record<string, number>;
    hidden: number;
    executables: number;
    changed: ChangedFiles;
}

interface BitswapMessages {
    network: {
        sendMessage(peer: PeerId, message: WantMessage, options?: {
            signal?: AbortSignal;
        }): Promise<unknown>;
        addEventListener(type: string, listener: (event: CustomEvent<PeerId>) => void): void;
        removeEventListener(type: string, listener: (event: CustomEvent<PeerId>) => void): void;
    };
    wantList: {
        peers: {
            keys(): Iterable<PeerId>;
        };
        addEventListener(type: 'block', listener: (event: CustomEvent<{
            cid: CID;
            block: Uint8Array;
            sender: PeerId;
        }>) => void): void;
        addEventListener(type: 'presence', listener: (event: CustomEvent<{
            cid: CID;
            sender: PeerId;
            has: boolean;
        }>) => void): void;
    };
}

type BlockLayout = 'files' | 'packs';

type BlockState = 'good' | 'missing' | 'damaged';

type Blocks = IpfszComponents['blockstore'];

interface Cache {
    readonly bytes: number;
}

interface CallOptions extends NodeProgressOptions {
    signal?: AbortSignal | undefined;
}

type Candidate = ImportCandidateStream extends AsyncIterable<infer T> | Iterable<infer T> ? T : never;

interface CarRoot {
    plainCid: CID;
    markedCid: CID | undefined;
}

type CarSource = {
    name: string;
} & ({
    path: string;
} | {
    content: AsyncIterable<Uint8Array>;
});

interface ChangedFiles {
    count: number;
    first: string;
}
//# sourceMappingURL=progress.d.ts.map

interface CheckOptions {
    reached?: Reached;
    onBlocks?: (blocks: number) => void;
    leaves?: 'read' | 'has';
}

interface CidPath {
    cid: CID;
    path: string;
    text: string;
    label?: string;
}

class ClusterPeers {
    constructor({ libp2p, nodes, silence, patience }: ClusterPeersInit);
    serve(fetchHere: FetchHere): Promise<() => Promise<void>>;
    has(peerId: string): boolean;
    update({ others, gone }: {
        others: readonly NodeRecord[];
        gone: readonly string[];
    }): void;
    fetch(cid: CID, options: FetchOptions, fetchHere: FetchHere): Promise<SourceBlock>;
}
//# sourceMappingURL=cluster-peers.d.ts.map

interface ClusterPeersInit extends ClusterTimes {
    libp2p: Libp2p;
    nodes: Pick<StoreNodes, 'has' | 'living' | 'look'>;
}

interface ClusterTimes {
    silence?: number | undefined;
    patience?: number | undefined;
}

interface CollectOptions {
    dryRun?: boolean | undefined;
    force?: boolean | undefined;
    maxUnused?: MaxUnused | undefined;
    evict?: string | undefined;
}

interface Collected {
    dryRun: boolean;
    removed: number;
    removedSize: number;
    kept: number;
    pins: number;
    links: number;
    packs?: FreedPacks | undefined;
}

type Comparison = 'same' | 'changed' | 'unknown';

type Compressed = 'blocks' | 'all';

interface CompressedFiles {
    count: number;
    size: number;
    storedSize: number;
    incompletePins: number;
}

type Config = Readonly<Record<string, ConfigValue>>;

class ConfigError extends NamedError {
    static readonly name = "ConfigError";
    readonly file: string;
    readonly key: string | undefined;
    readonly hint = "mend the file, or delete it";
    constructor(file: string, key: string | undefined, reason: string, options?: ErrorOptions);
}

type ConfigValue = string | number | boolean | string[];

interface ConnectedPeer {
    peerId: string;
    address: string;
    direction: 'inbound' | 'outbound';
    sameStore?: boolean;
    agent?: string | undefined;
}

interface ContentPath {
    cid: CID;
    path?: string | undefined;
}

interface ConvertBlocksOptions extends MeasuredOptions {
    again?: boolean | undefined;
    onDamaged?: ((cid: CID, error: Error) => void) | undefined;
}

interface CountedPacks {
    packs: number;
    size: number;
    live: number;
    dead: number;
}

const DEFAULT_CACHE_SIZE: number;

const DEFAULT_GATEWAY_ADDRESS = "127.0.0.1:8080";
//# sourceMappingURL=default-address.d.ts.map

interface Daemon {
    id: NodeId;
    repo: Repo;
    network: StoreNetwork;
    originals: DerivedBlockstore | undefined;
    stop: () => Promise<void>;
}

class DaemonError extends NamedError {
    static readonly name = "DaemonError";
    readonly problem: DaemonProblem | undefined;
    readonly hint: string | undefined;
    constructor(message: string, { problem, ...options }?: ErrorOptions & {
        problem?: DaemonProblem;
    });
}

interface DaemonInit {
    repo: string;
    listen?: readonly string[] | undefined;
    announce?: readonly string[] | undefined;
    bootstrap: readonly string[];
    provide: Provides;
    originals?: readonly string[] | undefined;
    serveHttp?: boolean | undefined;
    compressConnections?: boolean | undefined;
    clusterTimes?: ClusterTimes | undefined;
    signal: AbortSignal;
    onNote: (message: string) => void;
    verbose: boolean;
}

type DaemonProblem = 'no-answer' | 'no-id' | 'no-network' | 'not-running';

class DaemonRunningError extends NamedError {
    static readonly name = "DaemonRunningError";
    readonly pid: number;
    readonly host: string;
    readonly file: string;
    readonly hint = "stop it first, or use another repo";
    constructor(repo: string, { pid, host, path }: LockFile);
}

class DamagedDagError extends NamedError {
    static readonly name = "DamagedDagError";
    readonly root: CID;
    constructor(root: CID, cause: unknown);
}

interface DescribedEntry {
    cid: CID;
    readCid: CID;
    type: 'file' | 'directory' | 'symlink';
    size?: number;
    isCompressed: boolean;
    contentCid?: CID;
}

type Detail<Type> = Extract<NodeEvents, {
    type: Type;
}>['detail'];

interface DiffContentOptions {
    content?: boolean | undefined;
    onDifference?: ((difference: Difference) => void) | undefined;
}

interface Difference {
    change: 'added' | 'removed' | Exclude<Comparison, 'same'>;
    path: string;
    before?: DescribedEntry;
    after?: DescribedEntry;
    sameAs?: string;
}

interface Differences {
    differences: number;
    unknown: number;
}

class DifferentError extends NamedError {
    static readonly name = "DifferentError";
    readonly differences: number;
    constructor(differences: number);
}

type EntryType = 'file' | 'directory' | 'symlink';

type Environment = Readonly<Record<string, string | undefined>>;

interface ExportCarOptions extends MeasuredOptions {
    force?: boolean | undefined;
}

interface ExportedCar {
    roots: CarRoot[];
    size: number;
}

interface FailedTargets {
    failed: number;
    lost: boolean;
}

type FetchHere = (cid: CID, options: FetchOptions) => Promise<SourceBlock>;

interface FetchOptions extends Pick<PeerFetchOptions, 'part' | 'plan' | 'root' | 'signal' | 'size'> {
    named?: readonly string[] | undefined;
    search?: 'all' | 'lost' | 'none' | undefined;
    store?: boolean | undefined;
    onLacks?: ((peer: string) => void) | undefined;
}

interface Fetched {
    blocks: number;
    bytes: number;
    replaced: number;
    senders: ReadonlyMap<string, {
        blocks: number;
        bytes: number;
    }>;
}

interface FindContentOptions {
    type?: 'file' | 'directory' | 'symlink' | undefined;
    onFound?: ((found: FoundEntry) => void) | undefined;
    onFailed?: ((target: string, error: Error) => void) | undefined;
    onDamaged?: ((error: PinRecordError) => void) | undefined;
}

type ForOne = 'base' | 'kubo' | 'onEntry' | 'onlyHash' | 'onRoot' | 'wrap';

interface ForgetVersionsOptions {
    dryRun?: boolean | undefined;
}

interface FoundEntry {
    entry: DirectoryEntry;
    path: string;
}

interface FreedPacks {
    freed: number;
    unused: number;
}

interface GetContentOptions {
    output?: string | undefined;
    place?: WorkingDirectory | undefined;
    force?: boolean | undefined;
    allowSymlinks?: boolean | undefined;
    maxSize?: number | undefined;
    maxFiles?: number | undefined;
    maxWindowSize?: number | undefined;
}

interface GetOptions extends CallOptions, Omit<GetContentOptions, 'output' | 'place'> {
}

interface GoodPin {
    state: 'good';
    size: bigint;
    files: number;
    blocks: bigint;
}

class HeldDirectory {
    readonly path: string;
    readonly shown: string;
    constructor(path: string, shown: string, fd?: number);
    get isHeld(): boolean;
    enter(name: string, shown?: string): Promise<HeldDirectory>;
    checkEntry(name: string, made: BigIntStats, shown: string): Promise<void>;
    close(): Promise<void>;
}

class HeldTree {
    constructor(root: HeldDirectory);
    get root(): HeldDirectory;
    within<T>(path: string, work: (directory: HeldDirectory) => Promise<T>): Promise<T>;
    hold(path: string): Promise<{
        directory: HeldDirectory;
        release: () => void;
    }>;
    close(): Promise<void>;
}
//# sourceMappingURL=held-tree.d.ts.map

type Ignore = (path: string, isDirectory: boolean) => boolean;

interface ImportCarOptions {
    sync?: boolean | undefined;
    onRoot?: ((root: ImportedRoot) => void) | undefined;
    onFailed?: ((error: Error) => void) | undefined;
}

interface ImportFromKuboOptions {
    replace?: boolean | undefined;
    compression?: CompressionOptions | undefined;
    onImported?: ((pin: ImportedPin) => void) | undefined;
    onFailed?: ((root: CID, error: Error) => void) | undefined;
}

interface ImportedCars {
    roots: number;
    failed: number;
}

type ImportedPin = {
    original: CID;
    state: 'there';
} | {
    original: CID;
    state: 'imported';
    imported: ImportedDag;
};

interface ImportedPins {
    failed: number;
    moved: number;
}

interface ImportedRoot extends CarRoot {
    cid: CID;
}

class IncompleteError extends NamedError {
    static readonly name = "IncompleteError";
    readonly lost: boolean;
    constructor(message: string, { lost, ...options }?: ErrorOptions & {
        lost?: boolean;
    });
}

interface IndexOriginalsOptions {
    layouts?: readonly string[] | undefined;
    onIndexed?: ((original: Original) => void) | undefined;
    onFailed?: ((error: Error) => void) | undefined;
}

interface InitRepoOptions {
    compression?: RepoCompression | undefined;
    layout?: BlockLayout | undefined;
}

interface InitStoreOptions {
    cache?: number | undefined;
}

interface InitializedRepo {
    path: string;
    codec: string;
    layout: BlockLayout | undefined;
    store: string | undefined;
    exists: boolean;
}

class InvalidCarError extends NamedError {
    static readonly name = "InvalidCarError";
}

interface JoinedRepo {
    path: string;
    store: string;
    codec: string;
    isNew: boolean;
    wasJoined: boolean;
}

interface JudgedVersion extends PinnedVersion {
    keptBy: string[];
}

interface KeepRules {
    last?: number | undefined;
    hourly?: number | undefined;
    daily?: number | undefined;
    weekly?: number | undefined;
    monthly?: number | undefined;
    yearly?: number | undefined;
    within?: number | undefined;
}

interface KeptBlocks {
    get(cid: CID, options: {
        signal: AbortSignal;
    }): Promise<Uint8Array | undefined>;
    put(cid: CID, bytes: Uint8Array): Promise<void>;
}

interface KnownCounts {
    new: number;
    changed: number;
    unchanged: number;
}

interface KuboSession {
    files: Ipfsz;
    pins: {
        addNew(added: readonly NewPin[]): Promise<unknown[]>;
    };
}

const LATEST = "latest";

class LatestVersions {
    constructor({ repo, files, pins }: Pick<Session, 'repo' | 'files' | 'pins'>, { name }: {
        name?: string | undefined;
    }, context: NodeContext);
    find(name: string): Promise<CID | undefined>;
    added(name: string, { cid, size, addedSize }: Pick<Version, 'cid' | 'addedSize'> & {
        size: number | bigint;
    }): () => Promise<void>;
}
//# sourceMappingURL=latest-versions.d.ts.map

type LinkTarget = string | CidPath;

class LinksError extends NamedError {
    static readonly name = "LinksError";
}

interface ListPinsOptions {
    long?: boolean | undefined;
    onDamaged?: ((err: PinRecordError) => void) | undefined;
}

interface ListenAddress {
    host: string;
    port: number;
}

class ListenError extends NamedError {
    static readonly name = "ListenError";
    readonly address: string;
    readonly code: string;
    constructor(address: string, cause: NodeJS.ErrnoException);
}

interface LockFile {
    name: string;
    path: string;
    kind: string;
    pid: number;
    host: string;
}

type LockKind = 'add' | 'gc';

interface LostBlock {
    cid: CID;
    found: RepairedBlock['found'];
    roots: RepairedRoot[];
}

type LostInMigration = {
    what: 'block' | 'pin';
    cid: CID;
    error: Error;
} | {
    what: 'record';
    error: Error;
};

type MaxUnused = {
    bytes: number;
} | {
    share: number;
};

interface MeasureUsageOptions {
    entries?: boolean | undefined;
    onUsage?: ((usage: NamedUsage) => void) | undefined;
    onFailed?: ((name: string, error: Error) => void) | undefined;
}

interface MeasuredOptions {
    measures?: boolean | undefined;
}

class Metrics {
    constructor(version: string);
    get inFlight(): number;
    begin(): void;
    end(kind: ResponseKind, { status, bytes, duration, complete }: AccessEntry): void;
    decompressed(bytes: number): void;
    fetched(bytes: number): void;
    watchCache(cache: Cache | undefined): void;
    watchStore(store: StoreTraffic | undefined): void;
    dropLine(): void;
    print(): string;
}

interface MigrateOptions extends MeasuredOptions {
    dryRun?: boolean | undefined;
    verify?: boolean | undefined;
    onLost?: ((lost: LostInMigration) => void) | undefined;
}

interface Migrated {
    blocks: MigratedCount;
    replaced: number;
    size: number;
    pins: MigratedCount;
    links: MigratedCount;
    leftOut: {
        place: string;
        pins: number;
    } | undefined;
}

interface MigratedCount {
    copied: number;
    there: number;
    lost: number;
}

class MissingAddonError extends NamedError {
    static readonly name = "MissingAddonError";
    readonly addon: string;
    constructor(addon: string, options: {
        cause: unknown;
    });
}

interface MoveOptions {
    signal: AbortSignal;
    onMoved?: ((size: number) => void) | undefined;
    onKept?: ((error: Error, cid?: CID) => void) | undefined;
}

interface MovedBlocks {
    blocks: number;
    size: number;
    kept: number;
}

const NAME_REASONS: readonly NameReason[];

const NONE = "none";

const NO_ANSWER = "it did not answer in time";

class NameError extends NamedError {
    static readonly name = "NameError";
    readonly reason: NameReason | undefined;
    readonly hint: string | undefined;
    constructor(message: string, { reason, ...options }?: ErrorOptions & {
        reason?: NameReason | undefined;
    });
}
//# sourceMappingURL=errors.d.ts.map

interface NamePath {
    name: string;
    path: string;
    text: string;
}

type NameReason = 'no-record' | 'not-a-name' | 'not-stored' | 'offline' | 'timeout';

class NameService {
    constructor(repo: Pick<Repo, 'path' | 'datastore'>, libp2p: Libp2p<Services>);
    publish(cid: CID, path: string, options: PublishOptions): Promise<PublishedName>;
    publishAgain(signal: AbortSignal): Promise<void>;
    resolve(text: string, signal: AbortSignal): Promise<ResolvedName>;
    record(text: string, signal: AbortSignal): Promise<Uint8Array>;
}
//# sourceMappingURL=name-service.d.ts.map

interface NamedUsage extends Usage {
    cid: CID;
    name: string;
}

interface Network {
    id(): Promise<NodeId>;
    peers(): Promise<ConnectedPeer[]>;
    connect(address: string, signal: AbortSignal): Promise<string>;
    fetch(cid: CID, options: FetchOptions): Promise<SourceBlock>;
    providerCount(root: CID): Promise<number>;
    findProviders(cid: CID, signal: AbortSignal): AsyncIterable<Provider>;
    provide(cids: readonly CID[]): Promise<void>;
    publishName(cid: CID, path: string, options: PublishOptions): Promise<PublishedName>;
    resolveName(name: string, signal: AbortSignal): Promise<ResolvedName>;
    nameRecord(name: string, signal: AbortSignal): Promise<Uint8Array>;
    close(): Promise<void>;
}
//# sourceMappingURL=network.d.ts.map

class NetworkAccess {
    constructor(context: NodeContext, maxSockets?: number);
    isPossible(): Promise<boolean>;
    get named(): readonly string[];
    open(): Promise<Network>;
    close(): Promise<void>;
}

interface NetworkOptions {
    offline?: boolean | undefined;
    peers?: readonly string[] | undefined;
    gateways?: readonly string[] | undefined;
    routers?: readonly string[] | undefined;
    allowLocal?: boolean | undefined;
    timeout?: number | undefined;
}

interface NewBlocks {
    blockstore: Blocks;
    newBytes(root: CID, signal: AbortSignal): Promise<number>;
}

interface NewPin {
    cid: CID;
    name?: string;
    depth?: number;
}

class NoHistoryError extends NamedError {
    static readonly name = "NoHistoryError";
    readonly history: string;
    constructor(history: string);
}

class NoRoomError extends NamedError {
    static readonly name = "NoRoomError";
    readonly path: string;
    readonly limit: 'size' | 'files';
    readonly needed: number;
    readonly free: number;
    readonly hint = "free some space, for example with a collection, or write to another disk";
    constructor(path: string, reason: string, { limit, needed, free }: Pick<NoRoomError, 'free' | 'limit' | 'needed'>);
}

interface Node {
    helia: Helia;
    libp2p: Libp2p<Services>;
    wants: Wants;
    early: EarlyBudget;
    onlyNamed: boolean;
    hasBootstrap: boolean;
    agent: string;
    stop: () => Promise<void>;
}

interface NodeContext extends NodeProgressOptions {
    repo: string;
    signal: AbortSignal;
    network?: NetworkOptions | undefined;
    nameGateways?: readonly string[] | undefined;
    bootstrap: readonly string[];
    now?: (() => number) | undefined;
}

class NodeError extends NamedError {
    static readonly name = "NodeError";
}

type NodeEvents = ProgressEvent<'ipfsz:step:begin', Step> | ProgressEvent<'ipfsz:step:progress', {
    step: Step;
    done: number;
    total?: number | undefined;
}> | ProgressEvent<'ipfsz:step:end', Step> | ProgressEvent<'ipfsz:add:failed', {
    path: string;
    error: Error;
}> | ProgressEvent<'ipfsz:collect:store', CollectionEvent> | ProgressEvent<'ipfsz:collect:end', undefined> | LinkEvents | ProgressEvent<'ipfsz:repo:waiting', {
    repo: string;
    holder: LockFile;
}> | ProgressEvent<'ipfsz:repo:locked', undefined> | ProgressEvent<'ipfsz:fetch:begin', undefined> | ProgressEvent<'ipfsz:fetch:asked', {
    root: CID;
}> | ProgressEvent<'ipfsz:fetch:arrived', {
    sender: string;
    bytes: number;
    milliseconds: number;
}> | ProgressEvent<'ipfsz:fetch:lacks', {
    peer: string;
    cid: CID;
    root: CID;
}> | ProgressEvent<'ipfsz:fetch:end', Fetched> | ProgressEvent<'ipfsz:warning', {
    message: string;
    isMinor: boolean;
}>;

interface NodeId {
    peerId: string;
    addresses: string[];
    agent: string;
}

class NodeNetwork implements Network {
    readonly names: NameService;
    constructor({ repo, node, provides, onProvide }: NodeNetworkInit);
    id(): Promise<NodeId>;
    peers(): Promise<ConnectedPeer[]>;
    connect(address: string, signal: AbortSignal): Promise<string>;
    fetch(cid: CID, { root, store, ...options }: FetchOptions): Promise<SourceBlock>;
    providerCount(root: CID): Promise<number>;
    findProviders(cid: CID, signal: AbortSignal): AsyncGenerator<Provider>;
    provide(cids: readonly CID[]): Promise<void>;
    provideAgain(isChosen: (root: CID) => boolean): void;
    publishName(cid: CID, path: string, options: PublishOptions): Promise<PublishedName>;
    resolveName(name: string, signal: AbortSignal): Promise<ResolvedName>;
    nameRecord(name: string, signal: AbortSignal): Promise<Uint8Array>;
    close(): Promise<void>;
    protected read(cid: CID): Promise<Uint8Array | undefined>;
}
//# sourceMappingURL=node-network.d.ts.map

interface NodeNetworkInit {
    repo: Repo;
    node: Node;
    provides?: Omit<ProvidingInit, 'libp2p'>;
    onProvide?: (cids: readonly CID[]) => void;
}

interface NodeProgressOptions {
    onProgress?: ((event: NodeEvents) => void) | undefined;
}

type NodeSettings = Pick<DaemonInit, 'announce' | 'compressConnections' | 'listen' | 'originals' | 'serveHttp'>;

class NotConnectedError extends NamedError {
    static readonly name = "NotConnectedError";
    readonly address: string;
    constructor(given: string, reason: string, options?: ErrorOptions);
}

class NotLinkedError extends NamedError {
    static readonly name = "NotLinkedError";
    readonly cid: CID;
    constructor(cid: CID);
}

class NotPinnedError extends NamedError {
    static readonly name = "NotPinnedError";
    readonly cid: CID;
    readonly hint = "list the pins: another version may be pinned";
    constructor(cid: CID);
}

class NothingPinnedError extends NamedError {
    static readonly name = "NothingPinnedError";
    readonly problem: 'nothing-pinned' | 'no-pins-yet';
    readonly hint = "pin what you want to keep, then delete the rest with force";
    constructor(message: string, { problem }: {
        problem: 'nothing-pinned' | 'no-pins-yet';
    });
}

type OfDirectories = 'cache' | 'gitignore' | 'hidden' | 'ignore' | 'preserve' | 'threads';

interface OpenNodeInit extends NodeProgressOptions, NodeSettings {
    bootstrap?: readonly string[] | undefined;
    provide?: Provides | undefined;
    signal?: AbortSignal | undefined;
}

interface OpenRepo extends AsyncDisposable {
    readonly path: string;
    readonly files: Ipfsz;
    readonly blocks: GatewayBlocks;
    readonly pins: RepoPinned;
    readonly links: RepoLinked;
    readonly history: RepoHistory;
    readonly originals: RepoOriginals;
    add(content: Uint8Array | AsyncIterable<Uint8Array>, options?: AddDataOptions): Promise<AddedRoot>;
    addFile(path: string, options?: AddPathOptions): Promise<AddedRoot>;
    addDirectory(path: string, options?: AddDirectoryOptions): Promise<AddedRoot>;
    get(target: Target, path: string, options?: GetOptions): Promise<Written>;
    withFiles<T>(target: Target, work: (files: Ipfsz, cid: CID, path: string) => Promise<T>, options?: WithFilesOptions): Promise<T>;
    rm(target: Target, options?: CallOptions): Promise<void>;
    collect(options?: CallOptions & CollectOptions): Promise<Collected>;
    verify(target: Target, options?: CallOptions & VerifyContentOptions): Promise<VerifyReport>;
    verifyPins(options?: CallOptions & VerifyPinsOptions): Promise<VerifiedPins>;
    repair(targets?: readonly Target[], options?: CallOptions & RepairOptions): Promise<RepairReport>;
    diff(before: Target, after: Target, options?: CallOptions & DiffContentOptions): Promise<Differences>;
    usage(targets?: readonly Target[], options?: CallOptions & MeasureUsageOptions): Promise<UsageReport>;
    stats(options?: CallOptions): Promise<RepoStats>;
    exportCar(targets: readonly Target[], output: string | ((bytes: Uint8Array) => Promise<void>), options?: CallOptions & ExportCarOptions): Promise<ExportedCar>;
    importCar(sources: readonly CarSource[], options?: CallOptions & ImportCarOptions): Promise<ImportedCars>;
    close(): Promise<void>;
}

interface OpenRepoInit extends NodeProgressOptions {
    create?: boolean | undefined;
    layout?: 'files' | 'packs' | undefined;
    network?: RepoNetwork | undefined;
    signal?: AbortSignal | undefined;
}

interface OpenedCache {
    cache: SharedCache;
    directory: string;
}

class OutputTooLargeError extends NamedError {
    static readonly name = "OutputTooLargeError";
    readonly path: string;
    readonly limit: 'size' | 'files';
    readonly allowed: number;
    readonly hint = "raise the limit to write it anyway";
    constructor(path: string, limit: OutputTooLargeError['limit'], allowed: number, reason: string);
}

interface OwnBlocks {
    storage: BlockStorage;
    blockstore: Blockstore;
    packs?: () => Promise<PackedBlockstore>;
    close: () => Promise<void>;
}

type PathProblem = 'bad-name' | 'bad-target' | 'exists' | 'in-the-way' | 'is-directory' | 'leads-out' | 'not-addable';

interface PathSource {
    path: string;
    name?: string | undefined;
}

interface PendingRoot extends NewPin {
    report: () => void | Promise<void>;
    discard?: (() => Promise<void>) | undefined;
}

class PendingRoots {
    constructor(init: PendingRootsInit);
    push(root: PendingRoot): void;
    flushIfDue(): Promise<void>;
    flush(): Promise<void>;
}
//# sourceMappingURL=pending-roots.d.ts.map

interface PendingRootsInit {
    pin: boolean;
    session: Partial<KuboSession> & Partial<Pick<Session, 'repo'>>;
    context: NodeContext;
    fail: (err: unknown) => void;
}

interface Pin {
    plainCid: CID;
    cid: CID;
    name?: string;
    depth: number;
}

interface PinInfo {
    cid: CID;
    plainCid: CID;
    name?: string | undefined;
    depth: number;
    size?: bigint | undefined;
    storedSize?: bigint | undefined;
    pinnedAt?: Date | undefined;
}

class PinRecordError extends NamedError {
    static readonly name = "PinRecordError";
    readonly file: string;
    readonly cid: CID | undefined;
    readonly hint: string;
    constructor(file: string, cid: CID | undefined, cause: unknown);
}

type PinTarget = string | CidPath;

interface PinnedVersion extends Version {
    isPinned: boolean;
}

interface Preserve {
    mode: boolean;
    mtime: boolean;
}

class PrivateAddressError extends NamedError {
    static readonly name = "PrivateAddressError";
    readonly host: string;
    readonly address: string;
    readonly hint = "allow local addresses to fetch from it";
    constructor(host: string, address: string);
}

interface Progress {
    update: (done: number) => void;
    end: () => void;
}

interface Provider {
    peerId: string;
    addresses: string[];
}

type Provides = 'roots' | 'all' | 'none';

interface ProvidingInit {
    libp2p: Libp2p<Services>;
    roots: (signal: AbortSignal) => AsyncIterable<CID>;
    below?: (root: CID, signal: AbortSignal) => AsyncIterable<CID>;
    interval?: number;
    onError: (err: unknown) => void;
}

interface PublishNameOptions extends CallOptions {
    path?: string | undefined;
    key?: string | undefined;
    lifetime?: number | undefined;
}

interface PublishOptions {
    key?: string | undefined;
    lifetime?: number | undefined;
}

interface PublishOptions {
    signal: AbortSignal;
    key: string;
    lifetime?: number | undefined;
}

interface PublishedName {
    name: string;
    cid: CID;
    sequence: bigint;
}

interface PublishedPath {
    name: string;
    cid: CID;
    path: string;
    sequence: bigint;
}

class Reached implements ReachedBlocks {
    add(cid: CID, levels: number): boolean | undefined;
    keep(): void;
    isKept(): boolean;
    has(multihash: Uint8Array): boolean;
}

interface ReachedBlocks {
    add(cid: CID, levels: number): boolean | undefined;
    keep(cid: CID, levels: number): void;
    isKept(cid: CID, levels: number): boolean;
    has(multihash: Uint8Array): boolean;
}

interface Reading extends Session {
    online: boolean;
    dropPlan: () => void;
    hasSeveral: boolean;
    filesOn: (blockstore: IpfszComponents['blockstore']) => Ipfsz;
}

interface ReadingOptions {
    sync?: boolean;
    plan?: ReadPlan;
    access?: NetworkAccess;
    cached?: boolean;
}

interface RemoveContentOptions {
    onRemove?: ((removed: Removed) => void) | undefined;
}

interface RemoveLinksOptions {
    onUnlink?: ((cid: CID) => void) | undefined;
}

interface RemovePinsOptions {
    onUnpin?: ((cid: CID) => void) | undefined;
}

interface Removed {
    cid: CID;
    unpinned: boolean;
    unlinked: boolean;
}

interface RepairOptions {
    onRepaired?: ((repaired: Repaired) => void) | undefined;
    onFailed?: ((root: {
        cid: CID;
        path: string;
    }, error: Error) => void) | undefined;
}

interface RepairReport {
    roots: number;
    failed: number;
    unreadable: PinRecordError[];
    lost: LostBlock[];
    online: boolean;
}

interface Repaired {
    root: RepairedRoot;
    state: 'good' | 'repaired' | 'incomplete' | 'damaged';
    blocks: number;
    fetched: number;
    fetchedSize: number;
    missing: number;
    damaged: number;
}

interface RepairedBlock {
    cid: CID;
    found: BlockState;
    good: boolean;
    size: number;
}

type RepairedRoot = Pick<Pin, 'cid' | 'name'> & Partial<Pick<Pin, 'depth'>>;

interface Repo {
    readonly path: string;
    readonly storage: BlockStorage;
    readonly blockstore: Blockstore;
    readonly records: Records;
    readonly links: Links;
    readonly datastore: RepoDatastore;
    readonly shared?: SharedStore;
    readonly session?: StoreSession;
    readonly packs?: OwnBlocks['packs'];
    readonly sessionPacks?: SessionPackBlocks | undefined;
    readonly together?: Pick<PackBlocks, 'expect' | 'getTogether'> | undefined;
    readonly close: () => Promise<void>;
}

class RepoClosedError extends NamedError {
    static readonly name = "RepoClosedError";
    readonly repo: string;
    constructor(repo: string);
}
//# sourceMappingURL=repo-closed-error.d.ts.map

interface RepoCompression {
    codec: CodecName | 'none';
    level?: number;
}

class RepoDatastore extends FsDatastore implements Records {
    constructor(location: string, { sync }: {
        sync: boolean;
    });
    open(): Promise<void>;
    put(key: Key, value: Uint8Array, options?: Parameters<FsDatastore['put']>[2]): Promise<Key>;
    putEach(records: readonly Pair[], options?: Parameters<FsDatastore['put']>[2]): Promise<Array<PutFailedError | undefined>>;
    delete(key: Key, options?: Parameters<FsDatastore['delete']>[1]): Promise<void>;
    get(key: Key, options?: Parameters<FsDatastore['get']>[1]): Promise<Uint8Array>;
    read(key: Key, maxSize: number): Promise<Uint8Array | undefined>;
    keys(prefix: string, signal: AbortSignal): AsyncGenerator<Key>;
    modified(key: Key): Promise<Date>;
    placeOf(key: Key): string;
}
//# sourceMappingURL=repo-datastore.d.ts.map

interface RepoHistory {
    versions(name: string, options?: CallOptions): AsyncIterable<PinnedVersion>;
    names(options?: CallOptions): Promise<Array<{
        last: Version;
        versions: number;
    }>>;
    forget(name: string, options?: CallOptions): Promise<number>;
    retain(name: string, rules: KeepRules, options?: CallOptions & ForgetVersionsOptions): Promise<JudgedVersion[]>;
}

interface RepoIdentity {
    peerId: string;
    addresses: string[];
    agent: string | undefined;
}

interface RepoInit extends BackendInit {
    sync?: boolean;
    readsKept?: boolean;
    layout?: BlockLayout | undefined;
}

interface RepoLinked {
    add(original: Target, compressed: Target, options?: CallOptions & AddLinkOptions): Promise<Link>;
    rm(target: Target, options?: CallOptions): Promise<void>;
    ls(options?: CallOptions): AsyncIterable<Link>;
}

class RepoLockedError extends NamedError {
    static readonly name = "RepoLockedError";
    readonly pid: number | undefined;
    readonly host: string | undefined;
    readonly file: string;
    constructor(repo: string, { kind, pid, host, path }: Pick<LockFile, 'kind' | 'path'> & Partial<LockFile>, options?: ErrorOptions);
}

interface RepoNetwork extends NetworkOptions {
    bootstrap?: readonly string[] | undefined;
}

interface RepoOriginals {
    index(targets?: readonly Target[], options?: CallOptions & IndexOriginalsOptions): Promise<number>;
    ls(options?: CallOptions): AsyncIterable<Original>;
}

interface RepoPinned {
    add(target: Target, options?: CallOptions): Promise<void>;
    rm(target: Target, options?: CallOptions): Promise<void>;
    ls(options?: CallOptions & ListPinsOptions): AsyncIterable<PinInfo>;
}

class RepoPins {
    constructor(repo: Repo);
    addNew(added: readonly NewPin[]): Promise<unknown[]>;
    add(cid: CID, signal: AbortSignal, options?: CheckOptions): Promise<void>;
    check(cid: CID, signal: AbortSignal, { reached, onBlocks, leaves }?: CheckOptions): Promise<void>;
    has(cid: CID): Promise<boolean>;
    pinnedAt(cid: CID): Promise<Date>;
    blocks(cid: CID, signal: AbortSignal): AsyncGenerator<CID>;
    rm(cid: CID): Promise<void>;
    ls(signal: AbortSignal, onDamaged?: (err: PinRecordError) => void, isLeftOut?: (plainCid: CID) => boolean): AsyncGenerator<Pin>;
}
//# sourceMappingURL=repo-pins.d.ts.map

interface RepoStats extends Omit<BlockstoreStats, 'codecs'> {
    codecs: BlockstoreStats['codecs'] & {
        packs?: BlockTotals;
    };
    packs?: CountedPacks | undefined;
    files: CompressedFiles & {
        ratio: number;
    };
    originalSize: number;
    saved: number;
}

interface ResolvedName {
    cid: CID;
    path: string;
    ttl?: number | undefined;
}

type ResponseKind = 'stored' | 'compressed' | 'file' | 'range' | 'block' | 'car' | 'tar' | 'listing' | 'document' | 'record' | 'unchanged' | 'redirect' | 'error' | 'other';

class RouterError extends NamedError {
    static readonly name = "RouterError";
    readonly router: string;
    constructor(router: string, reason: string, options?: ErrorOptions);
}

interface RunningGateway {
    url: string;
    otherUrls: string[];
    subdomainUrl: string | undefined;
    metricsUrl: string | undefined;
    cached: OpenedCache | undefined;
    metrics: Metrics;
    stop: () => Promise<void>;
}

interface RunningNode extends AsyncDisposable {
    readonly id: NodeId;
    readonly repo: OpenRepo;
    peers(): Promise<ConnectedPeer[]>;
    connect(address: string, options?: CallOptions): Promise<string>;
    findProviders(cid: CID, options?: CallOptions): AsyncIterable<Provider>;
    provide(cids: readonly CID[]): Promise<void>;
    publishName(cid: CID, options?: PublishNameOptions): Promise<PublishedName>;
    resolveName(name: string, options?: CallOptions): Promise<ResolvedName>;
    stop(): Promise<void>;
}

interface ServeGatewayOptions {
    listen: string;
    fetch?: boolean | undefined;
    cache?: number | undefined;
    public?: boolean | undefined;
    metrics?: string | undefined;
    host?: readonly string[] | undefined;
    trustProxy?: string[] | undefined;
    compress?: Compressed | undefined;
    compressCpu?: number | undefined;
    compressCache?: number | undefined;
    maxRequests?: number | undefined;
    maxRequestsPerAddress?: number | undefined;
    serveOriginals?: boolean | undefined;
    onEntry?: ((entry: AccessEntry) => boolean) | undefined;
}
//# sourceMappingURL=gateway-options.d.ts.map

interface ServedGateway extends Omit<RunningGateway, 'metrics'> {
    lacksOriginals: boolean;
}

interface Services extends Record<string, unknown> {
    identify: Identify;
    ping: Ping;
    wan: KadDHT;
    lan: KadDHT;
}

interface Session {
    repo: Repo;
    files: Ipfsz;
    pins: RepoPins;
    links: LinkRecords | undefined;
}

interface SessionOptions extends IpfszInit {
    lock?: LockKind;
    links?: boolean;
    existing?: boolean;
    removes?: boolean;
    sync?: boolean;
}

class SharedCache {
    constructor({ directory, size, onFailure }: SharedCacheInit);
    get bytes(): number;
    open(): Promise<void>;
    get(cid: CID, options?: {
        signal?: AbortSignal | null | undefined;
    }): Promise<Uint8Array | undefined>;
    read(name: string, isGood: (bytes: Uint8Array) => Promise<boolean>, { signal }?: {
        signal?: AbortSignal | null | undefined;
    }): Promise<Uint8Array | undefined>;
    namesBeside(name: string): Promise<ReadonlySet<string>>;
    put(cid: CID, bytes: Uint8Array): Promise<void>;
    keep(name: string, bytes: Uint8Array): Promise<void>;
    close(): Promise<void>;
}
//# sourceMappingURL=shared-cache.d.ts.map

interface SharedCacheInit {
    directory: string;
    size: (kept: number) => number;
    onFailure: (err: unknown) => void;
}

interface StatTargetOptions extends Pick<ExtendedStatOptions, 'maxWindowSize' | 'onProgress'> {
    onBytes?: (bytes: number) => void;
}

interface Step {
    readonly task: Task;
    readonly name: string;
    readonly unit?: 'bytes' | 'blocks' | 'entries' | undefined;
    readonly total?: number | undefined;
}

interface StepProgress {
    update: (done: number) => void;
    add: (done: number) => void;
    expect: (total: number) => void;
    end: () => void;
}

class StoreNetwork extends NodeNetwork {
    constructor({ clusterPeers, ...init }: StoreNetworkInit);
    peers(): Promise<ConnectedPeer[]>;
    fetch(cid: CID, options: FetchOptions): Promise<SourceBlock>;
    keepForCluster(kept: KeptBlocks | undefined): void;
    fetchForPeer(cid: CID, options: FetchOptions): Promise<SourceBlock>;
}

interface StoreNetworkInit extends NodeNetworkInit {
    clusterPeers: Pick<ClusterPeers, 'fetch' | 'has'> | undefined;
}

interface StreamSource {
    open: () => AsyncIterable<Uint8Array>;
    size?: number | undefined;
    name?: string | undefined;
    mode?: number | undefined;
    mtime?: Mtime | undefined;
}

type Target = CID | ContentPath | string;

interface TargetOptions {
    scope: NonNullable<ReadingOptions['plan']>['scope'];
}

type Task = 'add' | 'check' | 'collect' | 'compare' | 'connect' | 'convert' | 'copy' | 'count' | 'export' | 'fetch' | 'find' | 'find-compressed' | 'find-garbage' | 'find-providers' | 'import' | 'index' | 'make-pages' | 'look-for' | 'measure' | 'pin' | 'prune-links' | 'publish' | 'remove' | 'repack' | 'repair' | 'resolve' | 'sync' | 'verify' | 'write';

class ThreadFailedError extends NamedError {
    static readonly name = "ThreadFailedError";
    constructor(options: {
        cause: unknown;
    });
}

interface TreeContent {
    files: number;
    compressed: number;
    readableWith: Record<string, number>;
    onlyIpfsz: number;
}

interface TreeCounts {
    files: number;
    directories: number;
    symlinks: number;
    size: number;
}

class TreeEntryError extends NamedError {
    static readonly name = "TreeEntryError";
    readonly path: string;
    readonly problem: PathProblem | undefined;
    readonly hint: string | undefined;
    constructor(path: string, reason: string, { problem, ...options }?: ErrorOptions & {
        problem?: PathProblem;
    });
}

interface TreeSourceInit {
    hidden: boolean;
    ignore: Ignore;
    gitignore: boolean;
    preserve: Preserve;
    signal: AbortSignal;
}

interface Usage {
    size: number;
    storedSize: number;
    blocks: number;
    unknownSizes: number;
}

interface UsageReport {
    targets: number;
    failed: number;
    unreadable: PinRecordError[];
    bases: Usage;
    total: Usage;
}

type Verified = {
    target: string;
    cid: CID;
    report: VerifyReport;
} | {
    target: string;
    error: Error;
};

type VerifiedPin = {
    pin: Pin;
} & (GoodPin | {
    state: 'incomplete' | 'damaged';
    error: Error;
});

interface VerifiedPins {
    pins: number;
    failed: number;
    unreadable: PinRecordError[];
}

interface VerifyAllContentOptions extends VerifyContentOptions {
    onVerified?: ((verified: Verified) => void) | undefined;
}

interface VerifyContentOptions extends MeasuredOptions {
    maxWindowSize?: number | undefined;
}

interface VerifyPinsOptions extends VerifyContentOptions {
    onVerified?: ((verified: VerifiedPin) => void) | undefined;
}

interface Version {
    name: string;
    cid: CID;
    date: Date;
    size: number;
    addedSize: number;
}

interface WalkOptions extends Pick<LsOptions, 'signal' | 'onProgress'> {
    depth?: number | undefined;
}

interface WalkedEntry {
    entry: DirectoryEntry;
    path: string;
    depth: number;
    isLast: boolean;
}

interface WantEntry {
    cid: Uint8Array;
    priority: number;
    cancel?: boolean;
    wantType?: 'WantBlock' | 'WantHave';
    sendDontHave?: boolean;
}

interface WantListener {
    block?: (bytes: Uint8Array, sender: PeerId) => void;
    presence?: (has: boolean, sender: PeerId) => void;
}

interface WantMessage {
    full: boolean;
    pendingBytes: number;
    wantlist: Map<string, WantEntry>;
    blocks: Map<string, {
        data: Uint8Array;
    }>;
    blockPresences: Map<string, unknown>;
}

class Wants {
    constructor(bitswap: BitswapMessages);
    peers(): PeerId[];
    onPeer(listener: (peer: PeerId, connected: boolean) => void): () => void;
    listen(cid: CID, listener: WantListener): () => void;
    send(cid: CID, peer: PeerId, what: 'block' | 'presence'): Promise<void>;
    cancel(cid: CID, peer: PeerId): Promise<void>;
}
//# sourceMappingURL=wants.d.ts.map

interface WithFilesOptions extends CallOptions {
    scope?: 'block' | 'entity' | 'all' | undefined;
}

interface WorkingDirectory {
    readonly cwd: string;
}

class WorkingDirectoryError extends NamedError {
    static readonly name = "WorkingDirectoryError";
    constructor(options?: ErrorOptions);
}

interface Written {
    cid: CID;
    path: string;
    type: 'file' | 'directory' | 'symlink';
    size: number;
    counts?: Omit<TreeCounts, 'size'> | undefined;
}

interface WrittenInTree {
    cid: CID;
    dagSize: bigint;
    storedSize: bigint;
    onlyIpfsz: boolean;
}

function absolutePath(path: string, place: WorkingDirectory): string;
//# sourceMappingURL=paths.d.ts.map

function addLink(context: NodeContext, original: LinkTarget, compressed: LinkTarget, { unchecked, maxWindowSize }?: AddLinkOptions): Promise<Link>;

function addPins(context: NodeContext, targets: readonly PinTarget[], { onPin }?: AddPinsOptions): Promise<void>;

function addSources(context: NodeContext, sources: readonly AddSource[], options?: AddSourcesOptions): Promise<{
    failed: number;
}>;
//# sourceMappingURL=add-sources.d.ts.map

function addTree(directory: string, files: Ipfsz, options: AddTreeOptions): Promise<AddedTree>;

function basesInTree(directory: string, { cid, path }: Pick<CidPath, 'cid' | 'path'>, { files, pins }: Pick<Session, 'files' | 'pins'>, signal: AbortSignal): Promise<CompressionOptions['base']>;
//# sourceMappingURL=earlier-tree.d.ts.map

function beginStep(options: NodeProgressOptions, given: Step): StepProgress;

function bootstrapTexts(given: readonly string[] | undefined, env: Environment): string[];

function changeConfig(repo: string, change: (config: Config) => Config, signal?: AbortSignal): Promise<void>;
//# sourceMappingURL=config-file.d.ts.map

function checkFileTarget(target: string): Promise<void>;

function checkGateway({ listen, metrics, host, trustProxy, public: isPublic }: Pick<ServeGatewayOptions, 'listen' | 'metrics' | 'host' | 'trustProxy' | 'public'>): void;
//# sourceMappingURL=serve-gateway.d.ts.map

function checkNoOverwrite(path: string): Promise<void>;

function cidAt({ cid, path }: Pick<CidPath, 'cid' | 'path'>, files: Pick<Ipfsz, 'stat'>, signal: AbortSignal): Promise<CID>;

function cidsAt(targets: ReadonlyArray<Pick<CidPath, 'cid' | 'path'>>, files: Pick<Ipfsz, 'stat'>, signal: AbortSignal): Promise<CID[]>;
//# sourceMappingURL=read-target.d.ts.map

function collectGarbage(context: NodeContext, { dryRun, force, evict, maxUnused }?: CollectOptions): Promise<Collected>;
//# sourceMappingURL=collect.d.ts.map

function configIn(repo: string): string;

function connectPeers(context: NodeContext, addresses: readonly string[], onConnected?: (peerId: string, address: string) => void): Promise<void>;

function connectedPeers(context: Pick<NodeContext, 'repo'>): Promise<ConnectedPeer[]>;

function convertBlocks(context: NodeContext, compression: RepoCompression, options?: ConvertBlocksOptions): Promise<ConvertReport>;
//# sourceMappingURL=convert-blocks.d.ts.map

function convertLayout(context: NodeContext, layout: BlockLayout, { onKept }?: Pick<MoveOptions, 'onKept'>): Promise<MovedBlocks>;
//# sourceMappingURL=convert-layout.d.ts.map

function countNewBlocks(blockstore: Blocks): NewBlocks;

function countRepo(context: Pick<NodeContext, 'repo' | 'signal' | 'onProgress'>): Promise<RepoStats>;
//# sourceMappingURL=count-repo.d.ts.map

function defaultRepoPath(io: WorkingDirectory & {
    env: Environment;
}): string | undefined;

function diffContent(context: NodeContext, targets: readonly [string | CidPath, string | CidPath], options?: DiffContentOptions): Promise<Differences>;
//# sourceMappingURL=diff-content.d.ts.map

function duringStep<T>(options: NodeProgressOptions, step: Step, work: (progress: StepProgress) => Promise<T>): Promise<T>;
//# sourceMappingURL=events.d.ts.map

function emit<Type extends NodeEvents['type']>({ onProgress }: NodeProgressOptions, type: Type, detail: Detail<Type>): void;

function exportCar(context: NodeContext, targets: ReadonlyArray<string | CidPath>, output: string | ((bytes: Uint8Array) => Promise<void>), options?: ExportCarOptions): Promise<ExportedCar>;
//# sourceMappingURL=export-car.d.ts.map

function findContent(context: NodeContext, pattern: string, targets?: ReadonlyArray<string | CidPath>, options?: FindContentOptions): Promise<{
    targets: number;
    failed: number;
}>;
//# sourceMappingURL=find-content.d.ts.map

function findGateway(repo: string): Promise<string | undefined>;
//# sourceMappingURL=gateway-file.d.ts.map

function findProviders(context: NodeContext, target: string | CidPath, onProvider?: (provider: Provider) => void): Promise<{
    cid: CID;
    providers: number;
}>;
//# sourceMappingURL=peers.d.ts.map

function forgetHistory(context: NodeContext, name: string): Promise<number>;
//# sourceMappingURL=history.d.ts.map

function forgetVersions(context: NodeContext, name: string, rules: KeepRules, { dryRun }?: ForgetVersionsOptions): Promise<JudgedVersion[]>;
//# sourceMappingURL=forget-versions.d.ts.map

function formatCombined(entry: AccessEntry): string;

function gatewayOfDaemon(context: NodeContext, options: ServeGatewayOptions): Promise<(daemon: Daemon) => Promise<ServedGateway>>;

function getContent(context: NodeContext, target: string | CidPath, options?: GetContentOptions): Promise<Written>;
//# sourceMappingURL=get-content.d.ts.map

function holdDirectory(path: string): Promise<HeldDirectory>;

function identify({ repo }: Pick<NodeContext, 'repo'>): Promise<RepoIdentity>;

function ignoreMatcher(patterns: readonly string[]): Ignore;
//# sourceMappingURL=ignore.d.ts.map

function importCars(context: NodeContext, sources: readonly CarSource[], options?: ImportCarOptions): Promise<ImportedCars>;
//# sourceMappingURL=import-car.d.ts.map

function importFromKubo(context: NodeContext, kubo: string, texts?: ReadonlyArray<string | CidPath>, { replace, compression, onImported, onFailed }?: ImportFromKuboOptions): Promise<ImportedPins>;
//# sourceMappingURL=import-from-kubo.d.ts.map

function indexOriginals(context: NodeContext, targets?: ReadonlyArray<string | CidPath>, { layouts, onIndexed, onFailed }?: IndexOriginalsOptions): Promise<number>;

function initRepo(context: NodeContext, { compression, layout }?: InitRepoOptions): Promise<InitializedRepo>;

function initStore(context: NodeContext, store: string, { cache }?: InitStoreOptions): Promise<JoinedRepo>;
//# sourceMappingURL=init.d.ts.map

function isLoopback({ host }: ListenAddress): boolean;

function listHistories(context: NodeContext): Promise<Array<{
    last: Version;
    versions: number;
}>>;

function listLinks(context: NodeContext): AsyncGenerator<Link>;

function listOriginals(context: Pick<NodeContext, 'repo' | 'signal'>): AsyncGenerator<Original>;
//# sourceMappingURL=originals.d.ts.map

function listPins(context: NodeContext, { long, onDamaged }?: ListPinsOptions): AsyncGenerator<PinInfo>;
//# sourceMappingURL=pins.d.ts.map

function listVersions(context: NodeContext, name: string): AsyncGenerator<PinnedVersion>;

function measureUsage(context: NodeContext, texts?: ReadonlyArray<string | CidPath>, { entries, onUsage, onFailed }?: MeasureUsageOptions): Promise<UsageReport>;
//# sourceMappingURL=measure-usage.d.ts.map

function migrateStore(context: NodeContext, from: string, to: string, { dryRun, verify, measures, onLost }?: MigrateOptions): Promise<Migrated>;
//# sourceMappingURL=migrate.d.ts.map

function nameOf({ cid, path, label }: CidPath): string;
//# sourceMappingURL=cid-path.d.ts.map

function openNode(path?: string, init?: OpenNodeInit): Promise<RunningNode>;
//# sourceMappingURL=index.d.ts.map

function openRegular({ path, shown }: HeldDirectory, name: string): Promise<FileHandle>;

function openRepo(path?: string, init?: OpenRepoInit): Promise<OpenRepo>;
//# sourceMappingURL=open-repo.d.ts.map

function openToRead({ repo: path, signal }: Pick<NodeContext, 'repo' | 'signal'>, init?: RepoInit): Promise<Session>;

function packageVersion(): string;

function parseContentPath(text: string): CidPath | NamePath;

function parseListenAddress(text: string): ListenAddress;

function publishName(context: NodeContext, target: string | CidPath, { key, lifetime }?: PublishOptions): Promise<PublishedPath>;

function readConfig(repo: string): Promise<Config>;

function removeContent(context: NodeContext, targets: readonly LinkTarget[], { onRemove }?: RemoveContentOptions): Promise<void>;

function removeLinks(context: NodeContext, targets: readonly LinkTarget[], { onUnlink }?: RemoveLinksOptions): Promise<void>;

function removePins(context: NodeContext, targets: readonly PinTarget[], { onUnpin }?: RemovePinsOptions): Promise<void>;

function repairContent(context: NodeContext, targets?: ReadonlyArray<string | CidPath>, options?: RepairOptions): Promise<RepairReport>;
//# sourceMappingURL=repair-content.d.ts.map

function repoPath(path: string | undefined, io: WorkingDirectory & {
    env: Environment;
}): string;

function resolveName(context: NodeContext, name: string): Promise<Pick<CidPath, 'cid' | 'path'>>;
//# sourceMappingURL=names.d.ts.map

function safeRepoPath(path: string | undefined, io: WorkingDirectory & {
    env: Environment;
}): string;

function serveGateway(context: NodeContext, options: ServeGatewayOptions): Promise<ServedGateway>;

function startDaemon(init: DaemonInit): Promise<Daemon>;
//# sourceMappingURL=daemon.d.ts.map

function statTarget(context: NodeContext, text: string, { onBytes, ...options }?: StatTargetOptions): Promise<ExtendedStats>;
//# sourceMappingURL=stat-target.d.ts.map

function toJson(entry: AccessEntry): Record<string, unknown>;
//# sourceMappingURL=access-log.d.ts.map

function urlsIn(text?: string): string[];
//# sourceMappingURL=environment.d.ts.map

function verifyAllContent(context: NodeContext, targets: ReadonlyArray<string | CidPath>, { onVerified, ...options }?: VerifyAllContentOptions): Promise<FailedTargets>;
//# sourceMappingURL=verify-content.d.ts.map

function verifyContent(context: NodeContext, target: string | CidPath, options?: VerifyContentOptions): Promise<VerifyReport>;

function verifyPins(context: NodeContext, { maxWindowSize, measures, onVerified }?: VerifyPinsOptions): Promise<VerifiedPins>;

function waitingFor(repo: string, holder: LockFile): string;

function walkContent({ cid, path }: Pick<CidPath, 'cid' | 'path'>, files: Pick<Ipfsz, 'ls'>, { depth, ...options }: WalkOptions): AsyncGenerator<WalkedEntry>;
//# sourceMappingURL=walk-content.d.ts.map

function withRepo<T>(context: NodeContext, { lock, links: writes, existing, removes, sync, ...init }: SessionOptions, work: (session: Session) => Promise<T>): Promise<T>;

function withTarget<T>(context: NodeContext, target: string | CidPath, { scope }: TargetOptions, work: (target: CidPath, reading: Reading) => Promise<T>): Promise<T>;

function withTargets<T>(context: NodeContext, texts: ReadonlyArray<string | CidPath>, work: (targets: CidPath[], access: NetworkAccess) => Promise<T>): Promise<T>;
