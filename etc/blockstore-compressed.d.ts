// @ipfsz/blockstore-compressed/fs: BlockFile, SharedFsBlockstore, SharedFsBlockstoreInit, WriteAtomicOptions, removeStale, syncDirectory, syncEach, syncFile, writeAtomic
// @ipfsz/blockstore-compressed/with-codecs: CompressedBlockstore, CompressedBlockstoreInit, ReadInit, Verify, WithCodecs, WriteInit
// @ipfsz/blockstore-compressed: BlockTooLargeError, BlockTotals, BlockstoreStats, CompressedBlockstore, CompressedBlockstoreInit, ConvertEvents, ConvertOptions, ConvertOutcome, ConvertProgress, ConvertReport, CorruptBlockError, DEFAULT_CODEC, DEFAULT_MAX_BLOCK_SIZE, DEFAULT_MIN_SIZE, DigestLengthError, InvalidLevelError, InvalidParametersError, ReadInit, StatsEvents, StatsOptions, StatsProgress, StoredAs, StoredBlock, UnknownCodecError, UnknownHashError, UnsupportedCodecError, Verify, WriteInit, convert, stats

type AbortOptions = Parameters<FsBlockstore['get']>[1];

interface BlockFile {
    path: string;
    multihash: MultihashDigest;
}

class BlockTooLargeError extends NamedError {
    static readonly name = "BlockTooLargeError";
    readonly cid: CID;
    readonly size: number;
    readonly max: number;
    constructor(cid: CID, size: number, max: number);
}

interface BlockTotals {
    blocks: number;
    size: number;
    storedSize: number;
}

interface BlockstoreStats extends BlockTotals {
    ratio: number;
    codecs: Partial<Record<StoredAs, BlockTotals>>;
    unreadable: number;
}

const COMPRESSED: unique symbol;

type Chunks = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

class CompressedBlockstore implements Blockstore {
    readonly [COMPRESSED] = true;
    constructor(inner: Blockstore, init: WithCodecs<CompressedBlockstoreInit>);
    get checksBlocks(): boolean;
    get freshBlocks(): boolean;
    get releasesBlocks(): boolean;
    unwrap(): Blockstore;
    open(options?: Options): Promise<void>;
    close(): Promise<void>;
    put(cid: CID, bytes: Chunks, options?: Options): Promise<CID>;
    putMany(source: Iterable<InputPair> | AsyncIterable<InputPair>, options?: Options): AsyncGenerator<CID>;
    get(cid: CID, options?: Options): AsyncGenerator<Uint8Array>;
    getStored(cid: CID, options?: Options): Promise<StoredBlock>;
    getMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<Pair>;
    getAll(options?: Options): AsyncGenerator<Pair>;
    has(cid: CID, options?: Options): Promise<boolean>;
    delete(cid: CID, options?: Options): Promise<void>;
    deleteMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<CID>;
}

class CompressedBlockstore extends WithCodecs {
    constructor(inner: Blockstore, { codecs, ...init }?: CompressedBlockstoreInit);
}
//# sourceMappingURL=with-all-codecs.d.ts.map

interface CompressedBlockstoreInit extends WriteInit {
    verify?: Verify | undefined;
    metrics?: Pick<Metrics, 'registerCounterGroup'> | undefined;
}
//# sourceMappingURL=init.d.ts.map

type Content = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

type ConvertEvents = ProgressEvent<'ipfsz:blockstore:convert', ConvertProgress>;

interface ConvertOptions extends WriteInit, ProgressOptions<ConvertEvents> {
    again?: boolean | undefined;
    concurrency?: number | undefined;
    signal?: AbortSignal | undefined;
}

type ConvertOutcome = 'converted' | 'unchanged' | 'unreadable';

interface ConvertProgress {
    cid: CID;
    outcome: ConvertOutcome;
    storedAs: StoredAs | undefined;
    storedSize: number;
    error?: unknown;
}

interface ConvertReport extends Record<ConvertOutcome, number> {
    blocks: number;
    storedSizeBefore: number;
    storedSize: number;
}

