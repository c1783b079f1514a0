/** @module-tag long */
import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { inspect } from 'node:util'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { TLS } from '../../../test/support/certificate.ts'
import { S3Objects } from '../src/index.ts'
import { listen } from '../../../test/support/listen.ts'
import { BUCKET, CREDENTIALS, fakeS3, hangUp, ignore, refuse } from '../../../test/support/fake-s3.ts'
import type { ObjectInfo, S3ObjectsInit, S3RequestEvent } from '../src/index.ts'
import type { FakeS3, Fault } from '../../../test/support/fake-s3.ts'

let s3: FakeS3
let other: FakeS3
let events: S3RequestEvent[]
const open: S3Objects[] = []

beforeEach(async () => {
  s3 = await fakeS3()
  other = await fakeS3()
  events = []
})

afterEach(async () => {
  open.splice(0).forEach(objects => { objects.close() })
  await Promise.all([s3.close(), other.close()])
})

function connect (init: Partial<S3ObjectsInit> = {}): S3Objects {
  const objects = new S3Objects({
    bucket: BUCKET,
    endpoints: [s3.origin],
    credentials: CREDENTIALS,
    onRequest: event => { events.push(event) },
    ...init
  })
  open.push(objects)

  return objects
}

const BYTES = Buffer.from('some bytes')

function put (key = 'key'): void {
  s3.objects.set(key, BYTES)
}

function checksumOf (bytes: Uint8Array): string {
  return Buffer.from(crc32(bytes).toString(16).padStart(8, '0'), 'hex').toString('base64')
}

async function list (prefix?: string, after?: string): Promise<ObjectInfo[][]> {
  return Array.fromAsync(connect({ prefix }).list('', { after }))
}

function listed (key: string): string {
  return `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`
}

/** A page of a listing. */
function page (keys: string[], truncated: boolean): Fault {
  const contents = keys.map(key =>
    `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`)

  return response => {
    response.end(`<ListBucketResult><IsTruncated>${truncated}</IsTruncated>${contents.join('')}</ListBucketResult>`)
  }
}

/** An answer to GET with these headers, and as many of the bytes. */
function answer (bytes: Uint8Array, headers: Record<string, string>, end = true): Fault {
  return response => {
    response.writeHead(200, headers).write(bytes, () => {
      if (end) {
        response.end()
      } else {
        response.destroy()
      }
    })
  }
}

it.each([undefined, TLS])('breaks a connection that it gives up, so that nothing of it arrives later', async tls => {
  const silent = await fakeS3(tls)
  onTestFinished(silent.close)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, TLS.cert])
  onTestFinished(() => { setDefaultCACertificates(before) })
  const ended = Promise.withResolvers<unknown>()
  silent.faults.push(({ socket }) => { socket?.once('error', ended.resolve).once('end', ended.resolve) })
  const objects = connect({ endpoints: [silent.origin], attempts: 1, responseTimeout: 50 })

  await expect(objects.delete(['key'])).rejects.toMatchObject({ name: 'S3NetworkError', phase: 'response' })
  expect(await ended.promise).toMatchObject({ code: 'ECONNRESET' })
})

/** Sends these bytes on the connection, and then others again and again. */
function trickle (head: string, bytes: string, milliseconds: number): Fault {
  return ({ socket }) => {
    const timer = setInterval(() => { socket?.write(bytes) }, milliseconds)
    socket?.on('close', () => { clearInterval(timer) }).on('error', () => {}).write(head)
  }
}

