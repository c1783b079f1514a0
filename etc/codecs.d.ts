// @ipfsz/codecs/all: allCodecs, codecs
// @ipfsz/codecs/brotli: BROTLI, brotli
// @ipfsz/codecs/deflate-stream: DeflateStream, InflateStream, deflateStream, inflateStream
// @ipfsz/codecs/filters: FilterModule, FilterStep
// @ipfsz/codecs/gzip-members: isJoinable, joinMembers, joinWholeMembers, joinedLength, storeMember
// @ipfsz/codecs/gzip: GZIP, gzip
// @ipfsz/codecs/lz4: LZ4, lz4
// @ipfsz/codecs/lzo: LZO, lzo
// @ipfsz/codecs/sealed: seal, unseal
// @ipfsz/codecs/skipped: SkippingCodec, encodeSkipped
// @ipfsz/codecs/snappy: SNAPPY, snappy
// @ipfsz/codecs/strings: StringSpan, Strings, StringsInit, StringsModule
// @ipfsz/codecs/zstd-decoder: ZSTD_DECODER, ZSTD_JS, zstdDecoder
// @ipfsz/codecs/zstd-delta: CheckedDelta, Delta, DeltaCompressor, DeltaOptions
// @ipfsz/codecs/zstd-header: MAGIC, MAX_HEADER_LENGTH, ZstdHeader, isZstdFrame, readZstdHeader
// @ipfsz/codecs/zstd: ZSTD, zstd
// @ipfsz/codecs: CODES, Codec, CodecInit, CodecName, CompressOptions, CorruptFrameError, CorruptFrameErrorOptions, DecompressOptions, DecompressStreamOptions, DictionaryNotSupportedError, FORMATTED_DICTIONARY, FrameTooLargeError, ImplementationName, InvalidDictionaryError, InvalidLevelError, Levels, MAX_DICTIONARY_SIZE, MAX_FRAME_SIZE, MIN_DICTIONARY_SIZE, MissingImplementationError, PrepareOptions, UnknownCodecError, WindowTooLargeError, WorkerCrashedError, WrongFrameError, checkLevel

const BROTLI: CodecDefinition;

const BY_CODEC: {
    gzip: typeof encodeEmptyMember;
    lzo: typeof encodeEmptyLzop;
    snappy: typeof encodeSkippableChunk;
};

const CODES: {
    readonly gzip: 4151809;
    readonly lz4: 4151810;
    readonly lzo: 4151811;
    readonly snappy: 4151812;
    readonly zstd: 4151813;
    readonly brotli: 4151814;
};

interface CallOptions {
    signal?: AbortSignal | null | undefined;
    transfer?: boolean | undefined;
    background?: boolean | undefined;
    dictionary?: Uint8Array | undefined;
    into?: Uint8Array | undefined;
}

interface CheckedDelta extends Delta {
    checked: Promise<void>;
}

interface Codec {
    readonly name: CodecName;
    readonly code: number;
    readonly levels: Levels;
    readonly implementation: ImplementationName;
    readonly dictionaries?: boolean;
    compress(bytes: Uint8Array, options?: CompressOptions): Uint8Array | Promise<Uint8Array>;
    decompress(frame: Uint8Array, options: DecompressOptions): Uint8Array | Promise<Uint8Array>;
    compressSync?: (bytes: Uint8Array, level: number, allocate?: (size: number) => Uint8Array) => Uint8Array | undefined;
    decompressSync?: (frame: Uint8Array, size: number, memory?: Uint8Array) => Uint8Array | undefined;
    prepare?: (options: PrepareOptions) => void;
    decompressStream?: (source: AsyncIterable<Uint8Array>, options?: DecompressStreamOptions) => AsyncGenerator<Uint8Array>;
}

interface CodecDefinition {
    readonly name: CodecName;
    readonly code: number;
    readonly levels: Levels;
    readonly implementations: readonly ImplementationEntry[];
}
//# sourceMappingURL=codec-definition.d.ts.map

interface CodecInit {
    implementation?: ImplementationName;
    deterministic?: boolean;
    workers?: boolean;
}

type CodecName = keyof typeof CODES;

interface CompressOptions {
    level?: number;
    dictionary?: Uint8Array | undefined;
    transfer?: boolean;
    background?: boolean;
    signal?: AbortSignal | null | undefined;
}

class CorruptFrameError extends NamedError {
    static readonly name = "CorruptFrameError";
    readonly codec: string;
    readonly reason: string;
    readonly needsDictionary: boolean;
    constructor(codec: string, reason: string, { needsDictionary, ...options }?: CorruptFrameErrorOptions);
}

interface CorruptFrameErrorOptions extends ErrorOptions {
    needsDictionary?: boolean;
}

interface DecompressOptions {
    size: number;
    dictionary?: Uint8Array | undefined;
    transfer?: boolean;
    into?: Uint8Array | undefined;
    signal?: AbortSignal | null | undefined;
}

