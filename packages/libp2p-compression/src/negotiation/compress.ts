import { chooseCodecs, codecsByType } from './codec-names.ts'
import { CompressedConnection } from '../connection/compressed-connection.ts'
import { VERSION } from '../constants.ts'
import { flushAfterClose, rememberTraffic } from './libp2p-internals.ts'
import { Traffic } from '../traffic.ts'
import type { ChosenCodec } from './codec-names.ts'
import type { CompressInit, CompressionComponents } from '../contract.ts'
import type { MessageStream, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface'

type CreateFactory<C> = (components: C) => StreamMuxerFactory

/** Implements `compress` of index.ts. */
export function createFactories<C extends CompressionComponents> (
  muxer: CreateFactory<C>,
  { codecs, level }: CompressInit
): Array<CreateFactory<C>> {
  return chooseCodecs(codecs, level)
    .map(chosen => components => new CompressingMuxerFactory(muxer(components), chosen, components))
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

    // listen before the muxer does: it would close its streams as if there were no error
    connection.addEventListener('close', ({ error, local }) => {
      if (error != null && local === true) {
        abortStreams(muxer, error)
      }
    })

    const muxer = this.#inner.createStreamMuxer(connection)

    rememberTraffic(muxer, traffic)
    flushAfterClose(muxer, async options => connection.flush(options))
    muxer.protocol = this.protocol

    return muxer
  }
}

function abortStreams (muxer: StreamMuxer, error: Error): void {
  // a copy, because each stream removes itself from the list
  for (const stream of muxer.streams.slice()) {
    stream.abort(error)
  }
}
