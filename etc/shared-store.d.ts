// @ipfsz/shared-store/collect: CollectOptions, CollectionEvent, CollectionInit, CollectionResult, StoredPin, TailSet, collect, evictSession, tailOf
// @ipfsz/shared-store/errors: CollectionLostError, CollectionRunningError, RepoError, RepoProblem, SessionLostError, SilentSessionError, StoreAwayError, StoreError, StoreMissingError, StoreObjectError, StoreProblem, UsageError, UsageProblem
// @ipfsz/shared-store/nodes: NodeRecord, StoreNodes, StoreNodesInit, ownersOf, usableAddresses
// @ipfsz/shared-store/objects: AbortOptions, GetObjectOptions, ListObjectsOptions, ListedObject, Mount, ObjectInfo, ObjectStore, PutObjectOptions, StoreRequests, StoreTraffic, StoreWatch, isStoreAway, pathOf
// @ipfsz/shared-store/pack-links: PackLinks, encodeLinks, partOfLinks
// @ipfsz/shared-store/packs: PIECE, PackBlocks, PackBytes, PackStorage, PackStorageInit, SessionPackBlocks, keyOf
// @ipfsz/shared-store/places: BackendInit, MARK_KEY, StoreBackend, StoreCompression, StoreMark, checkPlace, decodeMark, directoryBackend, encodeMark, isS3Url, openBackend, servingSignal, writeMark
// @ipfsz/shared-store/records: LinkRecords, Links, ObjectDatastore, Records
// @ipfsz/shared-store/reference: StoreReference, readReference, writeReference
// @ipfsz/shared-store/sessions: StoreSession, StoreSessionInit
// @ipfsz/shared-store/storage: BlockStorage, FileStorage, StoredBlock
// @ipfsz/shared-store: Clock, ConvertStoreOptions, ConvertedBlocks, JoinedStore, OpenStoreInit, SharedStore, StoreParts, convertStore, joinStore, openStore, refuseOlder

interface AbortOptions {
    signal?: AbortSignal | undefined;
}

interface BackendInit {
    signal?: AbortSignal | undefined;
}

interface BlockStorage extends Blockstore {
    open(): Promise<void>;
    sync(): Promise<void>;
    flush?(): Promise<void>;
    syncLater(cid: CID): Promise<void>;
    settled(): Promise<void>;
    blocks(options?: {
        signal?: AbortSignal | null | undefined;
    }): AsyncIterable<StoredBlock[]>;
    sizeOf(block: StoredBlock): Promise<number>;
    remove(blocks: readonly StoredBlock[], options?: {
        signal?: AbortSignal;
    }): Promise<void>;
}
//# sourceMappingURL=block-storage.d.ts.map

interface Clock {
    now: () => number;
    after: (milliseconds: number, run: () => void) => () => void;
}

interface CollectOptions {
    signal: AbortSignal;
    dryRun?: boolean;
    onProgress?: (event: CollectionEvent) => void;
}

type CollectionEvent = 
{
    type: 'others';
}
 | {
    type: 'clearing';
    dead: number;
}
 | {
    type: 'walked';
    blocks: number;
}
 | {
    type: 'listed';
    blocks: number;
    candidates: number;
}
 | {
    type: 'round';
    condemned: number;
}
 | {
    type: 'waiting';
    sessions: number;
}
 | {
    type: 'fenced';
    owner: string;
} | {
    type: 'deleted';
    blocks: number;
};

interface CollectionInit<Pin extends StoredPin = StoredPin> {
    store: ObjectStore;
    storage: PackStorage;
    leaseTimeout: number;
    readPins: (options: {
        signal: AbortSignal;
        isWalked: (id: string) => boolean;
    }) => AsyncIterable<Pin>;
    walk: (pin: Pin, options: {
        signal: AbortSignal;
    }) => AsyncIterable<unknown>;
    reached: {
        has: (key: Uint8Array) => boolean;
    };
    maxUnused?: number;
    beforeRounds?: ((found: {
        pins: number;
    }) => Promise<void>) | undefined;
    clock?: Clock | undefined;
}

class CollectionLostError extends NamedError {
    static readonly name = "CollectionLostError";
    readonly key: string;
    readonly hint = "collect again";
    constructor(key: string, options?: ErrorOptions);
}

interface CollectionResult {
    pins: number;
    kept: number;
    removed: number;
    removedSize: number;
    rounds: number;
    fenced: number;
    left: number;
}
//# sourceMappingURL=collection.d.ts.map

