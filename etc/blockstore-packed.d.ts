// @ipfsz/blockstore-packed/encode: Compress, EncodeOptions, EncodedBlocks, PlainBlock, compressInPool, encodeBlocks, encodeWith
// @ipfsz/blockstore-packed/whole: Compress, DamagedPackError, Disk, EncodedBlocks, FIRST_READ, IndexedBlock, Key, MAX_HEAD, NodeDisk, PackIndex, PackIndexInit, PackTable, PartPlaces, PlainBlock, Row, blockIn, choosePacks, cidBefore, cidIn, comparePlaces, compressInPool, contentOf, encodeWholePack, encodeWith, keyOf, keyText, placesIn, rawBlockIn, rawPlaceOf, readPackTable, tableSizeOf
// @ipfsz/blockstore-packed: BlockLocation, BlockSize, BlockTooLargeError, Compress, Damage, DamagedIndexError, DamagedPackError, Disk, DiskFile, Durability, EncodedBlocks, FileLockError, GetAllOptions, GroupTables, HasManyOptions, OpenMode, PackProgress, PackStats, PackedBlockstore, PackedBlockstoreComponents, PackedBlockstoreInit, PackedOptions, PlainBlock, RemovedPacks, RepackOptions, RepackResult, StoreClosedError, StoreFailedError, StoreStats, UnreadablePackError, VerifyOptions

interface BlockLocation {
    cid: CID;
    pack: string;
    offset: number;
    size: number;
}

interface BlockSize {
    multihash: MultihashDigest;
    size: number;
}

class BlockTooLargeError extends NamedError {
    static readonly name = "BlockTooLargeError";
    readonly size: number;
    readonly max: number;
    constructor(size: number, max: number);
}

type Compress = (content: Uint8Array, level: number) => Uint8Array | Promise<Uint8Array>;

interface Damage {
    cid?: CID | undefined;
    pack: string;
    offset: number;
    error?: unknown;
}

class DamagedIndexError extends NamedError {
    static readonly name = "DamagedIndexError";
    constructor(name: string, reason: string, options?: ErrorOptions);
}

class DamagedPackError extends NamedError {
    static readonly name = "DamagedPackError";
    readonly pack: string;
    readonly offset: number;
    constructor(pack: string, offset: number, reason: string, options?: ErrorOptions);
}

interface Disk {
    list: (name: string) => Promise<string[]>;
    sizeOf: (name: string) => number;
    openRead: (name: string) => DiskFile;
    open: (name: string, mode: OpenMode) => Promise<DiskFile>;
    rename: (from: string, to: string) => Promise<void>;
    remove: (name: string) => Promise<void>;
    syncDirectory: (name: string) => Promise<void>;
    lock: (name: string) => Promise<(() => void) | undefined>;
    isLocked: (name: string) => Promise<boolean>;
    removeLock: (name: string) => Promise<void>;
    wait: (milliseconds: number) => Promise<void>;
}

interface DiskFile {
    read: (target: Uint8Array, position: number) => Promise<number>;
    readNow: (target: Uint8Array, position: number) => number;
    write: (bytes: Uint8Array, position: number) => Promise<void>;
    truncate: (length: number) => Promise<void>;
    sync: () => Promise<void>;
    size: () => number;
    close: () => void;
}

type Durability = 'put' | 'sync';

interface EncodeOptions {
    level?: number | undefined;
    memory?: Uint8Array | undefined;
}

interface EncodedBlocks extends GroupTables {
    data: Uint8Array;
    crc: number;
    links?: Uint8Array | undefined;
}

class EntryTable {
    readonly packs: string[];
    get count(): number;
    add(key: Key, row: Row): void;
    find(key: Key, rows: Row[]): void;
    sorted(): Generator<Buffer>;
}

const FIRST_READ: number;

interface GetAllOptions extends PackedOptions {
    order?: 'index' | 'packs' | undefined;
}

interface GroupTables {
    frames: number;
    blocks: number;
    table: Uint8Array;
}

interface HasManyOptions extends PackedOptions {
    durable?: boolean | undefined;
}