const TRICKLES: ReadonlyArray<[string, Fault, Partial<S3ObjectsInit>]> = [
  ['a header without end', trickle('HTTP/1.1 200 OK\r\nx: ', 'x', 20), {}],
  ['headers without end', trickle('HTTP/1.1 200 OK\r\n', `x: ${'x'.repeat(1000)}\r\n`, 1), {}],
  ['informational responses without end', trickle('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 5), {}],
  ['an error, byte by byte', trickle('HTTP/1.1 503 Slow\r\ncontent-length: 1000\r\n\r\n', 'x', 20), {}],
  // enough for the limit of each interval
  ['a slow error', trickle('HTTP/1.1 503 Slow\r\ncontent-length: 60000\r\n\r\n', 'x'.repeat(500), 100),
    { progressTimeout: 1000 }]
]
const OPERATIONS: ReadonlyArray<[string, (objects: S3Objects) => Promise<unknown>]> = [
  ['get', async objects => objects.get('key')],
  ['put', async objects => objects.put('key', BYTES)],
  ['stat', async objects => objects.stat('key')],
  ['list', async objects => Array.fromAsync(objects.list(''))],
  ['delete of one', async objects => objects.delete(['key'])],
  ['delete of two', async objects => objects.delete(['key', 'other'])]
]

it.concurrent.each(OPERATIONS.flatMap(([name, run]) =>
  TRICKLES.map(([kind, fault, init]) => ({ name, run, kind, fault, init }))
))('ends a $name within its total time if the store sends $kind', async ({ name, run, kind, fault, init }) => {
  const hostile = await fakeS3()
  const objects = new S3Objects({
    bucket: BUCKET,
    endpoints: [hostile.origin],
    credentials: CREDENTIALS,
    responseTimeout: 200,
    progressTimeout: 200,
    totalTimeout: 300,
    ...init
  })
  hostile.faults.shift = () => fault
  const error: unknown = await run(objects).catch((err: unknown) => err)
  objects.close()
  await hostile.close()

  // an answer to HEAD ends with its headers, and endless headers are refused at once
  if (!(name === 'stat' && kind.includes('error')) && kind !== 'headers without end') {
    expect(hostile.seen.length).toBeLessThan(4)
  }

  expect(error).toMatchObject({ name: expect.stringMatching(/^S3(?:Network|Response)Error$/) as string })
})

it('waits for a store that begins to answer a deletion, and then deletes', async () => {
  put()
  s3.faults.push((response, _, answer) => {
    response.write('<?xml version="1.0" encoding="UTF-8"?>')
    setTimeout(answer, 300)
  })

  await connect({ progressTimeout: 50, attempts: 1 }).delete(['key'])
  expect([...s3.objects.keys()]).toEqual([])
})

it.each<[string, Fault]>([
  ['a header without end', trickle('HTTP/1.1 200 OK\r\nx: ', 'x', 5)],
  ['informational responses without end', trickle('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 5)],
  ['a body byte by byte', trickle('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', 'x', 5)],
  ['a body without a byte', trickle('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', '', 1000)],
  ['trailers without end', trickle('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: ', 'x', 5)]
])('ends a request whose store sends %s as soon as it stalls a second time', async (_, fault) => {
  s3.faults.shift = () => fault
  const begin = performance.now()

  await expect(connect({ progressTimeout: 100 }).get('key')).rejects.toMatchObject({ name: 'S3NetworkError' })
  expect(s3.seen).toHaveLength(2)
  // far from the time of the request, and of the answer
  expect(performance.now() - begin).toBeLessThan(20_000)
})

it('asks other endpoints however many of them stalled', async () => {
  put()
  other.objects.set('key', BYTES)
  const dead = await Promise.all([fakeS3(), fakeS3()])
  dead.forEach(({ faults }) => { faults.shift = () => ignore })
  const objects = connect({ endpoints: [...dead.map(({ origin }) => origin), s3.origin], responseTimeout: 1000 })

  expect(await objects.get('key')).toEqual(BYTES)
  await Promise.all(dead.map(async ({ close }) => close()))
})

it('sends a large body for as long as the store takes bytes of it', async () => {
  const bytes = Buffer.alloc(16 * 1024 * 1024, 'a')
  let taken = 0
  const slow = createServer(socket => {
    socket.on('data', ({ byteLength }) => {
      taken += byteLength

      if (taken > bytes.byteLength) {
        socket.end('HTTP/1.1 200 OK\r\netag: "a"\r\ncontent-length: 0\r\n\r\n')
      } else if (taken < bytes.byteLength / 2) {
        // what the system holds for it is fewer bytes than are left
        socket.pause()
        vi.advanceTimersByTime(20)
        setImmediate(() => { socket.resume() })
      }
    })
  })
  const { port, close } = await listen(slow)
  onTestFinished(close)
  // a busy machine may stop both sides for seconds
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => { vi.useRealTimers() })
  const begin = performance.now()
  await connect({ endpoints: [`http://127.0.0.1:${port}`], responseTimeout: 1000, attempts: 1 }).put('key', bytes)

  // otherwise nothing is proven
  expect(performance.now() - begin).toBeGreaterThan(2000)
})

it('gives a request that transfers much more time', async () => {
  const bytes = Buffer.alloc(100_000)
  // cut off when the time without bytes is over
  s3.faults.push(response => {
    response.writeHead(200, { 'content-length': 100_000 }).write(bytes.subarray(1))
    setTimeout(() => { response.destroy() }, 250)
  })
  put()

  expect(await connect({ totalTimeout: 100, progressTimeout: 100 }).get('key')).toEqual(BYTES)
})

it.each<[string, Partial<S3ObjectsInit>, Fault | undefined]>([
  ['that is not answered', {}, ignore],
  ['that waits to be sent again', {}, refuse(503, 'SlowDown', { 'retry-after': '20' })],
  ['that waits for credentials', { credentials: async () => new Promise(() => {}) }, undefined]
])('ends a request %s with the signal of all that begin', async (_, init, fault) => {
  const stopped = new AbortController()
  s3.faults.push(...fault == null ? [] : [fault])
  const getting = connect({ ...init, signal: () => stopped.signal }).get('key')
  const ended = expect(getting).rejects.toMatchObject({ name: 'AbortError' })
  await expect.poll(() => s3.seen.length).toBe(fault == null ? 0 : 1)
  stopped.abort()

  await ended
})

it('says in a delete until when it is good, by the clock of the endpoint that gets it', async () => {
  const dates = ['Mon, 23 Nov 2026 08:00:00 GMT', 'Tue, 24 Nov 2026 09:00:00 GMT']
  const validities = await Promise.all([s3, other].map(async ({ origin, faults, seen }, i) => {
    const objects = connect({ endpoints: [origin], attempts: 1 })
    faults.push((response, _, answer) => {
      response.setHeader('date', dates[i])
      answer()
    })
    await objects.put('key', BYTES)
    const validity = objects.validFor(15_000)
    // what it learns later makes nothing good for longer
    faults.push((response, _, answer) => {
      response.setHeader('date', 'Wed, 25 Nov 2026 10:00:00 GMT')
      answer()
    })
    await objects.put('key', BYTES)
    await connect({ endpoints: [origin], attempts: 1 }).delete(['key'], { validity })

    return Object.fromEntries(seen[2].query)
  }))

  expect(validities.map(query => [query['X-Amz-Date'].slice(0, 13), query['X-Amz-Expires']])).toEqual([
    ['20261123T0800', '16'], ['20261124T0900', '16']
  ])
  expect(validities[0]).toMatchObject({
    delete: '',
    'X-Amz-SignedHeaders': expect.stringContaining('content-md5') as string,
    'X-Amz-Signature': expect.stringMatching(/^[\da-f]{64}$/) as string
  })
  expect(s3.seen[2].headers.authorization).toBeUndefined()
  expect(s3.objects.size).toBe(0)
})

it('sends the next request elsewhere if one that is sent once was answered with an error of the server', async () => {
  const once = connect({ endpoints: [s3.origin, other.origin], attempts: 1 })
  s3.faults.push(refuse(503, 'SlowDown'))

  await expect(once.put('a', BYTES)).rejects.toMatchObject({ status: 503 })
  await once.put('b', BYTES)
  expect([s3.seen.length, other.seen.length]).toEqual([1, 1])
})

it('tells whenever something of an answer has arrived, whatever its status', async () => {
  put()
  const statuses: number[] = []
  const onReceived = (status: number): void => {
    statuses.push(status)
    throw new Error('of metrics')
  }
  const objects = connect({ onReceived })
  s3.faults.push(refuse(503, 'SlowDown'))

  expect(await objects.get('key')).toEqual(BYTES)
  // headers and body of each
  expect(statuses).toEqual([503, 503, 200, 200])
})

it.each([429, 500, 502, 503, 504])('sends a request again that was answered with %d', async status => {
  put()
  s3.faults.push(refuse(status, 'Whatever'))

  expect(await connect().get('key')).toEqual(BYTES)
  expect(events).toMatchObject([{ status, attempt: 1 }, { status: 200, attempt: 2, received: BYTES.byteLength }])
})

it.each([['SlowDown', 503], ['RequestTimeout', 400]])('sends a request again after %s', async (code, status) => {
  s3.faults.push(refuse(status, code))
  await connect().put('key', BYTES)

  expect(s3.objects.get('key')).toEqual(BYTES)
})

it.each([[400, 'InvalidArgument'], [403, 'AccessDenied'], [404, 'NoSuchBucket'], [405, 'MethodNotAllowed']])(
  'refuses at once what was answered with %d',
  async (status, code) => {
    s3.faults.push(refuse(status, code))

    await expect(connect().get('key')).rejects.toMatchObject({
      name: 'S3ResponseError', from: 'store', status, code, subject: { bucket: BUCKET, key: 'key', attempts: 1 }
    })
    expect(s3.seen).toHaveLength(1)
  }
)

it('refuses after its attempts, and says how many there were', async () => {
  s3.faults.push(...Array.from({ length: 3 }, () => refuse(503, 'SlowDown')))

  await expect(connect({ attempts: 3 }).put('key', BYTES)).rejects.toMatchObject({
    name: 'S3ResponseError', status: 503, code: 'SlowDown', subject: { attempts: 3, endpoint: s3.origin }
  })
})

it('finds out that the bucket is missing, which the answer to HEAD does not say', async () => {
  s3.buckets.clear()

  await expect(connect().stat('key')).rejects.toMatchObject({ name: 'S3ResponseError', code: 'NoSuchBucket' })
})

it('asks for the bucket once, however many objects are missing', async () => {
  const objects = connect()

  expect(await objects.stat('one')).toBeUndefined()
  expect(await objects.stat('two')).toBeUndefined()
  expect(s3.seen.map(({ method }) => method)).toEqual(['HEAD', 'GET', 'HEAD'])
})

it('does not take 403 for a missing object', async () => {
  s3.faults.push(response => { response.writeHead(403).end() })

  await expect(connect().stat('key')).rejects.toMatchObject({ name: 'S3ResponseError', status: 403, code: 'Forbidden' })
})

it('reads an answer again that was cut short', async () => {
  put()
  s3.faults.push(answer(BYTES.subarray(0, 4), { 'content-length': String(BYTES.byteLength) }, false))

  expect(await connect().get('key')).toEqual(BYTES)
  expect(events).toMatchObject([{ error: 'S3NetworkError' }, { status: 200 }])
})

it('reads an answer again whose end nobody announced', async () => {
  put()
  s3.faults.push(response => {
    response.socket?.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nsome')
  })

  expect(await connect().get('key')).toEqual(BYTES)
})

it('reads an answer again that does not have the checksum of the store', async () => {
  const headers = { 'x-amz-checksum-crc32': checksumOf(BYTES) }
  s3.faults.push(answer(Buffer.from('same bytes'), headers), answer(BYTES, headers))

  expect(await connect().get('key')).toEqual(BYTES)
  expect(s3.seen).toHaveLength(2)
})

it('says that an object is damaged in the store if no answer has its checksum', async () => {
  const damaged = answer(Buffer.from('same bytes'), { 'x-amz-checksum-crc32': checksumOf(BYTES) })
  s3.faults.push(damaged, damaged)

  await expect(connect({ attempts: 2 }).get('key')).rejects.toMatchObject({
    name: 'S3DamagedObjectError',
    from: 'store',
    code: 'EBADMSG',
    message: `Could not get s3://${BUCKET}/key: the object is damaged: its bytes do not match the checksum that the ` +
      `store at ${s3.origin} sends (2 attempts)`
  })
})

it('signs the body, and names its checksum', async () => {
  await connect().put('key', BYTES)

  expect(s3.seen[0].headers).toMatchObject({
    'content-length': String(BYTES.byteLength),
    'x-amz-content-sha256': createHash('sha256').update(BYTES).digest('hex'),
    'x-amz-checksum-crc32': checksumOf(BYTES)
  })
})

/** What a hotel's network answers to everything. */
const LOGIN_PAGE: Fault = response => {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8', etag: '"5f3e-61a2"', 'last-modified': new Date().toUTCString()
  }).end('<html>Log in</html>')
}

it('takes the login page of a network for what it is, whatever it answers to', async () => {
  const objects = connect({ attempts: 1 })
  const failure = { name: 'S3NetworkError', phase: 'response', message: expect.stringContaining(s3.origin) as string }

  for (const request of [
    async () => objects.get('key'),
    async () => objects.get('key', { offset: 1, length: 2 }),
    async () => objects.stat('key'),
    async () => objects.put('key', BYTES),
    async () => objects.delete(['key']),
    async () => Array.fromAsync(objects.list(''))
  ]) {
    s3.faults.push(LOGIN_PAGE)
    await expect(request()).rejects.toMatchObject(failure)
  }

  s3.faults.push(response => { response.writeHead(302, { 'content-type': 'text/html' }).end() })
  await expect(objects.get('key')).rejects.toMatchObject(failure)
})

it('asks another endpoint when a page answers in place of the store', async () => {
  s3.faults.push(LOGIN_PAGE)
  await connect({ endpoints: [s3.origin, other.origin] }).put('key', BYTES)

  expect(other.objects.get('key')).toEqual(BYTES)
})

it('refuses the acknowledgement of a put that does not name what was stored', async () => {
  s3.faults.push(response => { response.end('OK') })

  await expect(connect({ attempts: 1 }).put('key', BYTES)).rejects.toMatchObject({ name: 'S3NetworkError' })
})

it('reads a page that was stored as an object', async () => {
  s3.faults.push(answer(BYTES, { 'content-type': 'text/html', 'x-amz-request-id': '1' }))

  expect(await connect().get('key')).toEqual(BYTES)
})

it('refuses a range that is another one than was asked for', async () => {
  s3.faults.push(response => {
    response.writeHead(206, { 'content-range': 'bytes 0-3/10', 'content-length': '4' }).end('some')
  })

  await expect(connect().get('key', { offset: 5, length: 4 })).rejects.toMatchObject({ code: 'InvalidAnswer' })
})

it.each([
  // the whole object was asked for
  [undefined, 'bytes 0-3/10', 'some'],
  [{ offset: 2 }, 'bytes 2-4/10', 'me '],
  [{ offset: 2, length: 4 }, 'bytes 2-4/10', 'me '],
  [{ offset: 2, length: 4 }, 'bytes 2-5/*', 'me b'],
  [{ offset: 2, length: 4 }, 'bytes 2-6/10', 'me b']
])('refuses %o if the store sends %s', async (range, contentRange, body) => {
  put()
  s3.faults.push(response => {
    response.writeHead(206, { 'content-range': contentRange, 'content-length': body.length }).end(body)
  })

  await expect(connect().get('key', range)).rejects.toMatchObject({ name: 'S3ResponseError', code: 'InvalidAnswer' })
})

it.each<[string, Fault, object]>([
  ['has stored bytes with another checksum', response => {
    response.writeHead(200, { etag: `"${'a'.repeat(32)}"`, 'x-amz-checksum-crc32': 'AAAAAA==' }).end()
  }, { name: 'S3DamagedObjectError' }],
  ['answers 200 with an error', response => {
    response.writeHead(200, { etag: `"${'a'.repeat(32)}"` })
      .end('<?xml version="1.0"?>\n<Error><Code>QuotaExceeded</Code><Message>full</Message></Error>')
  }, { name: 'S3ResponseError', code: 'QuotaExceeded' }]
])('does not count a put whose store %s', async (_, fault, refused) => {
  s3.faults.push(fault)

  await expect(connect({ attempts: 1 }).put('key', BYTES)).rejects.toMatchObject(refused)
})

it.each([
  ['says nothing of more', '<KeyCount>0</KeyCount>'],
  ['says something else', '<IsTruncated>maybe</IsTruncated>'],
  ['counts more objects than it has', '<IsTruncated>false</IsTruncated><KeyCount>2</KeyCount>'],
  ['has a key of any length', `<IsTruncated>false</IsTruncated>${listed('k'.repeat(1025))}`],
  ['has more objects than were asked for', `<IsTruncated>false</IsTruncated>${listed('k').repeat(1001)}`]
])('refuses a listing that %s: a collection would miss pins', async (_, content) => {
  s3.faults.push(response => { response.end(`<ListBucketResult>${content}</ListBucketResult>`) })

  await expect(list()).rejects.toMatchObject({ name: 'S3ResponseError', code: 'InvalidAnswer' })
})

it.each([-3, 0, 3])('deletes nothing past its time by the clock of the store, %d hours from its own', async hours => {
  put()
  const storeTime = Date.parse('2026-11-24T09:00:00Z')
  let late = 0
  const objects = connect({ attempts: 2, now: () => storeTime + hours * 3_600_000 })
  s3.faults.shift = () => (response, { query }, answer) => {
    const [, year, month, day, hour, minute, second] =
      /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(query.get('X-Amz-Date') ?? '') ?? []
    const signed = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
    response.setHeader('date', new Date(storeTime + late).toUTCString())

    if (storeTime + late > signed + Number(query.get('X-Amz-Expires')) * 1000) {
      refuse(403, 'AccessDenied')(response, {} as never, answer)
    } else {
      answer()
    }
  }
  await objects.stat('key')
  const validity = objects.validFor(15_000)
  // the process stood still, or the network held the request back
  late = 17_000

  await expect(objects.delete(['key'], { validity })).rejects.toMatchObject({ name: 'S3ResponseError', status: 403 })
  expect(s3.objects.has('key')).toBe(true)
  await objects.delete(['key'], { validity: objects.validFor(15_000) })
  expect(s3.objects.has('key')).toBe(false)
})

it('reads ranges, whatever of them the object has', async () => {
  put()
  const objects = connect()
  const read = async (offset?: number, length?: number): Promise<string> =>
    Buffer.from(await objects.get('key', { offset, length })).toString()

  expect(await read(5)).toBe('bytes')
  expect(await read(0, 4)).toBe('some')
  expect(await read(5, 100)).toBe('bytes')
  expect(await read(10)).toBe('')
  expect(await read(3, 0)).toBe('')
  await expect(objects.get('none', { length: 0 })).rejects.toMatchObject({ name: 'NotFoundError' })
})

it('reads a range from a server that does not know ranges', async () => {
  s3.faults.push(answer(BYTES, {}))

  expect(Buffer.from(await connect().get('key', { offset: 5, length: 2 })).toString()).toBe('by')
})

it('keeps nothing else of an object in memory when the server does not know ranges', async () => {
  s3.faults.push(answer(Buffer.alloc(1024 * 1024), {}))
  const part = await connect().get('key', { offset: 5, length: 20_000 })

  expect([part.byteLength, part.buffer.byteLength]).toEqual([20_000, 20_000])
})

it('refuses an object that is too large, without reading it', async () => {
  s3.faults.push(answer(BYTES, { 'content-length': '1000000' }))

  await expect(connect({ maxObjectSize: 1000 }).get('key')).rejects.toMatchObject({
    name: 'S3ObjectTooLargeError', max: 1000
  })
})

it('refuses an object that grows too large', async () => {
  s3.faults.push(response => { response.write(Buffer.alloc(3000)) })

  await expect(connect({ maxObjectSize: 1000 }).get('key')).rejects.toMatchObject({ name: 'S3ObjectTooLargeError' })
})

it('goes on at the next endpoint when one hangs up, and leaves that one alone', async () => {
  other.objects.set('key', BYTES)
  s3.faults.push(hangUp)
  const objects = connect({ endpoints: [s3.origin, other.origin] })

  await objects.get('key')
  await objects.get('key')

  expect([s3.seen.length, other.seen.length]).toEqual([1, 2])
})

it('goes on at the next endpoint when nobody listens at one', async () => {
  await s3.close()
  const objects = connect({ endpoints: [s3.origin, other.origin] })
  await objects.put('key', BYTES)

  expect(other.objects.get('key')).toEqual(BYTES)
  expect(events).toMatchObject([{ endpoint: s3.origin, error: 'S3NetworkError' }, { endpoint: other.origin }])
})

it('goes on at the next endpoint when one does not answer in time', async () => {
  s3.faults.push(ignore)
  await connect({ endpoints: [s3.origin, other.origin], responseTimeout: 50 }).put('key', BYTES)

  expect(other.objects.has('key')).toBe(true)
})

it('asks the other endpoint after an error of the store', async () => {
  s3.faults.push(refuse(500, 'InternalError'))
  await connect({ endpoints: [s3.origin, other.origin] }).put('key', BYTES)

  expect(other.objects.has('key')).toBe(true)
})

it('refuses a body that trickles', async () => {
  s3.faults.push(response => {
    response.writeHead(200, { 'content-length': '1000' })
    const timer = setInterval(() => { response.write('.') }, 5)
    response.on('close', () => { clearInterval(timer) })
  })

  await expect(connect({ attempts: 1, progressTimeout: 50 }).get('key')).rejects.toMatchObject({
    name: 'S3NetworkError', from: 'network', phase: 'body'
  })
})

it('speaks TLS, and refuses a store whose certificate nobody vouches for', async () => {
  const secure = await fakeS3(TLS)
  const trusted = getCACertificates('default')
  onTestFinished(async () => {
    setDefaultCACertificates(trusted)
    await secure.close()
  })

  await expect(connect({ endpoints: [secure.origin], attempts: 1 }).put('key', BYTES)).rejects.toMatchObject({
    name: 'S3NetworkError', phase: 'connect', cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }
  })
  setDefaultCACertificates([...trusted, TLS.cert])
  const objects = connect({ endpoints: [secure.origin], attempts: 1 })
  await objects.put('key', BYTES)
  expect(await objects.get('key')).toEqual(BYTES)
})

