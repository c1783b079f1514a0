import { chooseCodecs, codecsByType } from './codec-names.ts'
import { CompressedStream } from '../connection/compressed-stream.ts'
import { VERSION } from '../constants.ts'
import { replaceInternals } from './libp2p-internals.ts'
import { checkInbound, checkOutbound } from './stream-limits.ts'
import { Traffic } from '../traffic.ts'
import type { ChosenCodec } from './codec-names.ts'
import type { CompressProtocolsInit, ProtocolComponents } from '../contract.ts'
import type { PeerId, Stream, StreamMiddleware } from '@libp2p/interface'

type Registrar = ProtocolComponents['registrar']
type ConnectionManager = ProtocolComponents['connectionManager']

/** One of the protocols, spoken with one codec. */
interface Variant {
  id: string
  protocol: string
  chosen: ChosenCodec
}

/** See the declaration of compressProtocols in index.ts. */
export class ProtocolCompression {
  readonly #components: ProtocolComponents
  /** The variants of each protocol, the preferred one first. */
  readonly #variants: ReadonlyMap<string, readonly Variant[]>

  constructor (components: ProtocolComponents, { protocols, codecs, level }: CompressProtocolsInit) {
    const chosen = chooseCodecs(codecs, level)

    this.#components = components
    this.#variants = new Map(protocols.map(protocol => [
      protocol,
      chosen.map(chosen => ({ id: `/ipfsz/${chosen.codec.id}/${VERSION}${protocol}`, protocol, chosen }))
    ]))

    const variants = new Map([...this.#variants.values()].flat().map(variant => [variant.id, variant]))

    replaceInternals(components, {
      idsOf: protocol => this.#idsOf(protocol),
      getMiddleware: (id, original) => this.#middleware(id, variants.get(id), original),
      openStream: async (original, ...args) => this.#openStream(original, ...args)
    })
  }

  get [Symbol.toStringTag] (): string {
    return '@ipfsz/libp2p-compression-protocols'
  }

  /**
   * The first middleware of a variant decompresses, in both directions. The middleware of the
   * protocol follows, so that what guards or counts the protocol does the same for its variants.
   */
  #middleware (id: string, variant: Variant | undefined, original: Registrar['getMiddleware']): StreamMiddleware[] {
    const protocol = variant?.protocol ?? id

    if (!this.#variants.has(protocol)) {
      return original(id)
    }

    // a new list: libp2p appends the handler to the one it gets
    return [this.#first(protocol, variant), ...original(protocol), ...(variant == null ? [] : original(id))]
  }

  #first (protocol: string, variant: Variant | undefined): StreamMiddleware {
    return (stream, connection, next) => {
      if (stream.direction === 'inbound') {
        checkInbound({ registrar: this.#components.registrar, protocol, ids: this.#idsOf(protocol), connection })
      }

      next(variant == null ? stream : this.#wrap(stream, variant), connection)
    }
  }

  /** Opens a stream of a variant if the peer is known to speak one. */
  async #openStream (
    original: ConnectionManager['openStream'],
    ...[peer, protocols, options]: Parameters<ConnectionManager['openStream']>
  ): Promise<Stream> {
    const { connectionManager, registrar } = this.#components
    const wanted = [protocols].flat()

    if (!wanted.some(protocol => this.#variants.has(protocol))) {
      return original(peer, protocols, options)
    }

    const connection = await connectionManager.openConnection(peer, options)
    const known = await this.#protocolsOf(connection.remotePeer)
    // offering a variant that the peer does not have would cost a round trip
    const ids = wanted.flatMap(protocol => [
      ...this.#variantsOf(protocol).map(({ id }) => id).filter(id => known.includes(id)),
      protocol
    ])
    const stream = await connection.newStream(ids, options)

    if (this.#variants.has(stream.protocol)) {
      const { protocol } = stream
      checkOutbound({ registrar, protocol, ids: this.#idsOf(protocol), connection }, stream, options)
    }

    return stream
  }

  #idsOf (protocol: string): string[] {
    return [protocol, ...this.#variantsOf(protocol).map(({ id }) => id)]
  }

  #variantsOf (protocol: string): readonly Variant[] {
    return this.#variants.get(protocol) ?? []
  }

  #wrap (stream: Stream, { id, protocol, chosen }: Variant): Stream {
    return new CompressedStream(stream, protocol, {
      ...chosen,
      codecs: codecsByType(),
      traffic: new Traffic(id, stream.direction, this.#components.metrics)
    })
  }

  /** The protocols that a peer has sent us by identify: none in the first moments of a connection. */
  async #protocolsOf (peer: PeerId): Promise<readonly string[]> {
    try {
      return (await this.#components.peerStore.get(peer)).protocols
    } catch (err) {
      if ((err as Error).name === 'NotFoundError') {
        return []
      }

      throw err
    }
  }
}
