import { chooseCodecs, codecsByType } from './codec-names.ts'
import { CompressedStream } from '../connection/compressed-stream.ts'
import { VERSION } from '../constants.ts'
import { checkInbound, checkOutbound } from './stream-limits.ts'
import { Traffic } from '../traffic.ts'
import type { ChosenCodec } from './codec-names.ts'
import type { CompressProtocolsInit, ProtocolComponents } from '../contract.ts'
import type { PeerId, Stream, StreamMiddleware } from '@libp2p/interface'

/** A protocol compressed with one codec. */
interface Variant {
  id: string
  protocol: string
  chosen: ChosenCodec
}

/** Implements `compressProtocols` of index.ts. */
export class ProtocolCompression {
  readonly #components: ProtocolComponents
  /** By plain protocol, the preferred codec first. */
  readonly #variants: ReadonlyMap<string, readonly Variant[]>

  constructor (components: ProtocolComponents, { protocols, codecs, level }: CompressProtocolsInit) {
    const chosen = chooseCodecs(codecs, level)

    this.#components = components
    this.#variants = new Map(protocols.map(protocol => [
      protocol,
      chosen.map(chosen => ({ id: `/ipfsz/${chosen.codec.id}/${VERSION}${protocol}`, protocol, chosen }))
    ]))

    this.#handleVariants()
    this.#addMiddleware()
    this.#requestVariants()
  }

  get [Symbol.toStringTag] (): string {
    return '@ipfsz/libp2p-compression-protocols'
  }

  /** A handler of a protocol also handles its variants. */
  #handleVariants (): void {
    const { registrar } = this.#components
    const handle = registrar.handle.bind(registrar)
    const unhandle = registrar.unhandle.bind(registrar)

    registrar.handle = async (protocol, handler, options) => {
      await handle(protocol, handler, options)

      for (const { id } of this.#variantsOf(protocol)) {
        await handle(id, handler, options)
      }
    }

    registrar.unhandle = async (protocols, options) =>
      unhandle([protocols].flat().flatMap(protocol => this.#idsOf(protocol)), options)
  }

  /**
   * The first middleware of a variant compresses and decompresses. The middleware of the
   * plain protocol follows, so that whatever guards or counts it also sees the variants.
   */
  #addMiddleware (): void {
    const { registrar } = this.#components
    const getMiddleware = registrar.getMiddleware.bind(registrar)
    const variants = new Map([...this.#variants.values()].flat().map(variant => [variant.id, variant]))

    registrar.getMiddleware = id => {
      const variant = variants.get(id)
      const protocol = variant?.protocol ?? id

      if (!this.#variants.has(protocol)) {
        return getMiddleware(id)
      }

      // libp2p appends the handler to the returned array, so return a new one
      return [
        this.#firstMiddleware(protocol, variant),
        ...getMiddleware(protocol),
        ...(variant == null ? [] : getMiddleware(id))
      ]
    }
  }

  #firstMiddleware (protocol: string, variant: Variant | undefined): StreamMiddleware {
    return (stream, connection, next) => {
      if (stream.direction === 'inbound') {
        checkInbound(this.#components.registrar, protocol, this.#idsOf(protocol), connection)
      }

      next(variant == null ? stream : this.#wrap(stream, variant), connection)
    }
  }

  /** Opening a stream of a protocol requests its variants first, if the peer is known to have them. */
  #requestVariants (): void {
    const { connectionManager, registrar } = this.#components
    const openStream = connectionManager.openStream.bind(connectionManager)

    connectionManager.openStream = async (peer, protocols, options) => {
      const wanted = [protocols].flat()

      if (!wanted.some(protocol => this.#variants.has(protocol))) {
        return openStream(peer, protocols, options)
      }

      const connection = await connectionManager.openConnection(peer, options)
      const known = await this.#protocolsOf(connection.remotePeer)
      // requesting a variant that the peer lacks would cost a round trip
      const ids = wanted.flatMap(protocol => [
        ...this.#variantsOf(protocol).map(({ id }) => id).filter(id => known.includes(id)),
        protocol
      ])
      const stream = await connection.newStream(ids, options)

      if (this.#variants.has(stream.protocol)) {
        checkOutbound(registrar, stream.protocol, this.#idsOf(stream.protocol), connection, stream, options)
      }

      return stream
    }
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

  /** The protocols that a peer has announced, which it does some time after connecting. */
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
