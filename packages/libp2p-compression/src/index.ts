/**
 * @packageDocumentation
 *
 * Compresses libp2p connections, between their encryption and their muxer. It is negotiated:
 * connections to peers without it stay plain.
 *
 * **Compression leaks through encryption.** If an attacker can send chosen data over the same
 * connection as a secret, and sees how many bytes are transferred, they can guess the secret
 * (CRIME, BREACH). Use this only for connections that carry public data, such as blocks of
 * public content. Nothing is compressed unless you configure it.
 *
 * @example
 *
 * ```typescript
 * import { noise } from '@libp2p/noise'
 * import { tcp } from '@libp2p/tcp'
 * import { yamux } from '@libp2p/yamux'
 * import { createLibp2p } from 'libp2p'
 * import { compress } from '@ipfsz/libp2p-compression'
 *
 * const libp2p = await createLibp2p({
 *   transports: [tcp()],
 *   connectionEncrypters: [noise()],
 *   streamMuxers: [...compress(yamux()), yamux()]
 * })
 * ```
 */

import { ProtocolCompression } from './negotiation/compress-protocols.ts'
import { createFactories } from './negotiation/compress.ts'
import type { CompressInit, CompressionComponents, CompressProtocolsInit, ProtocolComponents } from './contract.ts'
import type { StreamMuxerFactory } from '@libp2p/interface'

export { MAX_RATIO, RATIO_ALLOWANCE } from './constants.ts'
export { DecompressionBombError, MalformedFrameError, TruncatedFrameError } from './errors.ts'
export { trafficOf } from './negotiation/libp2p-internals.ts'
export type {
  CompressInit,
  CompressionCodec,
  CompressionComponents,
  CompressProtocolsInit,
  ProtocolComponents
} from './contract.ts'
export type { ByteCount, ConnectionTraffic } from './traffic.ts'
export { CorruptFrameError, InvalidLevelError, UnknownCodecError } from '@ipfsz/codecs'

/**
 * Wrap a stream muxer so that its connections are compressed. Returns one muxer for each codec.
 *
 * List them before the plain muxer, in the same order on every node: libp2p takes the first
 * one that both sides have.
 *
 * Compression leaks through encryption: read the README before you use it for anything that
 * is not public.
 *
 * @param muxer - as configured for libp2p, such as `yamux()`
 * @throws {UnknownCodecError} there is no such codec
 * @throws {InvalidLevelError} the codec has no such level
 */
export function compress<C extends CompressionComponents> (
  muxer: (components: C) => StreamMuxerFactory,
  init: CompressInit = {}
): Array<(components: C) => StreamMuxerFactory> {
  return createFactories(muxer, init)
}

/**
 * A libp2p service that compresses the streams of the given protocols, and no others. It
 * covers `libp2p.handle` and `libp2p.dialProtocol`, which Bitswap uses, but not
 * `connection.newStream`.
 *
 * Middleware from `libp2p.use` for a protocol also runs on its compressed streams, after
 * decompression. The stream limits of a protocol count plain and compressed streams together.
 *
 * Compressed streams are opened only to peers that have announced support (identify). That
 * costs no round trip, but a stream opened right after connecting may be plain.
 *
 * Compression starts anew with each stream, so `compress` saves more if messages are small.
 *
 * @example
 *
 * ```typescript
 * import { identify } from '@libp2p/identify'
 * import { noise } from '@libp2p/noise'
 * import { tcp } from '@libp2p/tcp'
 * import { yamux } from '@libp2p/yamux'
 * import { createLibp2p } from 'libp2p'
 * import { compressProtocols } from '@ipfsz/libp2p-compression'
 *
 * const libp2p = await createLibp2p({
 *   transports: [tcp()],
 *   connectionEncrypters: [noise()],
 *   streamMuxers: [yamux()],
 *   services: {
 *     identify: identify(),
 *     compression: compressProtocols({ protocols: ['/ipfs/bitswap/1.2.0'] })
 *   }
 * })
 * ```
 *
 * @throws {UnknownCodecError} there is no such codec
 * @throws {InvalidLevelError} the codec has no such level
 */
export function compressProtocols (init: CompressProtocolsInit): (components: ProtocolComponents) => object {
  return components => new ProtocolCompression(components, init)
}
