// @ipfsz/utils/base64: fromBase64
// @ipfsz/utils/block-file-reader: blockFileReader
// @ipfsz/utils/bytes: Allocate, collectBytes, collectParts, concat, plainArray, slices
// @ipfsz/utils/chunk-queue: ChunkQueue, ChunkQueueInit
// @ipfsz/utils/collect-block: BlockBytes, collectBlock
// @ipfsz/utils/decode-cids: decodeCids
// @ipfsz/utils/digest-in-pool: digestInPool
// @ipfsz/utils/errors: CorruptBlockError, CorruptBlockErrorInit, DigestLengthError, FileLockError, UnknownHashError
// @ipfsz/utils/event-loop: EventLoopBreaks, processorTime, yieldToEventLoop
// @ipfsz/utils/forget-oldest: forgetOldest, oldestOf
// @ipfsz/utils/format-size: formatSize
// @ipfsz/utils/free-bytes: SPARE, freeBlock, freeBytes, freeResult, isMovable, markResult, moveBytes, unmarkResult
// @ipfsz/utils/hide-secrets: hideGivenIn, hidePlaceSecrets, hideSecrets, hideSecretsIn, isUrlLike
// @ipfsz/utils/histogram: Histogram
// @ipfsz/utils/kernel-lock: BUSY, CANTOPEN, READONLY, holdFile, isHeld, openDatabase, removeUnlessHeld, resultCode
// @ipfsz/utils/lru-map: LruMap, LruMapInit
// @ipfsz/utils/map-ordered: MapOrderedOptions, Settled, mapOrdered, settle, unwrap
// @ipfsz/utils/message-of: messageOf
// @ipfsz/utils/mutex: Mutex
// @ipfsz/utils/named-error: NamedError
// @ipfsz/utils/near-words: nearWords
// @ipfsz/utils/open-regular-file: FileIds, OpenRegularFileOptions, isAt, isSameFile, openRegularFile, openRegularFileSync
// @ipfsz/utils/quote-name: quoteName
// @ipfsz/utils/race-abort: raceAbort
// @ipfsz/utils/read-at-most: readAtMost, readTextAtMost
// @ipfsz/utils/read-file: nodeFiles, readWholeFile
// @ipfsz/utils/read-own-file: readOwnFile
// @ipfsz/utils/sha256-sync: sha256Sync
// @ipfsz/utils/single-flight: SingleFlight
// @ipfsz/utils/system-error: LOST, SystemError, fullDiskError, neededBytes, noteNeededBytes, systemError
// @ipfsz/utils/usage-errors: isUsageError
// @ipfsz/utils/while-open: removeFile, retryWhileOpen
// @ipfsz/utils/zstd-kept: Kept, compressIn, isSame, keep, zstdBound, zstdCompressKept, zstdDecompressKept

type Allocate = (size: number) => Uint8Array;

const BUSY = 5;

type BlockBytes = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

const CANTOPEN = 14;

class ChunkQueue {
    constructor(init: ChunkQueueInit);
    push(chunk: Uint8Array): void;
    end(failure?: Error): void;
    unread(chunk: Uint8Array): void;
    take(): Uint8Array | undefined;
    next(): Promise<Uint8Array | undefined>;
}
//# sourceMappingURL=chunk-queue.d.ts.map

interface ChunkQueueInit {
    maxWaiting: number;
    pause: () => void;
    resume: () => void;
}

interface CollectBlockOptions {
    max: number;
    tooLarge: (size: number) => Error;
    signal?: AbortSignal | null | undefined;
}

class CorruptBlockError extends NamedError {
    static readonly name = "CorruptBlockError";
    readonly cid: CID;
    readonly reason: string;
    readonly sender: string | undefined;
    constructor(cid: CID, { reason, sender, ...options }?: CorruptBlockErrorInit);
}

interface CorruptBlockErrorInit extends ErrorOptions {
    reason?: string;
    sender?: string | undefined;
}

class DigestLengthError extends NamedError {
    static readonly name = "DigestLengthError";
    readonly cid: CID;
    readonly length: number;
    constructor(cid: CID, bound: string);
}

class EventLoopBreaks {
    isDue(): boolean;
    take(): Promise<void>;
}
//# sourceMappingURL=event-loop.d.ts.map

type FileIds = Pick<BigIntStats, 'dev' | 'ino'>;

