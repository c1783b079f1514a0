import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { MAX_ERROR_SIZE, MAX_KEYS, MAX_LISTING_SIZE } from './constants.ts'
import { compareKeys } from './keys.ts'
import { AnswerError } from './request/attempt.ts'
import { TransportFailure, WrongChecksum } from './request/transport.ts'
import { parseDeleted, writeDelete } from './xml/delete.ts'
import { parseError } from './xml/error.ts'
import { parseListing } from './xml/listing.ts'
import type { DeleteOptions, ObjectInfo } from './contract.ts'
import type { S3Request } from './request/attempt.ts'
import type { Answer } from './request/transport.ts'
import type { Listing } from './xml/listing.ts'

type Signal = AbortSignal | null | undefined

interface GetOptions {
  offset: number
  /** At least 1. */
  length: number | undefined
  maxBytes: number
  signal: Signal
}

/** Read an object, or a part of it. */
export function get (key: string, { offset, length, maxBytes, signal }: GetOptions): S3Request<Uint8Array> {
  const end = length == null ? undefined : offset + length
  const isWhole = offset === 0 && end == null

  return {
    operation: 'get',
    method: 'GET',
    key,
    headers: isWhole
      ? { 'x-amz-checksum-mode': 'ENABLED' }
      : { range: `bytes=${offset}-${end == null ? '' : end - 1}` },
    maxBytes,
    read: answer => {
      checkLength(answer)

      if (answer.status === 206) {
        checkRange(answer, offset, end)

        return answer.body
      }

      checkChecksum(answer)

      // a server may ignore the range. A copy, as a small part would keep a whole pack in memory
      return isWhole ? answer.body : new Uint8Array(answer.body.subarray(offset, end))
    },
    signal
  }
}

export function put (key: string, body: Uint8Array, signal: Signal): S3Request<void> {
  return {
    operation: 'put',
    method: 'PUT',
    key,
    // stores that know checksums keep it, and send it with the object
    headers: { 'x-amz-checksum-crc32': crc32Of(body) },
    body,
    maxBytes: MAX_ERROR_SIZE,
    read: ({ status, headers, body: answered }) => {
      const stored = headers['x-amz-checksum-crc32']

      if (isError(answered)) {
        const { code, message } = parseError(status, answered)
        throw new AnswerError(code, message)
      }

      if (typeof stored === 'string' && stored !== crc32Of(body)) {
        throw new WrongChecksum('response', false, 'the store has stored other bytes')
      }
    },
    signal
  }
}

/** Whether a body is an error: a store may send one after a success status. */
function isError (body: Uint8Array): boolean {
  return /^(?:<\?xml[^>]*\?>)?\s*<Error[ >]/.test(Buffer.from(body).toString())
}

export function head (key: string, signal: Signal): S3Request<Omit<ObjectInfo, 'key'>> {
  return {
    operation: 'head',
    method: 'HEAD',
    key,
    maxBytes: 0,
    read: ({ headers }) => {
      const size = Number(headers['content-length'])
      const modified = new Date(headers['last-modified'] ?? '')

      if (headers['content-length'] == null || !Number.isSafeInteger(size) || Number.isNaN(modified.getTime())) {
        throw new Error('it has no Content-Length or no Last-Modified')
      }

      return { size, modified, etag: headers.etag }
    },
    signal
  }
}

/** @param keys - 1,000 at most */
export function deleteMany (keys: readonly string[], { signal, validity }: DeleteOptions): S3Request<void> {
  const body = writeDelete(keys)

  return {
    operation: 'delete',
    method: 'POST',
    query: { delete: '' },
    headers: { 'content-type': 'application/xml', 'content-md5': createHash('md5').update(body).digest('base64') },
    body,
    maxBytes: MAX_LISTING_SIZE,
    read: ({ body }) => {
      const [first, ...others] = parseDeleted(body)

      if (first != null) {
        throw new AnswerError(first.code, `${first.key} was not deleted${
          others.length === 0 ? '' : `, nor ${others.length} others`}: ${first.message}`)
      }
    },
    signal,
    validity
  }
}

/**
 * A page of objects. Each page names the key that it begins behind, so that no page depends on another, which other
 * endpoint may have answered.
 */
export function list (prefix: string, after: string | undefined, signal: Signal): S3Request<Listing> {
  return {
    operation: 'list',
    method: 'GET',
    query: {
      'encoding-type': 'url',
      'list-type': '2',
      'max-keys': String(MAX_KEYS),
      prefix,
      ...after == null ? {} : { 'start-after': after }
    },
    maxBytes: MAX_LISTING_SIZE,
    read: ({ body }) => checkListing(parseListing(body), prefix, after),
    signal
  }
}

/** Ask whether the bucket is there. Unlike that to HEAD, the answer says so. */
export function checkBucket (signal: Signal): S3Request<void> {
  return {
    operation: 'list',
    method: 'GET',
    query: { 'list-type': '2', 'max-keys': '1' },
    maxBytes: MAX_ERROR_SIZE,
    read: ({ body }) => { parseListing(body) },
    signal
  }
}

export function createBucket (signal: Signal): S3Request<void> {
  return { operation: 'create', method: 'PUT', maxBytes: MAX_ERROR_SIZE, read: () => {}, signal }
}

/** Without an announced end, an answer that was cut short looks complete. */
function checkLength ({ headers, body }: Answer): void {
  const length = headers['content-length']

  if (length == null ? headers['transfer-encoding'] == null : Number(length) !== body.byteLength) {
    throw new TransportFailure('body', false, `the response has ${body.byteLength} bytes, but its Content-Length is ${
      length ?? 'nothing'}`)
  }
}

function checkRange ({ headers, body }: Answer, offset: number, end: number | undefined): void {
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  const expected = Math.min(end ?? Number(size), Number(size))

  if (Number(first) !== offset || Number(last) !== offset + body.byteLength - 1 || Number(last) + 1 !== expected) {
    throw new Error('it is a different part of the object than requested')
  }
}

/** Compare an object with the checksum that it was put with. Stores that know no checksums send none. */
function checkChecksum ({ headers, body }: Answer): void {
  const expected = headers['x-amz-checksum-crc32']

  // those of objects that were put in parts are of another kind
  if (typeof expected === 'string' && !expected.includes('-') && expected !== crc32Of(body)) {
    throw new WrongChecksum('body', false, 'the response does not match the checksum that the store sends')
  }
}

/** As S3 writes it: base64 of four bytes, the highest first. */
function crc32Of (bytes: Uint8Array): string {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(bytes))

  return checksum.toString('base64')
}

/** A listing that goes back, or leaves the prefix, would be read for ever, or touch what is not ours. */
function checkListing (listing: Listing, prefix: string, after: string | undefined): Listing {
  let last = after

  for (const { key } of listing.objects) {
    if (!key.startsWith(prefix) || (last != null && compareKeys(key, last) <= 0)) {
      throw new Error('its keys are not in ascending order, or do not begin with the prefix')
    }

    last = key
  }

  if (listing.truncated && listing.objects.length === 0) {
    throw new Error('it is empty, but claims that more follows')
  }

  return listing
}
