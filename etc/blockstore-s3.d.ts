// @ipfsz/blockstore-s3: BLOCKS, DeleteFailedError, DeleteOptions, GetFailedError, HasFailedError, ListOptions, NotFoundError, ObjectInfo, OpenFailedError, PutFailedError, RangeOptions, S3Blockstore, S3BlockstoreInit, S3ClockSkewError, S3Credentials, S3CredentialsError, S3CredentialsProvider, S3DamagedObjectError, S3KeyError, S3NetworkError, S3ObjectTooLargeError, S3Objects, S3ObjectsInit, S3Operation, S3Options, S3Phase, S3RequestEvent, S3ResponseError, S3Subject, S3UrlError, S3UrlParts, S3Validity, StoredBlockInfo, blockKey, multihashOf, parseS3Url

const BLOCKS = "blocks/";

interface DeleteOptions extends S3Options {
    validity?: S3Validity | undefined;
}

interface ListOptions<T> extends S3Options {
    after?: T | undefined;
}
//# sourceMappingURL=contract.d.ts.map

interface ObjectInfo {
    key: string;
    size: number;
    modified: Date;
    etag?: string | undefined;
}

interface RangeOptions {
    offset?: number | undefined;
    length?: number | undefined;
}

class S3Blockstore implements Blockstore {
    readonly objects: S3Objects;
    constructor(objects: S3Objects | S3ObjectsInit, { createIfMissing, concurrency, maxBlockSize }?: S3BlockstoreInit);
    open({ signal }?: S3Options): Promise<void>;
    close(): Promise<void>;
    put(cid: CID, value: BlockBytes, { signal }?: S3Options): Promise<CID>;
    get(cid: CID, { signal }?: S3Options): AsyncGenerator<Uint8Array>;
    getRange(cid: CID, { offset, length, signal }?: RangeOptions & S3Options): Promise<Uint8Array>;
    has(cid: CID, { signal }?: S3Options): Promise<boolean>;
    delete(cid: CID, { signal }?: S3Options): Promise<void>;
    putMany(source: Source<InputPair>, { signal }?: S3Options): AsyncGenerator<CID>;
    getMany(source: Source<CID>, { signal }?: S3Options): AsyncGenerator<Pair>;
    deleteMany(source: Source<CID>, { signal }?: S3Options): AsyncGenerator<CID>;
    getAll(options?: S3Options): AsyncGenerator<Pair>;
    list({ after, signal }?: ListOptions<CID>): AsyncGenerator<StoredBlockInfo[]>;
}

interface S3BlockstoreInit {
    createIfMissing?: boolean | undefined;
    concurrency?: number | undefined;
    maxBlockSize?: number | undefined;
}

class S3ClockSkewError extends NamedError {
    static readonly name = "S3ClockSkewError";
    readonly from = "store";
    readonly subject: S3Subject;
    readonly skew: number | undefined;
    constructor(subject: S3Subject, skew: number | undefined);
}

interface S3Credentials {
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string | undefined;
    expiration?: Date | undefined;
}

class S3CredentialsError extends NamedError {
    static readonly name = "S3CredentialsError";
}

type S3CredentialsProvider = () => Promise<S3Credentials>;

class S3DamagedObjectError extends NamedError {
    static readonly name = "S3DamagedObjectError";
    readonly from = "store";
    readonly subject: S3Subject;
    readonly code = "EBADMSG";
    constructor(subject: S3Subject);
}

class S3KeyError extends NamedError {
    static readonly name = "S3KeyError";
}
//# sourceMappingURL=errors.d.ts.map

class S3NetworkError extends NamedError {
    static readonly name = "S3NetworkError";
    readonly from = "network";
    readonly subject: S3Subject;
    readonly phase: S3Phase;
    constructor(subject: S3Subject, phase: S3Phase, detail: string, cause?: unknown);
}

class S3ObjectTooLargeError extends NamedError {
    static readonly name = "S3ObjectTooLargeError";
    readonly subject: S3Subject;
    readonly max: number;
    constructor(subject: S3Subject, max: number);
}

class S3Objects {
    readonly bucket: string;
    readonly prefix: string;
    constructor(init: S3ObjectsInit);
    get(key: string, { offset, length, signal }?: RangeOptions & S3Options): Promise<Uint8Array>;
    put(key: string, bytes: Uint8Array, { signal }?: S3Options): Promise<void>;
    stat(key: string, { signal }?: S3Options): Promise<ObjectInfo | undefined>;
    delete(keys: readonly string[], options?: DeleteOptions): Promise<void>;
    validFor(milliseconds: number): S3Validity;
    list(prefix: string, { after, signal }?: ListOptions<string>): AsyncGenerator<ObjectInfo[]>;
    checkBucket({ signal }?: S3Options): Promise<void>;
    createBucket({ signal }?: S3Options): Promise<void>;
    close(): void;
}
//# sourceMappingURL=s3-objects.d.ts.map

interface S3ObjectsInit {
    bucket: string;
    prefix?: string | undefined;
    endpoints?: readonly string[] | undefined;
    region?: string | undefined;
    pathStyle?: boolean | undefined;
    credentials?: S3Credentials | S3CredentialsProvider | undefined;
    profile?: string | undefined;
    connectTimeout?: number | undefined;
    responseTimeout?: number | undefined;
    progressTimeout?: number | undefined;
    totalTimeout?: number | undefined;
    attempts?: number | undefined;
    maxConnections?: number | undefined;
    maxObjectSize?: number | undefined;
    onRequest?: ((event: S3RequestEvent) => void) | undefined;
    onReceived?: ((status: number) => void) | undefined;
    signal?: (() => AbortSignal) | undefined;
    now?: (() => number) | undefined;
}

type S3Operation = 'create' | 'delete' | 'get' | 'head' | 'list' | 'put';

interface S3Options {
    signal?: AbortSignal | null | undefined;
}

type S3Phase = 'connect' | 'send' | 'response' | 'body';

interface S3RequestEvent {
    operation: S3Operation;
    endpoint: string;
    attempt: number;
    sent: number;
    received: number;
    milliseconds: number;
    status?: number;
    error?: string;
}

class S3ResponseError extends NamedError {
    static readonly name = "S3ResponseError";
    readonly from = "store";
    readonly subject: S3Subject;
    readonly status: number;
    readonly code: string;
    constructor(subject: S3Subject, status: number, code: string, detail: string);
}

interface S3Subject {
    operation: S3Operation;
    bucket: string;
    key?: string | undefined;
    endpoint: string;
    attempts: number;
}

class S3UrlError extends NamedError {
    static readonly name = "S3UrlError";
}

type S3UrlParts = Pick<S3ObjectsInit, 'bucket' | 'endpoints' | 'pathStyle' | 'prefix' | 'region'>;

interface S3Validity {
    from: (endpoint: string) => Date;
    seconds: number;
}

type Source<T> = Iterable<T> | AsyncIterable<T>;

interface StoredBlockInfo extends Omit<ObjectInfo, 'key'> {
    cid: CID;
}

function blockKey(cid: CID): string;

function multihashOf(key: string): MultihashDigest | undefined;
//# sourceMappingURL=block-keys.d.ts.map

function parseS3Url(text: string): S3UrlParts;
