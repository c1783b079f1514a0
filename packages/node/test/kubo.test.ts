import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openKubo, openKuboSource } from '../src/kubo/kubo.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'

const { signal } = new AbortController()
const bytes = new TextEncoder().encode('some words, more than once. '.repeat(1000))

interface FakeKubo {
  server: Server
  port: number
  /** The requested paths, without their queries. */
  paths: string[]
  authorization: Array<string | undefined>
}

type Answers = Record<string, (...args: Parameters<RequestListener>) => unknown>

/** The part of Kubo's RPC API that adding uses. `answers` replace its own, by command, or `all` of them. */
async function fakeKubo (answers: Answers = {}): Promise<FakeKubo> {
  const kubo: FakeKubo = { server: createHttpServer(), port: 0, paths: [], authorization: [] }

  kubo.server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    kubo.paths.push(pathname)
    kubo.authorization.push(request.headers.authorization)

    const usual: Answers = {
      'block/stat': (_, response) => { json(response, { Key: searchParams.get('arg'), Size: 0 }) },
      'block/put': async (request, response) => {
        json(response, { Key: await keyOf(request, searchParams), Size: 0 })
      },
      'pin/add': (_, response) => { json(response, { Pins: [searchParams.get('arg')] }) }
    }
    const command = pathname.split('/').slice(-2).join('/')

    ;(answers[command] ?? answers.all ?? usual[command])(request, response)
  })
  kubo.port = await listenInTest(kubo.server)

  return kubo
}

