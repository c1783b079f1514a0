import { NamedError } from '@ipfsz/utils/named-error'
import { concat } from '@ipfsz/utils/bytes'
import { MAX_HEAD_SIZE } from './limits.ts'
import type { StreamChunks } from './stream-chunks.ts'

/** The head of a response, and the first bytes of its body. */
export interface ResponseHead {
  status: number
  headers: Headers
  rest: Uint8Array
}

/** Thrown when a peer answers with something else than HTTP. */
export class InvalidResponseError extends NamedError {
  static override readonly name = 'InvalidResponseError'
}

const STATUS_LINE = /^HTTP\/1\.[01] ([2-5]\d\d)(?: [^\r\n]*)?$/
const FIELD = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*)$/
const END = '\r\n\r\n'

/**
 * Read the head of a response (RFC 9112, sections 2 to 5). The body follows as it is, up to the end of the stream: no
 * server answers a request of HTTP/1.0 in chunks (section 6.1).
 *
 * @throws {InvalidResponseError} it is no such response, or its head has more than 16 KiB
 * @throws {Error} the stream breaks off
 */
export async function readResponseHead (chunks: StreamChunks): Promise<ResponseHead> {
  let bytes: Uint8Array = new Uint8Array(0)

  for (;;) {
    const chunk = await chunks.next()

    if (chunk == null) {
      throw new InvalidResponseError('ended its response before the body')
    }

    bytes = concat([bytes, chunk])
    // header fields have bytes, which `Headers` takes as characters of Latin-1
    const text = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_HEAD_SIZE))
    const length = text.indexOf(END)

    if (length !== -1) {
      return { ...parseHead(text.slice(0, length)), rest: bytes.subarray(length + END.length) }
    }

    if (bytes.byteLength > MAX_HEAD_SIZE) {
      throw new InvalidResponseError(`sent headers that exceed the limit of ${MAX_HEAD_SIZE} bytes`)
    }
  }
}

function parseHead (text: string): Pick<ResponseHead, 'status' | 'headers'> {
  const [first, ...lines] = text.split('\r\n')
  const status = STATUS_LINE.exec(first)?.[1]

  if (status == null) {
    throw new InvalidResponseError(`sent ${JSON.stringify(first.slice(0, 40))} instead of a response`)
  }

  const headers = new Headers()

  for (const line of lines) {
    try {
      // what is no field has no name, which `append` refuses
      const [, name = '', value = ''] = FIELD.exec(line) ?? []
      headers.append(name, value)
    } catch (err) {
      throw new InvalidResponseError(`sent the header ${JSON.stringify(line.slice(0, 40))}`, { cause: err })
    }
  }

  if (headers.has('transfer-encoding')) {
    throw new InvalidResponseError('sent a chunked body, which was not requested')
  }

  return { status: Number(status), headers }
}
