import { chooseCodecs, codecsByType } from './codec-names.ts'
import { CompressedConnection } from '../connection/compressed-connection.ts'
import { VERSION } from '../constants.ts'
import { rememberTraffic, Traffic } from '../traffic.ts'
import type { ChosenCodec } from './codec-names.ts'
import type { CompressInit, CompressionComponents } from '../contract.ts'
import type { MessageStream, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface'

/** See the declaration in index.ts. */
export function createFactories<C extends CompressionComponents> (muxer: (components: C) => StreamMuxerFactory, { codecs, level }: CompressInit): Array<(components: C) => StreamMuxerFactory> {
  return chooseCodecs(codecs, level).map(chosen => components => new CompressingMuxerFactory(muxer(components), chosen, components))
}

class CompressingMuxerFactory implements StreamMuxerFactory {
  readonly protocol: string
  readonly #inner: StreamMuxerFactory
  readonly #chosen: ChosenCodec
  readonly #components: CompressionComponents

  constructor (inner: StreamMuxerFactory, chosen: ChosenCodec, components: CompressionComponents) {
    this.protocol = `/ipfsz/${chosen.codec.id}/${VERSION}${inner.protocol}`
    this.#inner = inner
    this.#chosen = chosen
    this.#components = components
  }

  get [Symbol.toStringTag] (): string {
    return '@ipfsz/libp2p-compression'
  }

  createStreamMuxer (inner: MessageStream): StreamMuxer {
    const traffic = new Traffic(this.protocol, inner.direction, this.#components?.metrics)
    const connection = new CompressedConnection(inner, { ...this.#chosen, codecs: codecsByType(), traffic })

    // before the muxer listens: it would end its streams as if all had gone well
    connection.addEventListener('close', ({ error, local }) => {
      if (error != null && local === true) {
        abortStreams(muxer, error)
      }
    })

    const muxer = this.#inner.createStreamMuxer(connection)
    const close = muxer.close.bind(muxer)
    rememberTraffic(muxer.streams, traffic)

    // libp2p closes the muxer, and then not this connection but the one beneath
    muxer.close = async options => {
      await close(options)
      await connection.flush(options)
    }

    muxer.protocol = this.protocol

    return muxer
  }
}

function abortStreams (muxer: StreamMuxer, error: Error): void {
  // each takes itself out of the list
  for (const stream of muxer.streams.slice()) {
    stream.abort(error)
  }
}
