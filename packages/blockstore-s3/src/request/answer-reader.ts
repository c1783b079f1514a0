import { finished } from 'node:stream/promises'
import { freeBytes } from '@ipfsz/utils/free-bytes'
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

  /** The body, in memory of its own. Of an error, its beginning. */
  async read (): Promise<Buffer> {
    const { headers, statusCode = 0 } = this.#response
    const isError = statusCode < 200 || statusCode > 299
    const size = this.#method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0)

    if (!isError && size > this.#max) {
      throw new AnswerTooLarge()
    }

    const body = new Body(isError || !Number.isSafeInteger(size) ? 0 : Math.max(0, size))
    const limit = isError ? MAX_ERROR_SIZE : this.#max
    // an iterator would join what waits, which is one copy more
    this.#response.on('data', (chunk: Buffer) => {
      this.received += chunk.byteLength
      this.#onChunk()
      body.add(chunk)

      if (this.received > limit) {
        this.#response.destroy()
      }
    })

    try {
      await finished(this.#response)
    } catch (err) {
      if (this.received <= limit) {
        throw err
      }
    }

    if (!isError && this.received > limit) {
      throw new AnswerTooLarge()
    }

    if (this.received <= limit && !this.#response.complete) {
      throw new Error('it is not complete')
    }

    return body.bytes
  }
}

/** Bytes that arrive one after the other. */
class Body {
  readonly #expected: Buffer
  #end = 0
  /** What is more than expected. */
  readonly #others: Buffer[] = []

  /** @param size - that is expected */
  constructor (size: number) {
    this.#expected = Buffer.allocUnsafeSlow(size)
  }

  get bytes (): Buffer {
    return this.#others.length === 0 && this.#end === this.#expected.byteLength
      ? this.#expected
      : Buffer.concat([this.#expected.subarray(0, this.#end), ...this.#others])
  }

  add (chunk: Buffer): void {
    if (this.#others.length === 0 && this.#end + chunk.byteLength <= this.#expected.byteLength) {
      this.#end += chunk.copy(this.#expected, this.#end)
      // later: the parser that calls is not done with it
      process.nextTick(freeBytes, chunk)
    } else {
      this.#others.push(chunk)
    }
  }
}