it('says that an endpoint which is named as one of HTTPS does not use TLS', async () => {
  await expect(connect({ endpoints: [s3.origin.replace('http:', 'https:')], attempts: 1 }).get('key'))
    .rejects.toMatchObject({ name: 'S3NetworkError', message: expect.stringContaining('does not use TLS') })
})

it('says that it was the network when no endpoint can be reached', async () => {
  await Promise.all([s3.close(), other.close()])

  await expect(connect({ endpoints: [s3.origin, other.origin], attempts: 2 }).put('key', BYTES)).rejects.toMatchObject({
    name: 'S3NetworkError', from: 'network', phase: 'connect', cause: { code: 'ECONNREFUSED' }, subject: { attempts: 2 }
  })
})

it('sends a request only once with one attempt, though a kept connection may have carried it', async () => {
  const objects = connect({ attempts: 1 })
  await objects.put('key', BYTES)
  s3.faults.push(hangUp)

  await expect(objects.delete(['key'])).rejects.toMatchObject({ name: 'S3NetworkError' })
  expect(s3.seen.map(({ method }) => method)).toEqual(['PUT', 'POST'])
})

it('opens a new connection when the server has closed the one that was kept', async () => {
  const objects = connect({ attempts: 2 })
  await objects.put('one', BYTES)
  s3.faults.push(hangUp)
  await objects.put('two', BYTES)

  expect([...s3.objects.keys()]).toEqual(['one', 'two'])
  expect(events.at(-1)).toMatchObject({ attempt: 1 })
})