function json (response: Parameters<RequestListener>[1], value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** The CID of the block that a form holds. */
async function keyOf (request: Parameters<RequestListener>[0], values: URLSearchParams): Promise<string> {
  const form = await new Response(await buffer(request), {
    headers: { 'content-type': String(request.headers['content-type']) }
  }).formData()
  const block = new Uint8Array(await (form.get('file') as File).arrayBuffer())

  return CID.createV1(values.get('cid-codec') === 'raw' ? 0x55 : 0x70, await sha256.digest(block)).toString()
}

/** Add as the command does. */
async function add (address: string): Promise<CID> {
  const { files, pins } = await openKubo(address, {}, signal)
  const cid = await files.addBytes(bytes)
  const [error] = await pins.addNew([{ cid, name: 'a name' }])

  if (error != null) {
    throw error
  }

  return cid
}

describe('openKubo', () => {
  it.each([
    ['http://127.0.0.1:PORT', '/api/v0'],
    ['http://127.0.0.1:PORT/', '/api/v0'],
    ['http://127.0.0.1:PORT/api/v0/', '/api/v0'],
    ['http://127.0.0.1:PORT/behind/a/proxy/api/v0', '/behind/a/proxy/api/v0'],
    ['/ip4/127.0.0.1/tcp/PORT', '/api/v0'],
    ['/ip4/127.0.0.1/tcp/PORT/http', '/api/v0'],
    ['/dns4/localhost/tcp/PORT/', '/api/v0']
  ])('sends requests for the address %s to %s', async (address, path) => {
    const kubo = await fakeKubo()
    await add(address.replace('PORT', String(kubo.port)))

    expect(new Set(kubo.paths))
      .toEqual(new Set(['block/stat', 'block/put', 'pin/add'].map(command => `${path}/${command}`)))
    expect(new Set(kubo.authorization)).toEqual(new Set([undefined]))
  })

  it('sends the credentials of an address in a header', async () => {
    const kubo = await fakeKubo()
    await add(`http://us%3Aer:p%40ss@127.0.0.1:${kubo.port}`)

    expect(new Set(kubo.authorization)).toEqual(new Set([`Basic ${btoa('us:er:p@ss')}`]))
  })

  it.each([
    '',
    '5001',
    '127.0.0.1:5001',
    'localhost:5001',
    'ftp://127.0.0.1:5001',
    'http://',
    'http://127.0.0.1:99999',
    'http://127.0.0.1:5001?a',
    'http://127.0.0.1:5001#a',
    'http://a:%zz@127.0.0.1:5001',
    '/ip4/127.0.0.1/udp/5001',
    '/ip4/127.0.0.1/tcp/5001/p2p/12D3'
  ])('refuses "%s"', async (address) => {
    await expect(openKubo(address, {}, signal)).rejects.toMatchObject({ name: 'UsageError' })
  })
})

async function makeRepo (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-'))
  onTestFinished(async () => rm(directory, { recursive: true }))

  return directory
}

describe('openKuboSource', () => {
  it('finds the address of a running Kubo in its repo', async () => {
    const [kubo, repo] = [await fakeKubo(), await makeRepo()]
    await writeFile(join(repo, 'api'), `/ip4/127.0.0.1/tcp/${kubo.port}\n`)

    await openKuboSource(repo, signal)
    expect(kubo.paths).toEqual(['/api/v0/block/stat'])
  })

  it('refuses a directory that no Kubo runs on', async () => {
    const repo = await makeRepo()
    await expect(openKuboSource(repo, signal)).rejects.toMatchObject({ name: 'UsageError' })

    await mkdir(join(repo, 'api'))
    await expect(openKuboSource(repo, signal)).rejects.toMatchObject({ name: 'UsageError' })
  })

  it.runIf(process.platform === 'linux').each<[string, (path: string) => unknown]>([
    ['a pipe', path => execFileSync('mkfifo', [path])],
    ['an endless device', async path => symlink('/dev/zero', path)],
    ['a directory', async path => mkdir(path)],
    ['a large file', async path => writeFile(path, Buffer.alloc(50_000_000, '/ip4/127.0.0.1/tcp/5001\n'))]
  ])('takes %s in a repo of Kubo for no address, and does not wait for it', async (_, make) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-kubo-'))
    onTestFinished(async () => rm(directory, { recursive: true }))
    await make(join(directory, 'api'))

    await expect(openKuboSource(directory, signal)).rejects.toMatchObject({ name: 'UsageError' })
  })

  it('names Kubo as the sender of wrong bytes', async () => {
    const kubo = await fakeKubo({ 'block/get': (_, response) => { response.end('other') } })
    const { blockstore } = await openKuboSource(`http://127.0.0.1:${kubo.port}`, signal)
    const cid = CID.createV1(0x55, await sha256.digest(bytes))

    await expect(Array.fromAsync(blockstore.get(cid) as AsyncIterable<Uint8Array>)).rejects
      .toMatchObject({ name: 'CorruptBlockError', cid, sender: 'Kubo' })
  })

  it('says that a Kubo is not running that was killed, and so left its address behind', async () => {
    const [kubo, repo] = [await fakeKubo(), await makeRepo()]
    await writeFile(join(repo, 'api'), `/ip4/127.0.0.1/tcp/${kubo.port}`)
    kubo.server.close()

    await expect(openKuboSource(repo, signal)).rejects.toMatchObject({ name: 'KuboUnreachableError' })
  })
})