class CollectionRunningError extends NamedError {
    static readonly name = "CollectionRunningError";
    readonly owner: string;
    constructor(owner: string);
}

interface ConvertStoreOptions {
    signal: AbortSignal;
    onWaiting?: ((users: readonly string[]) => void) | undefined;
    clock?: Clock | undefined;
}

interface ConvertedBlocks {
    from: {
        stored: BlockStorage;
        plain: Blockstore;
    };
    to: PackStorage;
}

type Disk = Record<'bavail' | 'blocks' | 'bsize' | 'ffree' | 'files', number> & {
    frsize?: number | undefined;
};

interface EvictSessionOptions {
    signal: AbortSignal;
    onFenced?: (owner: string) => void;
}

class FileStorage extends SharedFsBlockstore implements BlockStorage {
    blocks({ signal }?: {
        signal?: AbortSignal | null | undefined;
    }): AsyncGenerator<BlockFile[]>;
    sizeOf(block: StoredBlock): Promise<number>;
    remove(...[blocks, { signal }]: Parameters<BlockStorage['remove']>): Promise<void>;
}
//# sourceMappingURL=file-storage.d.ts.map

class FreeSpace {
    constructor(directory: string, ask?: (directory: string) => Promise<Disk>);
    write<T>(size: number, work: () => Promise<T>): Promise<T>;
}

interface GetObjectOptions extends AbortOptions {
    offset?: number;
    length?: number;
}

interface JoinedStore {
    reference: StoreReference;
    compression: StoreCompression;
    isNew: boolean;
}

interface LinkRecords extends LinkDatastore {
    close(): Promise<void>;
}

interface Links {
    exist(): Promise<boolean>;
    open(init: {
        writes: boolean;
        signal: AbortSignal;
    }): LinkRecords;
}
//# sourceMappingURL=records.d.ts.map

interface ListObjectsOptions extends AbortOptions {
    after?: string;
    most?: number;
}

interface ListedObject {
    key: string;
}

const MARK_KEY = "ipfsz-store.json";

type MakeDirectory = (directory: string) => Promise<void>;

class Mount {
    readonly directory: string;
    constructor(directory: string, mark: string);
    readonly check: () => Promise<void>;
    readonly makeDirectory: MakeDirectory;
}
//# sourceMappingURL=mount.d.ts.map

interface NodeRecord {
    peerId: string;
    addresses: string[];
    host: string;
    version: string;
    counter: number;
}

class ObjectDatastore extends BaseDatastore implements Records, LinkRecords {
    constructor(objects: ObjectStore, { prefix, name }: {
        prefix: string;
        name: string;
    });
    put(key: Key, value: Uint8Array, options?: Options): Promise<Key>;
    get(key: Key, options?: Options): Promise<Uint8Array>;
    has(key: Key, options?: Options): Promise<boolean>;
    delete(key: Key, options?: Options): Promise<void>;
    putEach(records: readonly Pair[]): Promise<Array<Error | undefined>>;
    read(key: Key, maxSize: number): Promise<Uint8Array | undefined>;
    keys(prefix: string, signal: AbortSignal): AsyncGenerator<Key>;
    modified(key: Key): Promise<Date>;
    placeOf(key: Key): string;
    close(): Promise<void>;
    _all({ prefix }: Query, options?: Options): AsyncGenerator<Pair>;
    _allKeys({ prefix }: KeyQuery, options?: Options): AsyncGenerator<Key>;
}

interface ObjectInfo extends ListedObject {
    size: number;
    modified: Date;
}

interface ObjectStore {
    get(key: string, options?: GetObjectOptions): Promise<Uint8Array>;
    put(key: string, bytes: Uint8Array, options?: PutObjectOptions): Promise<void>;
    stat(key: string, options?: AbortOptions): Promise<ObjectInfo | undefined>;
    delete(keys: readonly string[], options?: AbortOptions): Promise<void>;
    list(prefix: string, options?: ListObjectsOptions): AsyncIterable<ListedObject[]>;
}
//# sourceMappingURL=object-store.d.ts.map

interface OpenStoreInit extends BackendInit {
    readKeptMark?: (() => Promise<StoreMark | undefined>) | undefined;
    indexDirectory?: string | undefined;
}

type Options = Parameters<Blockstore['has']>[1];

type Options = Parameters<Blockstore['has']>[1];

