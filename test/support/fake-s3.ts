import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { listen } from './listen.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request as the store got it. */
export interface Seen {
  method: string
  /** Without the bucket, decoded. */
  key: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Buffer
}

/** Answers a request in place of the store. */
export type Fault = (response: ServerResponse, seen: Seen, answer: () => void) => void

/** An S3 server with its objects in memory, that fails as a test wants. It accepts any signature. */
export interface FakeS3 {
  origin: string
  objects: Map<string, Buffer>
  /** The names of buckets. */
  buckets: Set<string>
  seen: Seen[]
  /** Each answers one request, in turn. When none is left the store answers. */
  faults: Fault[]
  close: () => Promise<void>
}

export const BUCKET = 'bucket'
export const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }

/** @param tls - serve over HTTPS */
export async function fakeS3 (tls?: { key: string, cert: string }): Promise<FakeS3> {
  const fake: FakeS3 = {
    origin: '',
    objects: new Map(),
    buckets: new Set([BUCKET]),
    seen: [],
    faults: [],
    close: async () => {}
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const onBody = (body: Buffer): void => {
      const url = new URL(request.url ?? '', 'http://fake')
      const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? []
      const seen: Seen = { method: request.method ?? '', key, query: url.searchParams, headers: request.headers, body }
      const answer = (): void => { answerAs(fake, bucket, seen, response) }
      const fault = fake.faults.shift()

      fake.seen.push(seen)

      if (fault == null) {
        answer()
      } else {
        fault(response, seen, answer)
      }
    }

    // a client that goes away is none of the store's errors
    buffer(request).then(onBody, () => {})
  }
  const server = tls == null ? createServer(onRequest) : createTlsServer(tls, onRequest)
  const { port, close } = await listen(server)

  return Object.assign(fake, { origin: tls == null ? `http://127.0.0.1:${port}` : `https://localhost:${port}`, close })
}

/** Answers with an error of S3. */
export function refuse (status: number, code: string, headers: Record<string, string> = {}, more = ''): Fault {
  return response => {
    response.writeHead(status, headers)
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>because</Message>${more}</Error>`)
  }
}

/** Closes the connection. */
export const hangUp: Fault = response => { response.destroy() }

/** Never answers. */
export const ignore: Fault = () => {}

function answerAs (
  { objects, buckets }: FakeS3,
  bucket: string,
  { method, key, query, headers, body }: Seen,
  response: ServerResponse
): void {
  const error = (status: number, code: string): void => {
    refuse(status, code)(response, {} as Seen, () => {})
  }
  const found = objects.get(key)

  if (key === '' && method === 'PUT') {
    buckets.add(bucket)
    response.end()
  } else if (!buckets.has(bucket)) {
    error(404, 'NoSuchBucket')
  } else if (query.has('delete')) {
    for (const [, key] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) {
      objects.delete(key.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
    }

    response.end('<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>')
  } else if (key === '') {
    response.end(listingOf(objects, query))
  } else if (method === 'PUT') {
    objects.set(key, body)
    response.setHeader('etag', `"${createHash('md5').update(body).digest('hex')}"`).end()
  } else if (found == null) {
    error(404, 'NoSuchKey')
  } else {
    sendObject(response, found, headers.range)
  }
}

function sendObject (response: ServerResponse, bytes: Buffer, range: string | undefined): void {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  response.setHeader('last-modified', 'Mon, 23 Nov 2026 08:00:00 GMT')
  response.setHeader('etag', `"${createHash('md5').update(bytes).digest('hex')}"`)

  if (first == null) {
    response.setHeader('content-length', bytes.byteLength).end(bytes)
  } else if (Number(first) >= bytes.byteLength) {
    refuse(416, 'InvalidRange')(response, {} as Seen, () => {})
  } else {
    const part = bytes.subarray(Number(first), last === '' ? undefined : Number(last) + 1)
    response.writeHead(206, {
      'content-length': part.byteLength,
      'content-range': `bytes ${first}-${Number(first) + part.byteLength - 1}/${bytes.byteLength}`
    }).end(part)
  }
}

function listingOf (objects: Map<string, Buffer>, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('start-after')
  const max = Number(query.get('max-keys'))
  const keys = [...objects.keys()]
    .filter(key => key.startsWith(prefix) && (after == null || compare(key, after) > 0))
    .toSorted(compare)
  const contents = keys.slice(0, max).map(key => `<Contents><Key>${encodeURIComponent(key)}</Key>` +
    `<LastModified>2026-11-23T08:00:00.000Z</LastModified><Size>${objects.get(key)?.byteLength}</Size></Contents>`)

  return '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
    `<EncodingType>url</EncodingType><IsTruncated>${keys.length > max}</IsTruncated>${contents.join('')}` +
    '</ListBucketResult>'
}

function compare (a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