describe('adding to Kubo', () => {
  it.each<[string, Answers, object]>([
    ['a web page', { all: (_, response) => { response.end('<html></html>') } }, { name: 'NotKuboError' }],
    ['an empty answer', { all: (_, response) => { response.end() } }, { name: 'NotKuboError' }],
    [
      'other JSON',
      { all: (_, response) => { json(response, { hello: 'world' }) } },
      { name: 'NotKuboError' }
    ],
    ['null', { all: (_, response) => { json(response, null) } }, { name: 'NotKuboError' }],
    ['status 404', { all: (_, response) => { json(response, {}, 404) } }, { name: 'NotKuboError' }],
    [
      'status 401',
      { all: (_, response) => { json(response, {}, 401) } },
      { name: 'KuboForbiddenError', status: 401 }
    ],
    [
      'status 403 for the pin',
      { 'pin/add': (_, response) => { json(response, {}, 403) } },
      { name: 'KuboForbiddenError', status: 403 }
    ],
    [
      'half an answer',
      {
        all: (_, response) => {
          response.writeHead(200, { 'content-length': 100 }).write('{'); setImmediate(() => response.destroy())
        }
      },
      { name: 'KuboUnreachableError' }
    ],
    ['a closed connection', { all: request => { request.socket.destroy() } }, { name: 'KuboUnreachableError' }],
    [
      'the CID of another block',
      {
        'block/put': (request, response) => {
          request.resume(); json(response, { Key: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' })
        }
      },
      { name: 'KuboCidMismatchError' }
    ],
    [
      'a key that is not a CID',
      { 'block/put': (request, response) => { request.resume(); json(response, { Key: 'nothing' }) } },
      { name: 'NotKuboError' }
    ],
    [
      'a key that would take minutes to decode',
      { 'block/put': (request, response) => { request.resume(); json(response, { Key: 'z'.repeat(1_000_000) }) } },
      { name: 'NotKuboError' }
    ],
    [
      'a pin of another CID',
      {
        'pin/add': (_, response) => {
          json(response, { Pins: ['bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'] })
        }
      },
      { name: 'KuboCidMismatchError' }
    ],
    [
      'an answer without the pin',
      { 'pin/add': (_, response) => { json(response, { Pins: [] }) } },
      { name: 'NotKuboError' }
    ],
    [
      'an error that Kubo reports',
      {
        'block/put': (request, response) => { request.resume(); json(response, { Message: 'the disk is full' }, 500) }
      },
      { name: 'KuboFailedError', message: expect.stringContaining('the disk is full') }
    ]
  ])('refuses %s', async (_, answers, error) => {
    const kubo = await fakeKubo(answers)

    await expect(add(`http://127.0.0.1:${kubo.port}`)).rejects.toMatchObject(error)
  })

  it('refuses an answer in another protocol', async () => {
    const port = await listenInTest(createServer(socket => { socket.end('SSH-2.0-OpenSSH_9.2\r\n') }))

    await expect(add(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ name: 'NotKuboError' })
  })

  it('refuses a server without TLS when the address begins with https', async () => {
    const kubo = await fakeKubo()

    await expect(add(`https://127.0.0.1:${kubo.port}`)).rejects.toMatchObject({ name: 'KuboUnreachableError' })
  })

  it.each([200, 500])('cuts off an endless answer with status %i', async (status) => {
    let sent = 0
    const kubo = await fakeKubo({
      all: (_, response) => {
        const chunk = Buffer.alloc(1024 * 1024, ' ')
        const send = (): void => {
          do {
            sent += chunk.byteLength
          } while (response.write(chunk))
        }

        response.writeHead(status, { 'content-type': 'application/json' })
        response.on('drain', send)
        send()
      }
    })

    await expect(add(`http://127.0.0.1:${kubo.port}`)).rejects.toMatchObject({ name: 'NotKuboError' })
    // includes what the system's buffers took
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  it('refuses a redirect, and sends nothing to its target', async () => {
    const other = await fakeKubo()
    const kubo = await fakeKubo({
      all: (request, response) => {
        request.resume(); response.writeHead(307, { location: `http://127.0.0.1:${other.port}${request.url}` }).end()
      }
    })

    await expect(add(`http://127.0.0.1:${kubo.port}`)).rejects.toMatchObject({ name: 'NotKuboError' })
    expect(other.paths).toEqual([])
  })
})

describe('an aborted add', () => {
  it('ends with an AbortError, although Kubo does not answer', async () => {
    const controller = new AbortController()
    const kubo = await fakeKubo({ 'block/put': () => { controller.abort() } })
    const { files } = await openKubo(`http://127.0.0.1:${kubo.port}`, {}, controller.signal)

    await expect(files.addBytes(bytes, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a connection to Kubo', () => {
  it('is replaced when it is closed on its second use', async () => {
    const used = new Map<Socket, number>()
    const kubo = await fakeKubo()
    kubo.server.prependListener('request', (request: Parameters<RequestListener>[0]) => {
      const times = (used.get(request.socket) ?? 0) + 1
      used.set(request.socket, times)

      if (times > 1) {
        request.socket.resetAndDestroy()
      }
    })

    await add(`http://127.0.0.1:${kubo.port}`)
    expect(used.size).toBeGreaterThan(2)
  })
})