interface DecompressStreamOptions {
    maxWindowSize?: number | undefined;
    signal?: AbortSignal | null | undefined;
}

interface DeflateStream {
    compress(bytes: Uint8Array): Uint8Array;
}

interface Delta {
    frame: Uint8Array;
    start: number;
    end: number;
    next: number;
    sameAt: number | undefined;
}

class DeltaCompressor {
    static load(): Promise<DeltaCompressor | undefined>;
    static create(): Promise<DeltaCompressor | undefined>;
    compress(content: Uint8Array, { dictionary, maxChanged, maxLength }: DeltaOptions): CheckedDelta | undefined;
}
//# sourceMappingURL=zstd-delta.d.ts.map

interface DeltaOptions {
    dictionary: Uint8Array;
    maxChanged: number;
    maxLength?: number;
}

class DictionaryNotSupportedError extends NamedError {
    static readonly name = "DictionaryNotSupportedError";
    readonly codec: string;
    readonly implementation: string;
    constructor(codec: string, implementation: string);
}

const FORMATTED_DICTIONARY: readonly number[];

class FilterModule {
    static get shared(): FilterModule | undefined;
    static load(): Promise<FilterModule | undefined>;
    apply(bytes: Uint8Array, steps: readonly FilterStep[]): Uint8Array | undefined;
    undo(bytes: Uint8Array, steps: readonly FilterStep[]): boolean;
    estimate(bytes: Uint8Array, steps: readonly FilterStep[], planes: number): number | undefined;
    countEqual(bytes: Uint8Array, maximum: number): number[] | undefined;
}
//# sourceMappingURL=filters.d.ts.map

type FilterStep = 
{
    kind: 'delta';
    width: number;
}
 | {
    kind: 'planes';
    width: number;
    differences: 'none' | 'records' | 'bytes';
};

class FrameTooLargeError extends NamedError {
    static readonly name = "FrameTooLargeError";
    readonly size: number;
    readonly max: number;
    constructor(size: number, max: number);
}

type FullImplementation = Implementation & Required<Pick<Implementation, 'compress' | 'decompress' | 'prepare'>>;

const GZIP: CodecDefinition;

interface Implementation {
    compress?: (bytes: Uint8Array, level: number, options?: CallOptions) => Uint8Array | Promise<Uint8Array>;
    decompress?: (frame: Uint8Array, size: number, options?: CallOptions) => Uint8Array | Promise<Uint8Array>;
    compressSync?: Codec['compressSync'];
    decompressSync?: Codec['decompressSync'];
    prepare?: (calls: number) => void;
}

interface ImplementationEntry {
    readonly name: ImplementationName;
    readonly available: () => boolean;
    readonly only?: 'compress' | 'decompress';
    readonly everywhere?: boolean;
    readonly dictionaries?: () => boolean;
    readonly load: () => Promise<ImplementationModule>;
    readonly stream?: () => Promise<StreamModule>;
    readonly worker?: (codec: CodecName) => Promise<(modules: readonly WebAssembly.Module[]) => FullImplementation>;
    readonly wasm?: () => Promise<{
        modules: readonly string[];
    }>;
}
//# sourceMappingURL=implementation-entry.d.ts.map

interface ImplementationModule {
    create: (...modules: WebAssembly.Module[]) => Implementation | Promise<Implementation>;
}

type ImplementationName = 'native' | 'wasm' | 'js';

interface InflateStream {
    decompress(bytes: Uint8Array, size: number): Uint8Array;
}

class InvalidDictionaryError extends NamedError {
    static readonly name = "InvalidDictionaryError";
    readonly size: number;
    readonly reason: string;
    constructor(size: number, reason: string);
}

class InvalidLevelError extends NamedError {
    static readonly name = "InvalidLevelError";
    readonly codec: string;
    readonly level: number;
    readonly min: number;
    readonly max: number;
    constructor(codec: string, level: number, min: number, max: number);
}

const LZ4: CodecDefinition;

const LZO: CodecDefinition;

interface Levels {
    readonly min: number;
    readonly max: number;
    readonly default: number;
}

const MAGIC = 4247762216;

const MAX_DICTIONARY_SIZE: number;
//# sourceMappingURL=constants.d.ts.map

const MAX_FRAME_SIZE: number;

const MAX_HEADER_LENGTH: number;

const MIN_DICTIONARY_SIZE = 8;

class MissingImplementationError extends NamedError {
    static readonly name = "MissingImplementationError";
    readonly codec: string;
    readonly implementation: string;
    constructor(codec: string, implementation: string, reason: string, options?: ErrorOptions);
}

interface PrepareOptions {
    to: 'compress' | 'decompress';
    calls?: number;
}

const SNAPPY: CodecDefinition;

type SkippingCodec = keyof typeof BY_CODEC;

type StreamDecoder = (input: StreamInput, options: StreamDecoderOptions) => AsyncIterable<Uint8Array>;

interface StreamDecoderOptions {
    maxWindowSize: number;
}

