/** Bytes that can be read once. */
export interface ByteSource {
  next (): Promise<IteratorResult<Uint8Array, unknown>>
  return (value?: undefined): Promise<unknown>
}

/**
 * The body of a response. An error of the source cuts the connection, and when the client goes
 * away the source is closed. (`ReadableStream.from` is not in all browsers.)
 */
export function bodyStream (source: ByteSource): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull (controller) {
      const { done, value } = await source.next()

      if (done === true) {
        controller.close()
      } else {
        controller.enqueue(value)
      }
    },

    async cancel () {
      await source.return()
    }
  }, { highWaterMark: 0 })
}