it('signs again with the clock of the store', async () => {
  const objects = connect({ now: () => Date.now() - 3_600_000 })
  s3.faults.push(refuse(403, 'RequestTimeTooSkewed', { date: new Date().toUTCString() }))
  await objects.put('one', BYTES)
  await objects.put('two', BYTES)

  const times = s3.seen.map(({ headers }) => String(headers['x-amz-date']).slice(0, 11))
  const now = new Date().toISOString().replaceAll('-', '').slice(0, 11)
  expect(times).toEqual([expect.not.stringMatching(now), now, now])
})

it('signs requests again that were under way while another one corrected the clock', async () => {
  const date = new Date().toUTCString()
  const refused = refuse(403, 'RequestTimeTooSkewed', { date })
  const waiting: Array<() => void> = []
  s3.faults.push(...Array.from({ length: 3 }, (): Fault => (...args) => {
    waiting.push(() => { refused(...args) })

    if (waiting.length === 3) {
      waiting.forEach(answer => { answer() })
    }
  }))
  const objects = connect({ now: () => 0 })
  await Promise.all(['one', 'two', 'three'].map(async key => objects.put(key, BYTES)))

  expect([s3.objects.size, s3.seen.length]).toEqual([3, 6])
})

it('signs again with the clock of the store though the answer to HEAD does not say why', async () => {
  s3.faults.push(response => { response.writeHead(403, { date: new Date().toUTCString() }).end() })
  put()

  expect(await connect({ now: () => 0 }).stat('key')).toMatchObject({ size: BYTES.byteLength })
})

