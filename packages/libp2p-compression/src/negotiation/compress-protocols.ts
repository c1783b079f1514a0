import { chooseCodecs, codecsByType } from './codec-names.ts'
import { CompressedStream } from '../connection/compressed-stream.ts'
import { VERSION } from '../constants.ts'
import { checkInbound, checkOutbound } from './stream-limits.ts'
import { Traffic } from '../traffic.ts'
import type { ChosenCodec } from './codec-names.ts'
import type { CompressProtocolsInit, ProtocolComponents } from '../contract.ts'
import type { PeerId, Stream, StreamMiddleware } from '@libp2p/interface'

/** A protocol of the list, as it is spoken with one codec. */
interface Variant {
  id: string
  protocol: string
  chosen: ChosenCodec
}

/** See the declaration of compressProtocols in index.ts. */
export class ProtocolCompression {
  readonly #components: ProtocolComponents
  /** By the protocol that they compress, the preferred one first. */
  readonly #variants: ReadonlyMap<string, readonly Variant[]>

  constructor (components: ProtocolComponents, { protocols, codecs, level }: CompressProtocolsInit) {
    const chosen = chooseCodecs(codecs, level)

    this.#components = components
    this.#variants = new Map(protocols.map(protocol => [
      protocol,
      chosen.map(chosen => ({ id: `/ipfsz/${chosen.codec.id}/${VERSION}${protocol}`, protocol, chosen }))
    ]))

    this.#answer()
    this.#wrapAll()
    this.#ask()
  }

  get [Symbol.toStringTag] (): string {
    return '@ipfsz/libp2p-compression-protocols'
  }

  /** Whoever handles a protocol handles its variants. */
  #answer (): void {
    const { registrar } = this.#components
    const handle = registrar.handle.bind(registrar)
    const unhandle = registrar.unhandle.bind(registrar)

    registrar.handle = async (protocol, handler, options) => {
      await handle(protocol, handler, options)

      for (const { id } of this.#variantsOf(protocol)) {
        await handle(id, handler, options)
      }
    }

    registrar.unhandle = async (protocols, options) => unhandle([protocols].flat().flatMap(protocol => this.#idsOf(protocol)), options)
  }

  /**
   * The first middleware of a variant decompresses, in both directions. Then comes that
   * of the protocol, so that what guards or counts the one has the other as well.
   */
  #wrapAll (): void {
    const { registrar } = this.#components
    const getMiddleware = registrar.getMiddleware.bind(registrar)
    const variants = new Map([...this.#variants.values()].flat().map(variant => [variant.id, variant]))

    registrar.getMiddleware = id => {
      const variant = variants.get(id)
      const protocol = variant?.protocol ?? id

      if (!this.#variants.has(protocol)) {
        return getMiddleware(id)
      }

      // libp2p appends the handler to what it is given: never to the list of both
      return [this.#first(protocol, variant), ...getMiddleware(protocol), ...(variant == null ? [] : getMiddleware(id))]
    }
  }

  #first (protocol: string, variant: Variant | undefined): StreamMiddleware {
    return (stream, connection, next) => {
      if (stream.direction === 'inbound') {
        checkInbound(this.#components.registrar, protocol, this.#idsOf(protocol), connection)
      }

      next(variant == null ? stream : this.#wrap(stream, variant), connection)
    }
  }

  /** Whoever opens a stream of a protocol gets one of a variant where the peer is known to have it. */
  #ask (): void {
    const { connectionManager, registrar } = this.#components
    const openStream = connectionManager.openStream.bind(connectionManager)

    connectionManager.openStream = async (peer, protocols, options) => {
      const wanted = [protocols].flat()

      if (!wanted.some(protocol => this.#variants.has(protocol))) {
        return openStream(peer, protocols, options)
      }

      const connection = await connectionManager.openConnection(peer, options)
      const known = await this.#protocolsOf(connection.remotePeer)
      // a variant that the peer does not have would cost a round trip
      const ids = wanted.flatMap(protocol => [...this.#variantsOf(protocol).map(({ id }) => id).filter(id => known.includes(id)), protocol])
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

  /** As far as it has told, which takes a moment after connecting. */
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