class StreamInput {
    failure?: {
        error: unknown;
    };
    constructor(codec: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal | null);
    take(max?: number): Promise<Uint8Array | undefined>;
    unread(bytes: Uint8Array): void;
    peek(length: number): Promise<Uint8Array>;
    read(length: number): Promise<Uint8Array>;
    skip(length: number): Promise<void>;
    close(): void;
}
//# sourceMappingURL=stream-input.d.ts.map

interface StreamModule {
    createStream: (...modules: WebAssembly.Module[]) => StreamDecoder | Promise<StreamDecoder>;
}

interface StringSpan {
    first: number;
    last: number;
    score: number;
}

interface Strings {
    distinct: number;
    places: Int32Array;
    numbers: Int32Array;
    firsts: Int32Array;
    counts: Int32Array;
}

interface StringsInit {
    mask: number;
    slotBits: number;
    maxStrings: number;
}

class StringsModule {
    static load(): Promise<StringsModule | undefined>;
    index(files: readonly Uint8Array[], { mask, slotBits, maxStrings }: StringsInit): Strings | undefined;
    weigh(from: number, to: number): void;
    findBest(first: number, last: number, span: number): StringSpan | undefined;
    cover({ first, last }: StringSpan): void;
}
//# sourceMappingURL=strings.d.ts.map

class UnknownCodecError extends NamedError {
    static readonly name = "UnknownCodecError";
    readonly codec: string | number;
    constructor(codec: string | number, known: readonly string[]);
}

class WindowTooLargeError extends NamedError {
    static readonly name = "WindowTooLargeError";
    readonly codec: string;
    readonly size: number;
    readonly max: number;
    constructor(codec: string, size: number, max: number);
}

class WorkerCrashedError extends NamedError {
    static readonly name = "WorkerCrashedError";
    readonly codec: string;
    constructor(codec: string, options?: ErrorOptions);
}

class WrongFrameError extends NamedError {
    static readonly name = "WrongFrameError";
    readonly codec: string;
    constructor(codec: string);
}
//# sourceMappingURL=errors.d.ts.map

const ZSTD: CodecDefinition;

const ZSTD_DECODER: CodecDefinition;

const ZSTD_JS: ImplementationEntry;

interface ZstdHeader {
    readonly length: number;
    readonly window: number;
    readonly contentSize: number | undefined;
    readonly hasChecksum: boolean;
    readonly hasReservedBit: boolean;
    readonly needsDictionary: boolean;
}

function allCodecs(init?: Omit<CodecInit, 'implementation'>): Codec[];
//# sourceMappingURL=all.d.ts.map

function brotli(init?: CodecInit): Codec;
//# sourceMappingURL=brotli.d.ts.map

function checkLevel(codec: Pick<Codec, 'name' | 'levels'>, level?: number): number;
//# sourceMappingURL=codec.d.ts.map

const codecs: Readonly<Record<CodecName, (init?: CodecInit) => Codec>>;

function deflateStream(level: number): DeflateStream;

function encodeEmptyLzop(bytes: Uint8Array): Uint8Array;
//# sourceMappingURL=lzop-header-encode.d.ts.map

function encodeEmptyMember(bytes: Uint8Array): Uint8Array;
//# sourceMappingURL=empty-member.d.ts.map

function encodeSkippableChunk(bytes: Uint8Array): Uint8Array;
//# sourceMappingURL=skippable-chunk.d.ts.map

function encodeSkipped(codec: SkippingCodec, bytes: Uint8Array): Uint8Array;

function gzip(init?: CodecInit): Codec;
//# sourceMappingURL=gzip.d.ts.map

function inflateStream(): InflateStream;
//# sourceMappingURL=deflate-stream.d.ts.map

function isJoinable(start: Uint8Array): boolean;

function isZstdFrame(bytes: Uint8Array): boolean;

function joinMembers(stored: AsyncIterable<Uint8Array>, lengths: Iterable<number>): AsyncGenerator<Uint8Array>;

function joinWholeMembers(members: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
//# sourceMappingURL=join-members.d.ts.map

function joinedLength(lengths: Iterable<number>): number;

function lz4(init?: CodecInit): Codec;
//# sourceMappingURL=lz4.d.ts.map

function lzo(init?: CodecInit): Codec;
//# sourceMappingURL=lzo.d.ts.map

function readZstdHeader(frame: Uint8Array): ZstdHeader;
//# sourceMappingURL=zstd-header.d.ts.map

function seal(codec: CodecName, frame: Uint8Array): Uint8Array;

function snappy(init?: CodecInit): Codec;
//# sourceMappingURL=snappy.d.ts.map

function storeMember(bytes: Uint8Array): Uint8Array;

function unseal(codec: CodecName, frame: Uint8Array): Uint8Array;
//# sourceMappingURL=sealed.d.ts.map

function zstd(init?: CodecInit): Codec;
//# sourceMappingURL=zstd.d.ts.map

function zstdDecoder(): Codec;
//# sourceMappingURL=zstd-decoder.d.ts.map