interface Options {
    signal?: AbortSignal | null | undefined;
}

interface OwnNodeInit {
    store: ObjectStore;
    peerId: string;
    addresses: () => string[];
    version: string;
}

const PIECE: number;

class PackBlocks {
    constructor(init: PackBlocksInit);
    expect(bytes: number): void;
    prepare(rows: readonly Row[]): void;
    get(cid: CID, { signal }?: AbortOptions): Promise<Uint8Array>;
    getTogether(cids: readonly CID[], { maxBytes, signal }: AbortOptions & {
        maxBytes: number;
    }): Promise<Array<Uint8Array | undefined>>;
    readAt(row: Row, multihash: MultihashDigest, options?: AbortOptions): Promise<Uint8Array | undefined>;
    readWithCid({ key, row }: {
        key: Key;
        row: Row;
    }, options?: AbortOptions): Promise<{
        cid: CID;
        bytes: Uint8Array;
    } | undefined>;
    cidOf(block: {
        key: Key;
        row: Row;
    }, options?: AbortOptions): Promise<CID | undefined>;
}
//# sourceMappingURL=pack-blocks.d.ts.map

interface PackBlocksInit extends PackBytes {
    catalog: PackCatalog;
    writer: Pick<PackWriter, 'get'>;
    refresh?: ((signal: AbortSignal | undefined) => Promise<void>) | undefined;
    maxAhead?: number | undefined;
}

interface PackBytes {
    read(pack: string, key: string | undefined, place: {
        offset: number;
        length: number;
    }): Promise<Uint8Array>;
}

class PackCatalog {
    isSettled: boolean;
    constructor(objects: ObjectStore, index: PackIndex, clock: Clock);
    get packs(): ReadonlyMap<string, StoredPack>;
    get isListed(): boolean;
    get damaged(): readonly StoreObjectError[];
    refresh(signal?: AbortSignal): Promise<void>;
    refreshIfOlder(milliseconds: number, signal?: AbortSignal): Promise<void>;
    refreshOnce(signal?: AbortSignal): Promise<void>;
    find(key: Key): Promise<Row[]>;
    blocks(): AsyncGenerator<IndexedBlock[]>;
    bytesOf(pack: string): number;
    framesOf(pack: string): number;
    knows(pack: string): boolean;
    keyOf(pack: string): string | undefined;
    add(pack: StoredPack, table: PackTable): void;
    avoid(row: Row): void;
    save(): Promise<void>;
}
//# sourceMappingURL=pack-catalog.d.ts.map

class PackLinks {
    constructor(catalog: PackCatalog, read: PackBytes['read']);
    of({ multihash }: Pick<CID, 'multihash'>, isOfMany?: boolean): Promise<CID[] | undefined>;
}
//# sourceMappingURL=pack-links.d.ts.map

class PackStorage implements BlockStorage {
    readonly checksBlocks = true;
    readonly freshBlocks = true;
    readonly catalog: PackCatalog;
    readonly packSize: number;
    readonly level: number;
    readonly writer: PackWriter;
    readonly copier: PackWriter;
    readonly reading: PackBlocks;
    readonly links: PackLinks;
    constructor({ objects, disk, level, packSize, compress, clock, freeSpace, open }: PackStorageInit);
    forSession(session: PackUser): SessionPackBlocks;
    readingWith(packs: Pick<PackBlocksInit, 'maxAhead' | 'read' | 'refresh'>): PackBlocks;
    read(...[pack, key, place]: Parameters<PackBytes['read']>): Promise<Uint8Array>;
    open(): Promise<void>;
    sync(): Promise<void>;
    flush(): Promise<void>;
    syncLater(): Promise<void>;
    settled(): Promise<void>;
    put(cid: CID, value: Parameters<Blockstore['put']>[1], options?: Options): Promise<CID>;
    has({ multihash }: CID, options?: Options): Promise<boolean>;
    placesOf(key: Key, options?: Options): Promise<Row[]>;
    get(cid: CID, options?: Options): AsyncGenerator<Uint8Array>;
    blocks(options?: Options): AsyncGenerator<StoredBlock[]>;
    sizeOf({ size }: StoredBlock): Promise<number>;
    putMany(source: Source<InputPair>, options?: Options): AsyncGenerator<CID>;
    getMany(source: Source<CID>, options?: Options): AsyncGenerator<Pair>;
    getAll(options?: Options): AsyncGenerator<Pair>;
    delete(): Promise<void>;
    remove(): Promise<void>;
    deleteMany(): AsyncGenerator<CID>;
    relies(session: PackUser, { pack }: Row): boolean;
}