type ConvertStore = Pick<Blockstore, 'getAll' | 'has' | 'put'>;

const DEFAULT_CODEC = "zstd";

const DEFAULT_MAX_BLOCK_SIZE: number;

const DEFAULT_MIN_SIZE = 128;

type Options = Parameters<Blockstore['has']>[1];

interface ReadInit {
    codecs?: readonly Codec[] | undefined;
    hashers?: readonly MultihashHasher[] | undefined;
    maxBlockSize?: number | undefined;
}

class SharedFsBlockstore extends FsBlockstore {
    readonly freshBlocks = true;
    readonly releasesBlocks = true;
    constructor(location: string, { sync, makeDirectory, ...init }?: SharedFsBlockstoreInit);
    open(): Promise<void>;
    close(): Promise<void>;
    sync(): Promise<void>;
    settled(): Promise<void>;
    syncLater(cid: CID): Promise<void>;
    put(cid: CID, value: Value, options?: AbortOptions): Promise<CID>;
    get(cid: CID, options?: AbortOptions): AsyncGenerator<Uint8Array>;
    has(cid: CID, options?: AbortOptions): Promise<boolean>;
    delete(cid: CID, options?: AbortOptions): Promise<void>;
    getAll(options?: AbortOptions): ReturnType<FsBlockstore['getAll']>;
    files(options?: AbortOptions): AsyncGenerator<BlockFile[]>;
    pathOf(cid: CID): string;
}

interface SharedFsBlockstoreInit extends Omit<FsBlockstoreInit, 'extension' | 'shardingStrategy'> {
    sync?: boolean | undefined;
    makeDirectory?: ((directory: string) => Promise<unknown>) | undefined;
}

type StatsEvents = ProgressEvent<'ipfsz:blockstore:stats', StatsProgress>;
//# sourceMappingURL=events.d.ts.map

interface StatsOptions extends ReadInit, ProgressOptions<StatsEvents> {
    signal?: AbortSignal | undefined;
}

interface StatsProgress {
    blocks: number;
    storedSize: number;
}

type StoredAs = CodecName | 'none';

interface StoredBlock {
    codec: StoredAs;
    size: number;
    payload: Uint8Array;
}

class UnsupportedCodecError extends NamedError {
    static readonly name = "UnsupportedCodecError";
    readonly cid: CID;
    readonly code: number;
    constructor(cid: CID, code: number, known: readonly string[]);
}
//# sourceMappingURL=errors.d.ts.map

type Value = Parameters<FsBlockstore['put']>[1];

type Verify = 'hash' | 'length' | 'none';

type WalkStore = Pick<Blockstore, 'getAll' | 'has'>;

type WithCodecs<Init extends ReadInit> = Init & {
    codecs: readonly Codec[];
};

interface WriteAtomicOptions {
    temporary: string;
    sync: boolean;
    signal?: AbortSignal | null | undefined;
    makeDirectory?: ((directory: string) => Promise<unknown>) | undefined;
    replaceDirectory?: boolean | undefined;
}

interface WriteInit extends ReadInit {
    codec?: CodecName | 'none' | undefined;
    level?: number | undefined;
    minSize?: number | undefined;
}

function convert(inner: ConvertStore, options?: ConvertOptions): Promise<ConvertReport>;

function removeStale(directory: string): Promise<void>;
//# sourceMappingURL=remove-stale.d.ts.map

function stats(inner: WalkStore, options?: StatsOptions): Promise<BlockstoreStats>;
//# sourceMappingURL=stats.d.ts.map

function syncDirectory(directory: string): Promise<void>;

function syncEach(paths: Iterable<string>, sync: (path: string) => Promise<void>): Promise<void>;
//# sourceMappingURL=durable.d.ts.map

function syncFile(file: string): Promise<void>;

function writeAtomic(file: string, content: Content, { temporary, sync, signal, makeDirectory, replaceDirectory }: WriteAtomicOptions): Promise<void>;