class FileLockError extends NamedError {
    static readonly name = "FileLockError";
    readonly path: string;
    constructor(path: string, reason: string, options?: ErrorOptions);
}
//# sourceMappingURL=errors.d.ts.map

class Histogram {
    get count(): number;
    add(seconds: number): void;
    print(labels?: string): string[];
}
//# sourceMappingURL=histogram.d.ts.map

interface Kept {
    readonly _handle?: {
        writeSync(flush: number, input: Uint8Array, inputStart: number, inputLength: number, output: Uint8Array, outputStart: number, outputLength: number): void;
    } | null;
    readonly _writeState?: Uint32Array;
}

const LOST: ReadonlySet<string>;

class LruMap<K, V> {
    constructor({ maxEntries, maxSize, sizeOf, keepsLast, onDrop }: LruMapInit<K, V>);
    has(key: K): boolean;
    get(key: K): V | undefined;
    peek(key: K): V | undefined;
    set(key: K, value: V): void;
    delete(key: K): boolean;
    clear(): void;
    values(): MapIterator<V>;
}
//# sourceMappingURL=lru-map.d.ts.map

interface LruMapInit<K, V> {
    maxEntries?: number | undefined;
    maxSize?: number | undefined;
    sizeOf?: ((value: V, key: K) => number) | undefined;
    keepsLast?: boolean | undefined;
    onDrop?: ((value: V) => void) | undefined;
}

interface MapOrderedOptions {
    concurrency: number;
    signal?: AbortSignal | null | undefined;
}

class Mutex {
    run<T>(work: () => Promise<T>): Promise<T>;
}
//# sourceMappingURL=mutex.d.ts.map

abstract class NamedError extends Error {
    constructor(message?: string, options?: ErrorOptions);
}
//# sourceMappingURL=named-error.d.ts.map

interface OpenRegularFileOptions {
    follow?: boolean | undefined;
}

const READONLY = 8;

type ReadBlockFile<Key> = (key: Key, options: {
    max?: number | undefined;
    signal?: AbortSignal | null | undefined;
}) => Promise<Uint8Array | undefined>;

interface ReadFileOptions {
    max?: number | undefined;
    signal?: AbortSignal | null | undefined;
}

type Release = () => void;

const SPARE = 1;

type Settled<R> = {
    value: R;
} | {
    error: unknown;
};

class SingleFlight<T> {
    get isIdle(): boolean;
    has(key: string): boolean;
    keys(): MapIterator<string>;
    run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal | null): Promise<T>;
}
//# sourceMappingURL=single-flight.d.ts.map

type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

interface SystemError extends Error {
    code: string;
    syscall?: string;
    path?: string;
}

class UnknownHashError extends NamedError {
    static readonly name = "UnknownHashError";
    readonly cid: CID;
    readonly code: number;
    constructor(cid: CID, advice?: string);
}

function blockFileReader<Key>(store: object): ReadBlockFile<Key> | undefined;

function collectBlock(source: BlockBytes, options: CollectBlockOptions): Promise<Uint8Array>;

function collectBytes(source: Source): Promise<Uint8Array>;

function collectParts(source: Source): Promise<Uint8Array[]>;

function compressIn(kept: Kept | undefined, bytes: Uint8Array, allocate?: Allocate): Uint8Array | undefined;

function concat(parts: readonly Uint8Array[], allocate?: Allocate): Uint8Array;

function decodeCids(bytes: Uint8Array): CID[];
//# sourceMappingURL=decode-cids.d.ts.map

function digestInPool(code: number, bytes: Uint8Array): Promise<Uint8Array> | undefined;
//# sourceMappingURL=digest-in-pool.d.ts.map

function forgetOldest<K>(remembered: Pick<Map<K, unknown>, 'delete' | 'keys' | 'size'>, max: number): void;

function formatSize(bytes: number | bigint): string;
//# sourceMappingURL=format-size.d.ts.map

function freeBlock({ buffer, byteLength }: Uint8Array): void;

function freeBytes({ buffer, byteLength }: Uint8Array): void;

function freeResult({ buffer }: Uint8Array): void;

function fromBase64(base64: string): Uint8Array<ArrayBuffer>;
//# sourceMappingURL=base64.d.ts.map

function fullDiskError(err: Error): {
    code: string;
    path?: string;
} | undefined;