interface PackStorageInit {
    objects: ObjectStore;
    disk?: Disk | undefined;
    level?: number | undefined;
    packSize?: number | undefined;
    compress?: Compress | undefined;
    clock?: Clock | undefined;
    freeSpace?: FreeSpace | undefined;
    open?: (() => Promise<void>) | undefined;
}

interface PackUser {
    readonly id: string;
    relyOnPack: (tail: Uint8Array) => boolean;
}

class PackWriter {
    constructor(init: PackWriterInit);
    has(key: Key): boolean;
    relies(key: Key, user: PackUser): Promise<boolean>;
    get(multihash: MultihashDigest): Promise<Uint8Array | undefined>;
    put(cid: CID, bytes: Uint8Array, user?: PackUser): Promise<void>;
    putEncoded(encoded: EncodedBlocks, user: PackUser): Promise<void>;
    sync(): Promise<void>;
}
//# sourceMappingURL=pack-writer.d.ts.map

interface PackWriterInit {
    objects: Pick<ObjectStore, 'list' | 'put'>;
    catalog: PackCatalog;
    level: number;
    packSize: number;
    compress: Compress;
    clock: Clock;
    isCopying?: boolean;
}

interface PutObjectOptions extends AbortOptions {
    isSentOnce?: boolean;
}

interface Records extends Pick<Datastore, 'has' | 'get' | 'put' | 'delete' | 'query'> {
    putEach(records: readonly Pair[]): Promise<Array<Error | undefined>>;
    read(key: Key, maxSize: number): Promise<Uint8Array | undefined>;
    keys(prefix: string, signal: AbortSignal): AsyncIterable<Key>;
    modified(key: Key): Promise<Date>;
    placeOf(key: Key): string;
}

class RepoError extends NamedError {
    static readonly name = "RepoError";
    readonly problem: RepoProblem | undefined;
    readonly place: string | undefined;
    readonly hint: string | undefined;
    constructor(message: string, { problem, place, ...options }?: ErrorOptions & {
        problem?: RepoProblem;
        place?: string;
    });
}

type RepoProblem = 'bad-reference' | 'damaged-history' | 'is-store' | 'missing' | 'no-cache' | 'no-home' | 'not-a-directory' | 'replaced' | 'other-codec' | 'other-index' | 'other-layout' | 'other-store' | 'own-content' | 'read-only' | 'shared' | 'unsafe-directory';

class SessionLostError extends NamedError {
    static readonly name = "SessionLostError";
    readonly key: string;
    readonly hint = "add again, to store what is missing";
    constructor(key: string, options?: ErrorOptions);
}

class SessionPackBlocks extends WrappedBlockstore {
    constructor(storage: SharedPacks, session: PackUser);
    get level(): number;
    hasMany(cids: Iterable<CID>): Promise<boolean[]>;
    putEncoded(encoded: EncodedBlocks): Promise<void>;
    has(cid: CID, options?: Options): Promise<boolean>;
    put(cid: CID, value: Parameters<Blockstore['put']>[1], options?: Options): Promise<CID>;
    get(cid: CID, options?: Options): AsyncGenerator<Uint8Array>;
    putMany(source: Source<InputPair>, options?: Options): AsyncGenerator<CID>;
    getMany(source: Source<CID>, options?: Options): AsyncGenerator<Pair>;
}

interface SharedPacks extends Blockstore {
    readonly catalog: Pick<PackCatalog, 'find' | 'refresh'>;
    readonly writer: Pick<PackWriter, 'put' | 'putEncoded' | 'relies'>;
    readonly level: number;
    placesOf: (key: Key, options?: Options) => Promise<Row[]>;
    relies: (session: PackUser, row: Row) => boolean;
}

interface SharedStore extends StoreMark {
    readonly name: string;
    readonly isRemote: boolean;
    readonly cacheSize: number | undefined;
    readonly objects: ObjectStore;
    readonly packs: PackStorage | undefined;
    readonly traffic: StoreTraffic;
    readonly watch: StoreWatch;
    readonly clock?: Clock | undefined;
}