interface IndexedBlock {
    key: Key;
    rows: Row[];
}

interface Key {
    bytes: Uint8Array;
    kind: number;
}

const MAX_HEAD = 64;

class NodeDisk implements Disk {
    constructor(directory: string);
    list(name: string): Promise<string[]>;
    sizeOf(name: string): number;
    openRead(name: string): DiskFile;
    open(name: string, mode: OpenMode): Promise<DiskFile>;
    rename(from: string, to: string): Promise<void>;
    remove(name: string): Promise<void>;
    syncDirectory(name: string): Promise<void>;
    lock(name: string): Promise<(() => void) | undefined>;
    isLocked(name: string): Promise<boolean>;
    removeLock(name: string): Promise<void>;
    wait(milliseconds: number): Promise<void>;
}
//# sourceMappingURL=node-disk.d.ts.map

type OpenMode = 'create' | 'update' | 'append';

class PackIndex {
    constructor({ disk, newId }: PackIndexInit);
    look(): Promise<void>;
    has(pack: string): boolean;
    packs(): Generator<string>;
    bytesOf(pack: string): number;
    framesOf(pack: string): number;
    add(pack: string, table: PackTable): void;
    find(key: Key): Row[];
    blocks(): Generator<IndexedBlock>;
    get isLarge(): boolean;
    save(exists: (pack: string) => boolean): Promise<void>;
    close(): void;
}
//# sourceMappingURL=pack-index.d.ts.map

interface PackIndexInit {
    disk?: Disk | undefined;
    newId: () => string;
}

type PackProgress<T extends string> = ProgressEvent<T, {
    packs: number;
    total: number;
    blocks: number;
}>;

interface PackStats {
    id: string;
    size: number;
    blocks: number;
    bytes: number;
    live: number;
    isSealed: boolean;
}

interface PackTable {
    table: EntryTable;
    tableSize: number;
    bytes: number;
}

class PackedBlockstore implements Blockstore {
    constructor(directory: string, init?: PackedBlockstoreInit, components?: PackedBlockstoreComponents);
    open(): Promise<void>;
    close(): Promise<void>;
    sync(): Promise<void>;
    flush(): Promise<void>;
    syncLater(cid: CID): Promise<void>;
    put(cid: CID, value: BlockBytes, { signal }?: PackedOptions): Promise<CID>;
    putMany(source: Source<InputPair>, { signal }?: PackedOptions): AsyncGenerator<CID>;
    putEncoded(encoded: EncodedBlocks): Promise<void>;
    get(cid: CID, { signal }?: PackedOptions): AsyncGenerator<Uint8Array>;
    getMany(source: Source<CID>, { signal }?: PackedOptions): AsyncGenerator<Pair>;
    readEach(cids: readonly CID[], use: (bytes: Uint8Array, index: number) => void, { signal }?: PackedOptions): Promise<void>;
    has(cid: CID, options?: PackedOptions): Promise<boolean>;
    hasMany(cids: Iterable<CID>, { durable, signal }?: HasManyOptions): Promise<boolean[]>;
    delete(cid: CID, options?: PackedOptions): Promise<void>;
    deleteMany(source: Source<CID>, { signal }?: PackedOptions): AsyncGenerator<CID>;
    getAll({ signal, order }?: GetAllOptions): AsyncGenerator<Pair>;
    list({ signal }?: PackedOptions): AsyncGenerator<BlockSize[]>;
    locations(cids: Iterable<CID>, { signal }?: PackedOptions): Promise<BlockLocation[]>;
    stats({ signal }?: PackedOptions): Promise<StoreStats>;
    repack({ signal, onProgress, maxUnused }?: RepackOptions): Promise<RepackResult>;
    removeUnused(isKept: (multihash: Uint8Array) => boolean, { signal }?: PackedOptions): Promise<RemovedPacks>;
    verify(options?: VerifyOptions): AsyncGenerator<Damage>;
    rebuildIndex({ signal }?: PackedOptions): Promise<void>;
}

