import { MAX_HEAD_SIZE } from './limits.ts'
import type { StreamChunks } from './stream-chunks.ts'

/** The head of a response, and the first bytes of its body. */
export interface ResponseHead {
  status: number
  headers: Headers
  rest: Uint8Array
}

/** Thrown when a peer answers with something else than HTTP. */
export class InvalidResponseError extends Error {
  static override readonly name = 'InvalidResponseError'
  override readonly name = 'InvalidResponseError'
}

const STATUS_LINE = /^HTTP\/1\.[01] ([2-5]\d\d)(?: [^\r\n]*)?$/
const FIELD = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*)$/
const CR = 13
const LF = 10

/**
 * Read the head of a response (RFC 9112, sections 2 to 5). The body follows as it is, up to the end of the stream: no
 * server answers a request of HTTP/1.0 in chunks (section 6.1).
 *
 * @throws {InvalidResponseError} it is no such response, or its head has more than 16 KiB
 * @throws {Error} the stream breaks off
 */
export async function readResponseHead (chunks: StreamChunks): Promise<ResponseHead> {
  let bytes = new Uint8Array(0)

  for (;;) {
    const chunk = await chunks.next()

    if (chunk == null) {
      throw new InvalidResponseError('ended its response before the body')
    }

    const from = Math.max(bytes.byteLength - 3, 0)
    bytes = join(bytes, chunk)
    const end = endOfHead(bytes, from)

    if ((end ?? bytes.byteLength) > MAX_HEAD_SIZE) {
      throw new InvalidResponseError(`sent a head of more than ${MAX_HEAD_SIZE} bytes`)
    }

    if (end != null) {
      return { ...parseHead(bytes.subarray(0, end)), rest: bytes.subarray(end) }
    }
  }
}

function parseHead (bytes: Uint8Array): Pick<ResponseHead, 'status' | 'headers'> {
  // header fields have bytes, which `Headers` takes as characters of Latin-1
  const [first, ...lines] = new TextDecoder('latin1').decode(bytes).split('\r\n').slice(0, -2)
  const status = STATUS_LINE.exec(first)?.[1]

  if (status == null) {
    throw new InvalidResponseError(`sent ${JSON.stringify(first.slice(0, 40))} instead of a response`)
  }

  const headers = new Headers()

  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? []

    if (name == null) {
      throw new InvalidResponseError(`sent the header ${JSON.stringify(line.slice(0, 40))}`)
    }

    try {
      headers.append(name, value)
    } catch (err) {
      throw new InvalidResponseError(`sent the header ${JSON.stringify(line.slice(0, 40))}`, { cause: err })
    }
  }

  if (headers.has('transfer-encoding')) {
    throw new InvalidResponseError('sent a body in chunks, which it was not asked for')
  }

  return { status: Number(status), headers }
}

/** Where the body begins, after the first empty line. */
function endOfHead (bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (at >= 3 && bytes[at - 1] === CR && bytes[at - 2] === LF && bytes[at - 3] === CR) {
      return at + 1
    }
  }

  return undefined
}

function join (a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(a.byteLength + b.byteLength)
  bytes.set(a)
  bytes.set(b, a.byteLength)

  return bytes
}
