// @ipfsz/libp2p-compression: ByteCount, CompressInit, CompressProtocolsInit, CompressionCodec, CompressionComponents, ConnectionTraffic, CorruptFrameError, DecompressionBombError, InvalidLevelError, MAX_RATIO, MalformedFrameError, ProtocolComponents, RATIO_ALLOWANCE, TruncatedFrameError, UnknownCodecError, compress, compressProtocols, trafficOf

interface ByteCount {
    raw: number;
    compressed: number;
}

interface CompressInit {
    codecs?: readonly CompressionCodec[];
    level?: number | Partial<Record<CompressionCodec, number>>;
}

interface CompressProtocolsInit extends CompressInit {
    protocols: readonly string[];
}

type CompressionCodec = 'zstd' | 'gzip' | 'lz4';

interface CompressionComponents {
    metrics?: Metrics;
}

interface ConnectionTraffic {
    readonly protocol: string;
    readonly direction: MessageStreamDirection;
    readonly sent: Readonly<ByteCount>;
    readonly received: Readonly<ByteCount>;
}

class DecompressionBombError extends NamedError {
    static readonly name = "DecompressionBombError";
    readonly excess: number;
    readonly maxRatio: number;
    constructor(excess: number, maxRatio: number);
}

type Dialable = Parameters<Libp2p['dial']>[0];

const MAX_RATIO = 128;

class MalformedFrameError extends NamedError {
    static readonly name = "MalformedFrameError";
    readonly type: number;
    readonly reason: string;
    constructor(type: number, reason: string);
}

interface ProtocolComponents extends CompressionComponents {
    peerStore: Pick<PeerStore, 'get'>;
    registrar: {
        handle(protocol: string, handler: StreamHandler, options?: StreamHandlerOptions): Promise<void>;
        unhandle(protocols: string | string[], options?: AbortOptions): Promise<void>;
        getHandler(protocol: string): StreamHandlerRecord;
        getMiddleware(protocol: string): StreamMiddleware[];
    };
    connectionManager: {
        openConnection(peer: Dialable, options?: AbortOptions): Promise<Connection>;
        openStream(peer: Dialable, protocols: string | string[], options?: NewStreamOptions): Promise<Stream>;
    };
}

const RATIO_ALLOWANCE: number;

class TruncatedFrameError extends NamedError {
    static readonly name = "TruncatedFrameError";
    readonly missing: number | undefined;
    constructor(missing: number | undefined);
}
//# sourceMappingURL=errors.d.ts.map

function compress<C extends CompressionComponents>(muxer: (components: C) => StreamMuxerFactory, init?: CompressInit): Array<(components: C) => StreamMuxerFactory>;

function compressProtocols(init: CompressProtocolsInit): (components: ProtocolComponents) => object;
//# sourceMappingURL=index.d.ts.map

function trafficOf(connection: {
    readonly streams: readonly Stream[];
}): ConnectionTraffic | undefined;