it('refuses to go on when the store accepts no time', async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString()
  s3.faults.push(refuse(403, 'RequestTimeTooSkewed', { date }), refuse(403, 'RequestTimeTooSkewed', { date }))

  const skew = connect().put('key', BYTES)
  await expect(skew).rejects.toMatchObject({ name: 'S3ClockSkewError', from: 'store' })
  await expect(skew).rejects.toThrow(/3[56]\d\d s/)
})

it('refuses a listing that goes back, or never ends', async () => {
  for (const [keys, truncated] of [[['p/b', 'p/a'], false], [['q/a'], false], [[], true]] as const) {
    s3.faults.push(page([...keys], truncated))
    await expect(list('p')).rejects.toMatchObject({ name: 'S3ResponseError', code: 'InvalidAnswer' })
  }

  s3.faults.push(page(['p/a'], true), page(['p/a'], true))
  await expect(list('p')).rejects.toMatchObject({ code: 'InvalidAnswer' })
})

it.each([
  '<html>', '{}', '<Other/>', '<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>',
  `${'<a>'.repeat(100_000)}`,
  // of 8 MiB of them, a gigabyte of elements is made
  `<ListBucketResult><IsTruncated>false</IsTruncated>${'<x/>'.repeat(100_000)}</ListBucketResult>`
])('refuses what is no listing', async text => {
  s3.faults.push(response => { response.end(text) })

  await expect(list()).rejects.toMatchObject({ code: 'InvalidAnswer' })
})

