/**
 * The body of a response. An error of the source cuts the connection, and when the client goes
 * away the source is closed. (`ReadableStream.from` is not in all browsers.)
 */
export function bodyStream (source: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
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
      await source.return(undefined)
    }
  }, { highWaterMark: 0 })
}
