import { allCodecs } from '@ipfsz/codecs/all'
import {
  DEFAULT_DECODE_CONCURRENCY,
  DEFAULT_DECODE_RATE,
  DEFAULT_DECODED_CACHE,
  DEFAULT_WAITING_DECODES
} from '../constants.ts'
import { InvalidParametersError } from '../errors.ts'
import type { Clock, FrameDecoderInit } from './frame-decoder.ts'
import type { OriginalsDatastore } from './original-index.ts'
import type { Codec } from '@ipfsz/codecs'

export interface DerivedBlockstoreInit {
  /** The index that {@link Originals} keeps. */
  datastore: Pick<OriginalsDatastore, 'get' | 'query'>

  /**
   * The codecs to read with.
   *
   * @default every codec of @ipfsz/codecs
   */
  codecs?: readonly Codec[] | undefined

  /**
   * How many bytes of decompressed frames are kept.
   *
   * @default 67108864
   */
  cacheSize?: number | undefined

  /**
   * How many frames are decompressed at a time.
   *
   * @default 2
   */
  concurrency?: number | undefined

  /**
   * How many frames may wait to be decompressed. Blocks of others are then not found.
   *
   * @default 256
   */
  maxWaiting?: number | undefined

  /**
   * How many bytes of frames are decompressed in a second, for all who ask together. It bounds the processor time that
   * strangers can cause, who ask for one block of each frame in turn. A frame that refers back to a base counts five
   * times, for what may have to be decompressed of that.
   *
   * @default 134217728
   */
  bytesPerSecond?: number | undefined

  /**
   * Called with each error by which a block that the index knows was not found: OriginalMismatchError,
   * DecodeQueueFullError, InvalidOriginalError, or an error of reading the compressed file.
   */
  onError?: ((err: unknown) => void) | undefined

  /** @internal for tests */
  clock?: Clock | undefined
}

const CLOCK: Clock = {
  now: () => performance.now(),
  wait: async time => new Promise(resolve => { setTimeout(resolve, time) })
}

/**
 * Fill in defaults.
 *
 * @throws {InvalidParametersError} a number is not above 0
 */
export function resolveInit (
  init: DerivedBlockstoreInit
): FrameDecoderInit & Required<Pick<DerivedBlockstoreInit, 'datastore' | 'codecs' | 'onError'>> {
  const {
    datastore,
    codecs = allCodecs(),
    cacheSize = DEFAULT_DECODED_CACHE,
    concurrency = DEFAULT_DECODE_CONCURRENCY,
    maxWaiting = DEFAULT_WAITING_DECODES,
    bytesPerSecond = DEFAULT_DECODE_RATE,
    clock = CLOCK,
    onError = () => {}
  } = init

  for (const [name, value] of Object.entries({ cacheSize, concurrency, maxWaiting, bytesPerSecond })) {
    if (!(value > 0)) {
      throw new InvalidParametersError(`${name} must be above 0, not ${value}`)
    }
  }

  return { datastore, codecs, cacheSize, concurrency, maxWaiting, bytesPerSecond, clock, onError }
}