function hideGivenIn(message: string, given: readonly string[]): string;
//# sourceMappingURL=hide-secrets.d.ts.map

function hidePlaceSecrets(text: string): string;

function hideSecrets(text: string): string;

function hideSecretsIn(message: string): string;

function holdFile(path: string): Release | undefined;

function isAt(path: string, opened: FileIds, flag?: number): boolean;
//# sourceMappingURL=open-regular-file.d.ts.map

function isHeld(path: string): boolean;

function isMovable({ buffer, byteLength }: Uint8Array): boolean;

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean;
//# sourceMappingURL=zstd-kept.d.ts.map

function isSameFile(one: FileIds, other: FileIds): boolean;

function isUrlLike(text: string): boolean;

function isUsageError({ name }: Error): boolean;
//# sourceMappingURL=usage-errors.d.ts.map

function keep(stream: ZstdCompress | ZstdDecompress): Kept | undefined;

function mapOrdered<T, R>(source: AsyncIterable<T> | Iterable<T>, map: (value: T) => R | Promise<R>, { concurrency, signal }: MapOrderedOptions): AsyncGenerator<R>;

function markResult({ buffer }: Uint8Array): void;

function messageOf(err: unknown): string;
//# sourceMappingURL=message-of.d.ts.map

function moveBytes({ buffer }: Uint8Array): Uint8Array;
//# sourceMappingURL=free-bytes.d.ts.map

function nearWords(word: string, words: Iterable<string>): string[];
//# sourceMappingURL=near-words.d.ts.map

function neededBytes(err: Error): number | undefined;

function nodeFiles(): typeof Fs | undefined;

function noteNeededBytes(err: Error, bytes: number): void;

function oldestOf<K>(remembered: Pick<Map<K, unknown>, 'keys'>): K;
//# sourceMappingURL=forget-oldest.d.ts.map

function openDatabase(path: string, options?: {
    readOnly?: boolean;
}): Sqlite.DatabaseSync;

function openRegularFile(path: string, { follow }?: OpenRegularFileOptions): Promise<FileHandle>;

function openRegularFileSync(path: string, flags: number): number;

function plainArray(bytes: Uint8Array): Uint8Array;

function processorTime(): number;

function quoteName(name: string): string;
//# sourceMappingURL=quote-name.d.ts.map

function raceAbort<T>(value: PromiseLike<T> | T, signal?: AbortSignal | null): Promise<T>;
//# sourceMappingURL=race-abort.d.ts.map

function readAtMost(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, max: number, tooLarge: () => Error): Promise<Uint8Array>;

function readOwnFile(file: string, maxSize?: number): Promise<Buffer | undefined>;
//# sourceMappingURL=read-own-file.d.ts.map

function readTextAtMost(...args: Parameters<typeof readAtMost>): Promise<string>;
//# sourceMappingURL=read-at-most.d.ts.map

function readWholeFile(file: string, { max, signal }?: ReadFileOptions): Promise<Uint8Array | undefined>;

function removeFile(path: string): Promise<void>;
//# sourceMappingURL=while-open.d.ts.map

function removeUnlessHeld(path: string): Promise<boolean>;

function resultCode(err: unknown): number | undefined;

function retryWhileOpen<T>(work: () => T | Promise<T>, system?: string): Promise<T>;

function settle<T, R>(map: (value: T) => R | Promise<R>, value: T): Promise<Settled<R>>;

function sha256Sync(bytes: Uint8Array): Uint8Array | undefined;
//# sourceMappingURL=sha256-sync.d.ts.map

function slices(bytes: Uint8Array, size: number): Generator<Uint8Array>;

function systemError(err: unknown): SystemError | undefined;
//# sourceMappingURL=system-error.d.ts.map

function unmarkResult({ buffer }: Uint8Array): void;

function unwrap<R>(settled: Settled<R>): R;
//# sourceMappingURL=map-ordered.d.ts.map

function yieldToEventLoop(): Promise<void>;

function zstdBound(size: number): number;

function zstdCompressKept(bytes: Uint8Array, level: number, { hasChecksum, allocate }?: {
    hasChecksum?: boolean;
    allocate?: Allocate | undefined;
}): Uint8Array | undefined;

function zstdDecompressKept(frame: Uint8Array, size: number, memory?: Uint8Array): Uint8Array | undefined;
