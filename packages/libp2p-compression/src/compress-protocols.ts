import { chooseCodecs, codecsByType } from './codec-names.ts'
import { CompressedStream } from './compressed-stream.ts'
import { VERSION } from './constants.ts'
import { Traffic } from './traffic.ts'
import type { ChosenCodec } from './codec-names.ts'
import type { CompressProtocolsInit, ProtocolComponents } from './index.ts'
import type { PeerId, Stream } from '@libp2p/interface'

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

      for (const variant of this.#variantsOf(protocol)) {
        await handle(variant.id, (stream, connection) => handler(this.#wrap(stream, variant), connection), options)
      }
    }

    registrar.unhandle = async (protocols, options) => unhandle([protocols].flat().flatMap(protocol =>
      [protocol, ...this.#variantsOf(protocol).map(({ id }) => id)]), options)
  }

  /** Whoever opens a stream of a protocol gets one of a variant where the peer is known to have it. */
  #ask (): void {
    const { connectionManager } = this.#components
    const openStream = connectionManager.openStream.bind(connectionManager)

    connectionManager.openStream = async (peer, protocols, options) => {
      const variants = [protocols].flat().flatMap(protocol => this.#variantsOf(protocol))

      if (variants.length === 0) {
        return openStream(peer, protocols, options)
      }

      const { remotePeer } = await connectionManager.openConnection(peer, options)
      const known = await this.#protocolsOf(remotePeer)
      // a variant that the peer does not have would cost a round trip
      const ids = [protocols].flat().flatMap(protocol =>
        [...this.#variantsOf(protocol).map(({ id }) => id).filter(id => known.includes(id)), protocol])
      const stream = await openStream(remotePeer, ids, options)
      const variant = variants.find(({ id }) => id === stream.protocol)

      return variant == null ? stream : this.#wrap(stream, variant)
    }
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