interface PackedBlockstoreComponents {
    disk?: Disk | undefined;
    compress?: Compress | undefined;
    newId?: (() => string) | undefined;
}

interface PackedBlockstoreInit {
    durability?: Durability | undefined;
    level?: number | undefined;
    packSize?: number | undefined;
    verify?: boolean | undefined;
    maxUnused?: number | undefined;
}

interface PackedOptions {
    signal?: AbortSignal | null | undefined;
}

interface PartPlaces {
    keys: readonly Key[];
    placeOf: (key: Key) => Row | undefined;
}

interface PlainBlock {
    cid: CID;
    bytes: Uint8Array;
}

interface RemovedPacks {
    packs: number;
    blocks: number;
    bytes: number;
}

interface RepackOptions extends PackedOptions, ProgressOptions<PackProgress<'ipfsz:repack:pack'>> {
    maxUnused?: number | {
        bytes: number;
    } | undefined;
}

interface RepackResult {
    packs: number;
    blocks: number;
    before: number;
    after: number;
    unused: number;
    damaged: CID[];
}
//# sourceMappingURL=contract.d.ts.map

interface Row {
    pack: string;
    frame: number;
    stored: number;
    raw: boolean;
    start: number;
    length: number;
    deleted: boolean;
}

type Source<T> = Iterable<T> | AsyncIterable<T>;

class StoreClosedError extends NamedError {
    static readonly name = "StoreClosedError";
    constructor();
}
//# sourceMappingURL=errors.d.ts.map

class StoreFailedError extends NamedError {
    static readonly name = "StoreFailedError";
    constructor(options: ErrorOptions);
}

interface StoreStats {
    packs: PackStats[];
    indexFiles: number;
    size: number;
    blocks: number;
    bytes: number;
    dead: number;
}

class UnreadablePackError extends NamedError {
    static readonly name = "UnreadablePackError";
    readonly pack: string;
    constructor(pack: string, options: ErrorOptions);
}

interface VerifyOptions extends PackedOptions, ProgressOptions<PackProgress<'ipfsz:verify:pack'>> {
}

function blockIn({ pack, frame, start, length }: Row, content: Uint8Array, multihash: Uint8Array): Uint8Array;

function choosePacks({ packs, size }: {
    packs: ReadonlyArray<Pick<PackStats, 'id' | 'size' | 'live' | 'isSealed'>>;
    size: number;
}, maxUnused: number | {
    bytes: number;
}, packSize: number): string[];

function cidBefore({ start, length }: Pick<Row, 'start' | 'length'>, parts: readonly Uint8Array[]): CID | undefined;

function cidIn({ pack, frame, start, length }: Row, content: Uint8Array): CID;
//# sourceMappingURL=frame-block.d.ts.map

function comparePlaces(a: Row | undefined, b: Row | undefined): number;
//# sourceMappingURL=entry.d.ts.map

const compressInPool: Compress;

function contentOf({ pack, frame, raw, start, length }: Row, bytes: Uint8Array): Promise<Uint8Array>;

function encodeBlocks(blocks: Iterable<PlainBlock>, { level, memory }?: EncodeOptions): EncodedBlocks;

function encodeWholePack(id: string, parts: readonly EncodedBlocks[]): Buffer;

function encodeWith(compress: Compress, level: number, blocks: Iterable<PlainBlock>): Promise<EncodedBlocks>;
//# sourceMappingURL=encode-blocks.d.ts.map

function keyOf(multihash: MultihashDigest): Key;

function keyText({ bytes, kind }: Key): string;
//# sourceMappingURL=key.d.ts.map

function placesIn(part: EncodedBlocks): PartPlaces;
//# sourceMappingURL=whole-pack.d.ts.map

function rawBlockIn(row: Row, parts: readonly Uint8Array[], multihash: Uint8Array): Uint8Array;

function rawPlaceOf({ start, length }: Row, before: number): {
    from: number;
    to: number;
};

function readPackTable(bytes: Buffer, id: string): PackTable;

function tableSizeOf(first: Buffer, id: string): number;
