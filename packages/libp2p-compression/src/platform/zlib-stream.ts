import { CorruptFrameError } from '@ipfsz/codecs'
import { messageOf } from '@ipfsz/utils/message-of'
import { concat } from 'uint8arrays/concat'
import type { Decoder, Encoder } from '../codecs/stream-codec.ts'
import type { Transform } from 'node:stream'

/** Smaller results are copied: each would keep zlib's whole buffer of 64 KiB in memory. */
const COPIED_SIZE = 4 * 1024

/** @param transform - a zlib stream that flushes after each write */
export function zlibEncoder (transform: Transform): Encoder {
  const stage = new ZlibStage(transform)

  return {
    encode: async bytes => stage.run(bytes, Infinity),
    close: () => { transform.destroy() }
  }
}

export function zlibDecoder (codec: string, transform: Transform): Decoder {
  const stage = new ZlibStage(transform)

  return {
    decode: async (bytes, size) => {
      let pieces: Uint8Array[]

      try {
        pieces = await stage.run(bytes, size)
      } catch (err) {
        throw new CorruptFrameError(codec, messageOf(err), { cause: err })
      }

      if (stage.size !== size) {
        throw new CorruptFrameError(codec, `it decodes to ${stage.size} bytes instead of ${size}`)
      }

      return pieces
    },
    close: () => { transform.destroy() }
  }
}

/**
 * Runs a node:zlib stream as a function from bytes to bytes, on the thread pool: Node has no
 * public way to run it on this thread. A call takes about 10 microseconds more than the work.
 */
class ZlibStage {
  readonly #transform: Transform
  #pieces: Uint8Array[] = []
  #max = 0
  #size = 0
  #failed?: Error
  #settle: (err?: Error) => void = () => {}

  constructor (transform: Transform) {
    this.#transform = transform

    transform.on('data', (chunk: Uint8Array) => { this.#take(chunk) })
    transform.on('error', err => { this.#fail(err) })
    // the compressed stream is endless, so an end marker in it is an error
    transform.on('end', () => { this.#fail(new Error('it ends')) })
    transform.on('close', () => { this.#fail(new Error('it was closed')) })
  }

  /** Output bytes of the last call. */
  get size (): number {
    return this.#size
  }

  async run (bytes: Uint8Array, max: number): Promise<Uint8Array[]> {
    this.#pieces = []
    this.#size = 0
    this.#max = max

    await new Promise<void>((resolve, reject) => {
      this.#settle = err => {
        if (err == null) {
          resolve()
        } else {
          reject(err)
        }
      }

      if (this.#failed != null) {
        reject(this.#failed)
        return
      }

      this.#transform.write(bytes, () => {
        // read() emits buffered output as 'data' events
        while (this.#transform.read() != null) {
          // #take has received it
        }

        resolve()
      })
    })

    if (this.#failed != null) {
      throw this.#failed
    }

    const pieces = this.#pieces
    this.#pieces = []

    return this.#size <= COPIED_SIZE ? [concat(pieces, this.#size)] : pieces
  }

  #take ({ buffer, byteOffset, byteLength }: Uint8Array): void {
    this.#size += byteLength
    // not a Buffer, whose slice() shares memory
    this.#pieces.push(new Uint8Array(buffer, byteOffset, byteLength))

    if (this.#size > this.#max) {
      this.#fail(new Error(`it decodes to more than ${this.#max} bytes`))
      this.#transform.destroy()
    }
  }

  #fail (err: Error): void {
    this.#failed ??= err
    this.#pieces = []
    this.#settle(this.#failed)
  }
}