it('lists in pages, ascending by bytes, from behind a key', async () => {
  const keys = Array.from({ length: 1500 }, (_, i) => `p/${String(i).padStart(4, '0')}`)
  const odd = ['p/\u{1F600}', 'p/\uFF5E', 'p/a b+c&<d>"é']
  keys.concat(odd).forEach(key => { put(key) })
  put('q/other')

  const pages = await list('p', '0009')
  expect(pages.map(page => page.length)).toEqual([1000, 493])
  expect(pages[0][0]).toEqual({ key: '0010', size: 10, modified: new Date('2026-11-23T08:00:00Z') })
  expect(pages[1].slice(-3).map(({ key }) => key)).toEqual(['a b+c&<d>"é', '\uFF5E', '\u{1F600}'])
})

it('deletes a thousand objects with a request, and says which one could not be deleted', async () => {
  const keys = Array.from({ length: 1001 }, (_, i) => `<${i}>`)
  keys.forEach(put)
  put('kept')
  await connect().delete(keys)

  expect([[...s3.objects.keys()], s3.seen.length]).toEqual([['kept'], 2])
  s3.faults.push(response => {
    response.end('<DeleteResult><Error><Key>a</Key><Code>NoSuchKey</Code></Error>' +
      '<Error><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>')
  })
  await expect(connect().delete(['a', 'b'])).rejects.toMatchObject({ name: 'S3ResponseError', code: 'AccessDenied' })
})

