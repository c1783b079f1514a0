// Room: responses. Headers and ETags, the status of an error (`error.ts`), and which stored frames pass through
// undecoded (`stored-file.ts`). What one format alone needs is in a folder.
import { BodyLengthError, BodyStalledError, BodyTooLargeError } from '../errors.ts'
import { followSignal } from '../follow-signal.ts'
import { reportFailure } from './error.ts'
import type { ResponseContext } from './context.ts'

export interface BodyInit {
  /** Aborts the body, and what it is read from. */
  signal: AbortSignal
  /** Milliseconds without a byte. */
  stallTimeout: number
  /** The exact number of bytes: that of `Content-Length`. */
  length?: number | undefined
  /** Maximum number of bytes of a body whose length is not known. */
  limit?: number | undefined
  /** Called with a failure after the first bytes. */
  onFailure?: ((err: unknown) => void) | undefined
  /**
   * Aborted when the body is no longer needed, for a source that was opened before. Follows `signal`. If something
   * else aborts it, the body fails at once, also while nobody reads it.
   */
  unneeded?: AbortController | undefined
}

/** Open a body with the limits of the gateway. Its later failures are reported. */
export async function openResponseBody (
  { request, signal, init }: ResponseContext,
  read: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  bounds: Pick<BodyInit, 'length' | 'limit' | 'unneeded'>
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  return openBody(read, {
    ...bounds,
    signal,
    stallTimeout: init.limits.stallTimeout,
    onFailure: err => { reportFailure(err, request, init) }
  })
}

/**
 * A body that is read as fast as the client takes it. The first bytes are read at once, so that a
 * failure before them rejects here, and can still become a status. A later failure, and any other
 * number of bytes than `length`, is an error of the stream: a body never ends well if it is not whole.
 *
 * @param read - opens the source, with a signal that aborts when the body is no longer needed
 */
export async function openBody (
  read: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  init: BodyInit
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { unneeded = followSignal(init.signal) } = init
  const source = read(unneeded.signal)[Symbol.asyncIterator]()
  const close = (reason: unknown): void => {
    unneeded.abort(reason)
    // not awaited, because a stalled source would block the caller
    source.return?.().catch(() => {})
  }

  unneeded.signal.addEventListener('abort', () => { close(unneeded.signal.reason) }, { once: true })

  let sent = 0
  const next = async (): Promise<Uint8Array | undefined> => {
    try {
      const chunk = await nextChunk(source, unneeded.signal, init.stallTimeout)
      sent += chunk?.byteLength ?? 0
      checkLength(sent, chunk == null, init)

      return chunk
    } catch (err) {
      close(err)
      throw err
    }
  }

  const nextOrReport = async (): Promise<Uint8Array | undefined> => {
    try {
      return await next()
    } catch (err) {
      init.onFailure?.(err)
      throw err
    }
  }

  let first = await next()
  let isFirst = true

  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: controller => {
      // also while the client does not read. Does nothing to a body that is over
      const fail = (): void => {
        first = undefined
        controller.error(unneeded.signal.reason)
      }

      if (unneeded.signal.aborted) {
        fail()
      } else {
        unneeded.signal.addEventListener('abort', fail, { once: true })
      }
    },
    pull: async controller => {
      const chunk = isFirst ? first : await nextOrReport()
      isFirst = false
      first = undefined

      if (chunk == null) {
        controller.close()
      } else {
        // blocks are never in shared memory
        controller.enqueue(chunk as Uint8Array<ArrayBuffer>)
      }
    },
    cancel: close
  }, { highWaterMark: 0 })
}

/** The next bytes of a source, or undefined at its end. Waits no longer than allowed, whatever the source does. */
async function nextChunk (
  source: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
  stallTimeout: number
): Promise<Uint8Array | undefined> {
  signal.throwIfAborted()

  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => { reject(new BodyStalledError(stallTimeout)) }, stallTimeout)
  const onAbort = (): void => { reject(signal.reason) }

  signal.addEventListener('abort', onAbort)

  try {
    for (;;) {
      const { done, value } = await Promise.race([source.next(), stopped])

      if (done === true) {
        return undefined
      }

      if (value.byteLength > 0) {
        return value
      }
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * A source that fails if it has another number of bytes than it must.
 *
 * @throws {BodyLengthError}
 * @throws {BodyTooLargeError}
 */
export async function * checkedLength (
  source: AsyncIterable<Uint8Array>,
  init: Pick<BodyInit, 'length' | 'limit'>
): AsyncGenerator<Uint8Array> {
  let length = 0

  for await (const bytes of source) {
    length += bytes.byteLength
    checkLength(length, false, init)
    yield bytes
  }

  checkLength(length, true, init)
}

/**
 * Check how many bytes there are of a body.
 *
 * @param ended - whether these are all
 * @throws {BodyLengthError}
 * @throws {BodyTooLargeError}
 */
function checkLength (
  sent: number,
  ended: boolean,
  { length, limit = Number.POSITIVE_INFINITY }: Pick<BodyInit, 'length' | 'limit'>
): void {
  if (length != null && (ended ? sent !== length : sent > length)) {
    throw new BodyLengthError(length, sent)
  }

  if (sent > limit) {
    throw new BodyTooLargeError(limit)
  }
}