class SilentSessionError extends NamedError {
    static readonly name = "SilentSessionError";
    readonly session: string;
    readonly owner: string;
    readonly time: number;
    readonly hint = "end that process, or evict its session";
    constructor(session: string, { owner, since, time, others }: {
        owner: string;
        since: Date | undefined;
        time: number;
        others: number;
    });
}

type Source<T> = Iterable<T> | AsyncIterable<T>;

type Source<T> = Iterable<T> | AsyncIterable<T>;

class StoreAwayError extends NamedError {
    static readonly name = "StoreAwayError";
    readonly store: string;
    constructor(store: string, reason: string, options?: ErrorOptions);
}

interface StoreBackend {
    readonly name: string;
    readonly isRemote: boolean;
    readonly traffic: StoreTraffic;
    readonly watch: StoreWatch;
    readonly objects: ObjectStore;
    readonly records: ObjectStore;
    readonly freeSpace?: FreeSpace | undefined;
    open(): Promise<void>;
    older(): BlockStorage;
    isEmpty(): Promise<boolean>;
    readonly unmarked: ObjectStore;
}
//# sourceMappingURL=store-backend.d.ts.map

interface StoreCompression {
    codec: CodecName | 'none';
    level?: number;
}

class StoreError extends NamedError {
    static readonly name = "StoreError";
    readonly problem: StoreProblem | undefined;
    readonly hint: string | undefined;
    constructor(message: string, { problem, ...options }?: ErrorOptions & {
        problem?: StoreProblem;
    });
}

interface StoreMark {
    id: string;
    compression: StoreCompression;
    isOlder?: boolean | undefined;
    isConverting?: boolean | undefined;
    leaseTimeout: number;
}

class StoreMissingError extends NamedError {
    static readonly name = "StoreMissingError";
    readonly store: string;
    readonly problem: 'other-store' | undefined;
    readonly hint: string | undefined;
    constructor(store: string, { other, ...options }?: ErrorOptions & {
        other?: boolean;
    });
}

class StoreNodes {
    constructor(init: StoreNodesInit);
    get others(): NodeRecord[];
    get living(): string[];
    has(peerId: string): boolean;
    start(): Promise<void>;
    look(): Promise<void>;
    stop(): Promise<void>;
}
//# sourceMappingURL=store-nodes.d.ts.map

interface StoreNodesInit extends OwnNodeInit {
    leaseTimeout: number;
    onLook?: (look: {
        others: readonly NodeRecord[];
        gone: readonly string[];
    }) => void;
    onNote: (message: string) => void;
    clock?: Clock | undefined;
}

class StoreObjectError extends NamedError {
    static readonly name = "StoreObjectError";
    readonly key: string;
    constructor(key: string, reason: string, options?: ErrorOptions);
}
//# sourceMappingURL=errors.d.ts.map

type StoreOutcome = 'ok' | 'missing' | 'aborted' | 'failed';

interface StoreParts {
    storage: BlockStorage;
    blockstore: Blockstore;
    records: Records;
    links: Links;
    shared: SharedStore;
}

type StoreProblem = 'full' | 'older' | 'in-use' | 'converting';

interface StoreReference {
    store: string;
    id: string;
    cache?: number | undefined;
}

type StoreRequestKind = 'get' | 'put' | 'has' | 'delete' | 'list';

interface StoreRequests {
    readonly kind: StoreRequestKind;
    readonly outcome: StoreOutcome;
    readonly durations: Histogram;
    bytes: number;
}

class StoreSession {
    readonly id: string;
    static open(store: ObjectStore, init: StoreSessionInit, { signal }?: AbortOptions): Promise<StoreSession>;
    get rounds(): string[];
    relyOnPack(tail: Uint8Array): boolean;
    condemnPacks(tails: Iterable<Uint8Array>): void;
    confirm({ signal }?: AbortOptions): Promise<void>;
    end(): Promise<void>;
}
//# sourceMappingURL=store-session.d.ts.map

interface StoreSessionInit {
    leaseTimeout: number;
    command: string;
    onError?: (err: unknown) => void;
    clock?: Clock | undefined;
}

class StoreTraffic {
    readonly cache: {
        hits: number;
        misses: number;
    };
    get rows(): StoreRequests[];
    add(kind: StoreRequestKind, outcome: StoreOutcome, { bytes, seconds }: {
        bytes: number;
        seconds: number;
    }): void;
    count<T>(kind: StoreRequestKind, request: () => Promise<T>, measure?: (result: T) => {
        bytes?: number;
        isThere?: boolean;
    }): Promise<T>;
    countPages<T>(pages: AsyncIterable<T>): AsyncGenerator<T>;
}
//# sourceMappingURL=store-traffic.d.ts.map

