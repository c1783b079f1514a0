import { MAX_ERROR_SIZE } from '../constants.ts'
import type { IncomingMessage } from 'node:http'

/** The answer has more bytes than `maxBytes`. */
export class AnswerTooLarge extends Error {}

/** Reads the body of an answer, and counts its bytes. */
export class AnswerReader {
  received = 0
  readonly #response: IncomingMessage
  readonly #method: string
  readonly #max: number
  readonly #onChunk: () => void

  constructor (
    response: IncomingMessage,
    { method, max, onChunk }: { method: string, max: number, onChunk: () => void }
  ) {
    this.#response = response
    this.#method = method
    this.#max = max
    this.#onChunk = onChunk
  }

  /** The body. Of an error, its beginning. */
  async read (): Promise<Buffer> {
    const { headers, statusCode = 0 } = this.#response
    const isError = statusCode < 200 || statusCode > 299
    const chunks: Buffer[] = []

    if (!isError && this.#method !== 'HEAD' && Number(headers['content-length'] ?? 0) > this.#max) {
      throw new AnswerTooLarge()
    }

    for await (const chunk of this.#response as AsyncIterable<Buffer>) {
      this.received += chunk.byteLength
      this.#onChunk()
      chunks.push(chunk)

      if (isError && this.received > MAX_ERROR_SIZE) {
        return Buffer.concat(chunks)
      }

      if (this.received > this.#max) {
        throw new AnswerTooLarge()
      }
    }

    if (!this.#response.complete) {
      throw new Error('it is not complete')
    }

    // a copy, as a small chunk is a part of a large buffer that it would keep alive
    return Buffer.concat(chunks)
  }
}