it.each(['', '/a', 'a//b', 'a/../b', './a', 'a\n', '\uD800', 'a'.repeat(1025)])('refuses the key %j', async key => {
  await expect(connect().put(key, BYTES)).rejects.toMatchObject({ name: 'S3KeyError' })
  expect(s3.seen).toHaveLength(0)
})

it('ends with the reason of the signal while it waits for an answer', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  s3.faults.push(() => { controller.abort(reason) })

  await expect(connect().get('key', { signal: controller.signal })).rejects.toBe(reason)
})

it('ends with the reason of the signal while it waits for another attempt', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  s3.faults.push(refuse(503, 'SlowDown', { 'retry-after': '20' }))
  const objects = connect({ onRequest: () => { setImmediate(() => { controller.abort(reason) }) } })

  await expect(objects.get('key', { signal: controller.signal })).rejects.toBe(reason)
})

it('tells nobody the credentials', async () => {
  const credentials = { ...CREDENTIALS, sessionToken: 'FQoGZXIvYXdzE' }
  const objects = connect({ credentials })
  const secrets = `<AWSAccessKeyId>${credentials.accessKeyId}</AWSAccessKeyId><StringToSign>${
    credentials.secretAccessKey}</StringToSign><Token>${credentials.sessionToken}</Token>`
  s3.faults.push(refuse(403, 'SignatureDoesNotMatch', {}, secrets), hangUp)
  const errors = [
    await objects.get('key').catch((err: unknown) => err),
    await connect({ credentials, attempts: 1 }).get('key').catch((err: unknown) => err)
  ]

  const said = inspect([objects, errors, events], { depth: 10, showHidden: true, getters: true })
  expect(said).toContain('SignatureDoesNotMatch')

  for (const secret of Object.values(credentials)) {
    expect(said).not.toContain(secret)
  }
})

it('keeps control characters of a store out of messages', async () => {
  s3.faults.push(refuse(400, 'Bad\u202E&#x9;\u009B[31m'))

  await expect(connect().get('key')).rejects.toMatchObject({ code: 'Bad [31m' })
})