class StoreWatch {
    onChange: ((away: StoreAwayError | undefined) => void) | undefined;
    constructor(init: StoreWatchInit);
    get away(): StoreAwayError | undefined;
    read<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal | null): Promise<T>;
    readonly heard: () => void;
    check(): Promise<void>;
}
//# sourceMappingURL=store-watch.d.ts.map

interface StoreWatchInit {
    name: string;
    isRemote: boolean;
    refusal?: () => number | undefined;
    look: (signal: AbortSignal) => Promise<unknown>;
    clock?: Clock;
}

interface StoredBlock {
    multihash: MultihashDigest;
    size?: number | undefined;
}

interface StoredPack {
    id: string;
    key: string;
    session: string;
}

interface StoredPin {
    id: string;
}

class TailSet {
    get size(): number;
    get byteLength(): number;
    has(tail: Uint8Array): boolean;
    add(tail: Uint8Array): void;
}
//# sourceMappingURL=tail-set.d.ts.map

class UsageError extends NamedError {
    static readonly name = "UsageError";
    readonly problem: UsageProblem | undefined;
    readonly place: string | undefined;
    readonly hint: string | undefined;
    constructor(message: string, { problem, place, ...options }?: ErrorOptions & {
        problem?: UsageProblem;
        place?: string;
    });
}

type UsageProblem = 'from-kubo' | 'is-store' | 'keeps-none' | 'needs-name' | 'no-eviction' | 'no-host-name' | 'no-proxy' | 'no-session' | 'nobody-to-fetch-from' | 'not-a-cid' | 'not-regular' | 'one-name' | 'packs-compress' | 'to-kubo';

function checkPlace(text: string): void;

function collect<Pin extends StoredPin>(init: CollectionInit<Pin>, { signal, dryRun, onProgress }: CollectOptions): Promise<CollectionResult>;
//# sourceMappingURL=collect.d.ts.map

function convertStore<T>({ store, id }: StoreReference, move: (blocks: ConvertedBlocks) => Promise<T>, { signal, onWaiting, clock }: ConvertStoreOptions): Promise<T | undefined>;
//# sourceMappingURL=convert-store.d.ts.map

function decodeMark(bytes: Uint8Array, name: string): StoreMark;

function directoryBackend(directory: string): StoreBackend;

function encodeLinks(blocks: Iterable<PlainBlock>): Uint8Array;

function encodeMark({ id, compression, isConverting, leaseTimeout }: Omit<StoreMark, 'isOlder'>): Uint8Array;
//# sourceMappingURL=store-mark.d.ts.map

function evictSession(store: ObjectStore, id: string, { signal, onFenced }: EvictSessionOptions): Promise<void>;
//# sourceMappingURL=evict-session.d.ts.map

function isS3Url(text: string): boolean;

function isStoreAway(err: unknown): boolean;
//# sourceMappingURL=store-away.d.ts.map

function joinStore(store: string, { signal }?: {
    signal?: AbortSignal | undefined;
}): Promise<JoinedStore>;

function openBackend(store: string, init?: BackendInit): Promise<StoreBackend>;

function openStore({ store, id, cache }: StoreReference, { readKeptMark, indexDirectory, ...init }?: OpenStoreInit): Promise<StoreParts>;

function ownersOf(key: Uint8Array, nodes: readonly string[], count: number): string[];
//# sourceMappingURL=owners.d.ts.map

function partOfLinks(parts: readonly EncodedBlocks[]): EncodedBlocks[];

function pathOf(key: string): string;

function readReference(repo: string): Promise<StoreReference | undefined>;

function refuseOlder(name: string): never;
//# sourceMappingURL=refuse-older.d.ts.map

function servingSignal(signal: AbortSignal): AbortSignal;
//# sourceMappingURL=closing-time.d.ts.map

function tailOf(multihash: Uint8Array): Uint8Array;

function usableAddresses({ addresses, host }: NodeRecord, ownHost: string): string[];
//# sourceMappingURL=node-record.d.ts.map

function writeMark(objects: ObjectStore, mark: Omit<StoreMark, 'isOlder'>): Promise<void>;

function writeReference(repo: string, { store, id, cache }: StoreReference): Promise<void>;
//# sourceMappingURL=store-reference.d.ts.map
