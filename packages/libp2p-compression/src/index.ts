/**
 * @packageDocumentation
 *
 * Compresses connections of libp2p: above their encryption, below their muxer, by
 * negotiation. With whoever does not have it a connection is as before.
 *
 * **Compression shows through encryption.** Whoever can have data of their choice sent
 * beside a secret over one connection, and sees how many bytes go over it, can find out
 * the secret (CRIME, BREACH). Use this where what goes over the connections is public,
 * as blocks of public content are. Nothing is compressed unless it is configured.
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
export { trafficOf } from './traffic.ts'
export type { CompressInit, CompressionComponents, CompressProtocolsInit, ProtocolComponents } from './contract.ts'
export type { CompressionCodec } from './negotiation/codec-names.ts'
export type { ByteCount, ConnectionTraffic } from './traffic.ts'
export { CorruptFrameError, InvalidLevelError, UnknownCodecError } from '@ipfsz/codecs'

/**
 * Stream muxers that compress what another one sends and receives, one a codec.
 *
 * Put them before the same muxer without compression, in this order on every node:
 * libp2p takes the first that both sides have.
 *
 * Compression shows through encryption: see the README before using it for what is not
 * public.
 *
 * @param muxer - as configured for libp2p, such as `yamux()`
 * @throws {UnknownCodecError} there is no such codec
 * @throws {InvalidLevelError} the codec has no such level
 */
export function compress<C extends CompressionComponents> (muxer: (components: C) => StreamMuxerFactory, init: CompressInit = {}): Array<(components: C) => StreamMuxerFactory> {
  return createFactories(muxer, init)
}

/**
 * A service of libp2p that compresses the streams of some protocols, each for itself,
 * and leaves alone what else goes over the same connections. It covers `libp2p.handle`
 * and `libp2p.dialProtocol`, which Bitswap uses, and not `connection.newStream`.
 *
 * What `libp2p.use` is given for a protocol is run on its compressed streams as well, after
 * decompression. The limits of a protocol are for plain and compressed streams together.
 *
 * A peer is asked for it once it has told that it has it (identify), and never before:
 * that costs no round trip, and a stream opened right after connecting may be plain.
 *
 * Every stream begins anew, and so does the compression: `compress` saves more where
 * messages are small.
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
