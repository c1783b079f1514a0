/** @module-tag nightly */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { noise, random, text } from '../support/data.ts'
import { addLoadKinds } from './load-kinds.ts'
import { it } from './run-cli.ts'
import type { LoadKind } from './load-kinds.ts'
import type { Process, Sandbox } from './run-cli.ts'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const CONNECTIONS = 256
const REQUESTS = 10_000
/** The memory after so many requests is compared with that after all of them. */
const WARM_UP = 2000
/** One request in so many is aborted, after at most this many milliseconds. */
const ABORTED = 5
const ABORTED_WITHIN = 8
/** How much more memory may be in use, in bytes: 400 for each request, and six times what varies. */
const GROWTH = 3 * 1024 * 1024

const MIB = 1024 * 1024

/** What the gateway promises to hold at most, in bytes: of all responses together, and of each. */
const HELD = 256 * MIB
const HELD_BY_EACH = 64 * 1024
/**
 * What it may take besides, in bytes: recently read blocks (64 MiB), what decoders and V8's heap take while they work
 * (32 MiB), and buffers that nobody holds any more, of which V8 leaves about half as many as are held.
 */
const NOT_HELD = (64 + 32 + 128) * MIB

/** What no repo holds. */
const NOBODYS = 'bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu'

interface Question {
  path: string
  method?: string
  headers?: Record<string, string>
}

interface Kind extends Question {
  status: number
  /** What the body decodes to, where it is known beforehand. */
  holds?: { bytes: Uint8Array, decode?: (body: Buffer) => Buffer }
}

interface Gateway {
  child: Process
  url: string
  metricsUrl: string
  /** Bytes in memory, after a garbage collection. */
  memory: () => Promise<number>
}

interface Answer {
  status: number | undefined
  headers: IncomingMessage['headers']
  body: Buffer
}

async function startGateway (sandbox: Sandbox): Promise<Gateway> {
  const file = join(sandbox.directory, 'heap-size')
  const child = sandbox.start([
    'gateway', '--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0', '--json',
    // requests that were aborted count until the gateway learns of it
    '--max-requests-per-address', '4096'
  ], {
    preload: 'heap-size.ts',
    env: { HEAP_SIZE_FILE: file }
  })
  let printed = ''

  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)

    if (printed.includes('"event":"ready"')) {
      break
    }
  }

  const line = printed.split('\n').find(line => line.includes('"event":"gateway"')) ?? '{}'

  return {
    child,
    ...JSON.parse(line) as Pick<Gateway, 'url' | 'metricsUrl'>,
    memory: async () => {
      await rm(file, { force: true })
      child.kill('SIGUSR2')
      await expect.poll(async () => readFile(file, 'utf8').catch(() => '')).toMatch(/^\d+$/)

      return Number(await readFile(file, 'utf8'))
    }
  }
}

/** Add files of every kind, and tell what a gateway answers about them. */
async function fill (sandbox: Sandbox): Promise<{ kinds: Kind[], large: string }> {
  const [zstd, members, plain] = [text(20_000), text(200_000, 2), noise(5000)]
  const tree = join(sandbox.directory, 'tree')
  await mkdir(join(tree, 'site'), { recursive: true })
  await writeFile(join(tree, 'a.txt'), text(3000, 3))
  await writeFile(join(tree, 'site', 'index.html'), '<h1>Hello</h1>')

  const [z, g, p] = [
    await sandbox.add(zstd),
    await sandbox.add(members, '--codec', 'gzip', '--frame-size', '65536'),
    await sandbox.add(plain)
  ]
  const root = (await sandbox.run(['add', '-Q', tree])).stdout.toString().trim()

  const kinds: Kind[] = [
    {
      path: `/ipfs/${z}`,
      headers: { 'accept-encoding': 'zstd' },
      status: 200,
      holds: { bytes: zstd, decode: zstdDecompressSync }
    },
    {
      path: `/ipfs/${g}`,
      headers: { 'accept-encoding': 'gzip' },
      status: 200,
      holds: { bytes: members, decode: gunzipSync }
    },
    { path: `/ipfs/${z}`, status: 200, holds: { bytes: zstd } },
    { path: `/ipfs/${p}`, status: 200, holds: { bytes: plain } },
    {
      path: `/ipfs/${g}`,
      headers: { range: 'bytes=70000-80999' },
      status: 206,
      holds: { bytes: members.subarray(70_000, 81_000) }
    },
    {
      path: `/ipfs/${p}`,
      headers: { range: 'bytes=-1000' },
      status: 206,
      holds: { bytes: plain.subarray(4000) }
    },
    { path: `/ipfs/${z}`, headers: { range: 'bytes=99999-' }, status: 416 },
    { path: `/ipfs/${z}`, method: 'HEAD', status: 200, holds: { bytes: new Uint8Array(0) } },
    { path: `/ipfs/${p}`, headers: { 'if-none-match': `"${p}"` }, status: 304 },
    { path: `/ipfs/${p}?format=raw`, status: 200, holds: { bytes: plain } },
    { path: `/ipfs/${g}?format=car`, status: 200 },
    { path: `/ipfs/${root}/?format=tar`, status: 200 },
    { path: `/ipfs/${root}/`, status: 200 },
    { path: `/ipfs/${root}`, status: 301 },
    { path: `/ipfs/${root}/a.txt`, status: 200, holds: { bytes: text(3000, 3) } },
    { path: `/ipfs/${root}/site/`, status: 200, holds: { bytes: Buffer.from('<h1>Hello</h1>') } },
    { path: `/ipfs/${root}/nothing`, status: 404 },
    { path: `/ipfs/${NOBODYS}`, status: 404 },
    { path: '/ipfs/nothing', status: 400 },
    { path: '/nothing', status: 404 },
    { path: `/ipfs/${z}`, method: 'POST', status: 405 }
  ]

  // what sockets cannot hold
  return { kinds, large: `/ipfs/${await sandbox.add(noise(16_000_000))}` }
}

/** Send a request. With a time, it is aborted then, and has no answer unless that came before. */
async function ask (
  url: string,
  { path, method = 'GET', headers = {} }: Question,
  agent: Agent | false,
  abortAfter?: number
): Promise<Answer | undefined> {
  const asked = request(url, { path, method, headers, agent })

  if (abortAfter != null) {
    setTimeout(() => { asked.destroy() }, abortAfter)
  }

  try {
    asked.end()
    const [response] = await once(asked, 'response') as [IncomingMessage]

    return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
  } catch (err) {
    if (abortAfter == null) {
      throw err
    }

    return undefined
  }
}

/** The status, headers and body, but for what belongs to the connection and the time. */
function hash ({ status, headers, body }: Answer): string {
  const said = Object.entries(headers).filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))

  return createHash('sha256').update(JSON.stringify([status, said])).update(body).digest('hex')
}

/** Begin a large answer, read a part of it, and go away. */
async function leave (url: string, path: string): Promise<void> {
  const asked = request(url, { path, agent: false }).end()
  const [response] = await once(asked, 'response') as [IncomingMessage]

  await once(response, 'data')
  response.destroy()
}

async function metric (url: string, name: string): Promise<number> {
  const printed = await (await fetch(url, { headers: { connection: 'close' } })).text()

  return printed.split('\n').filter(line => new RegExp(`^${name}[ {]`).test(line))
    .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
}

async function openFiles ({ child }: Gateway): Promise<number> {
  return (await readdir(`/proc/${child.pid}/fd`)).length
}

describe('a gateway of which a fifth of the requests are aborted', () => {
  it('answers all others right, and keeps neither memory nor files open', async ({ sandbox }) => {
    const { kinds, large } = await fill(sandbox)
    const gateway = await startGateway(sandbox)
    const { url, metricsUrl } = gateway
    const expected: string[] = []

    for (const kind of kinds) {
      const answer = await ask(url, kind, false) as Answer
      const { bytes, decode = (body: Buffer) => body }: Partial<Kind['holds'] & object> = kind.holds ?? {}

      expect({ path: kind.path, status: answer.status }).toEqual({ path: kind.path, status: kind.status })
      expect(bytes == null || decode(answer.body).equals(bytes)).toBe(true)
      expected.push(hash(answer))
    }

    // the gateway keeps blocks in memory: those of the large file are there before memory is measured
    await ask(url, { path: large }, false)

    const next = random(1)
    const counts = { asked: 0, aborted: 0, left: 0, wrong: [] as string[] }

    const run = async (requests: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
      const client = async (): Promise<void> => {
        while (counts.asked < requests) {
          counts.asked++
          const i = next() % kinds.length
          const isAborted = next() % ABORTED === 0

          if (isAborted && next() % 16 === 0) {
            counts.left++
            await leave(url, large)
            continue
          }

          const answer = await ask(url, kinds[i], agent, isAborted ? next() % ABORTED_WITHIN : undefined)

          if (answer == null) {
            counts.aborted++
          } else if (hash(answer) !== expected[i]) {
            counts.wrong.push(`${kinds[i].method ?? 'GET'} ${kinds[i].path}: ${answer.status}`)
          }
        }
      }

      await Promise.all(Array.from({ length: CONNECTIONS }, client))
      agent.destroy()
    }

    const files = await openFiles(gateway)
    /** The memory in use, once every request and connection is over. */
    const settle = async (): Promise<number> => {
      await expect.poll(async () => metric(metricsUrl, 'ipfsz_gateway_requests_in_flight')).toBe(0)
      await expect.poll(async () => openFiles(gateway)).toBeLessThanOrEqual(files)

      return gateway.memory()
    }

    await run(WARM_UP)
    const before = await settle()
    await run(REQUESTS)
    const after = await settle()

    expect(counts.wrong).toEqual([])
    expect(counts.aborted).toBeGreaterThan(REQUESTS / ABORTED / 10)
    expect(counts.left).toBeGreaterThan(0)
    expect(after - before).toBeLessThan(GROWTH)

    // what was aborted late was whole, and what was aborted early never arrived
    const incomplete = await metric(metricsUrl, 'ipfsz_gateway_incomplete_responses_total')
    expect(incomplete).toBeGreaterThanOrEqual(counts.left)
    expect(incomplete).toBeLessThanOrEqual(counts.left + counts.aborted)

    const answered = await metric(metricsUrl, 'ipfsz_gateway_requests_total')
    const all = kinds.length + counts.asked
    expect(answered).toBeGreaterThanOrEqual(all - counts.aborted)
    expect(answered).toBeLessThanOrEqual(all)
  })
})

/** Bytes that a process takes, or has taken at most. */
async function resident ({ pid }: Process, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')

  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
}

/** Ask for something, and read nothing of it. Tells of each whether something has arrived, or the connection ended. */
function askAndIdle (url: string, { path, clients }: LoadKind): { sockets: Socket[], arrived: () => number } {
  const { hostname, port } = new URL(url)
  let arrived = 0
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    // a paused socket is read once to learn that there is something
    socket.once('readable', () => { arrived++ })
    socket.write(`GET /ipfs/${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)

    return socket
  })

  return { sockets, arrived: () => arrived }
}

describe('a gateway whose clients do not read', () => {
  it('holds no more than it promises of any kind, and answers others', async ({ sandbox }) => {
    const small = await sandbox.add(text(20_000))
    const kinds = await addLoadKinds(sandbox)
    const peaks: Record<string, number> = {}

    for (const kind of kinds) {
      // one of its own: what an allocator keeps for later would count for the next kind
      const { url, child } = await startGateway(sandbox)
      const head = await ask(url, { path: `/ipfs/${kind.path}`, method: 'HEAD' }, false)
      expect({ name: kind.name, status: head?.status }).toEqual({ name: kind.name, status: 200 })

      const start = await resident(child, 'VmRSS')
      const { sockets, arrived } = askAndIdle(url, kind)
      await expect.poll(arrived).toBeGreaterThanOrEqual(kind.isResumable ? kind.clients : 1)
      const other = await ask(url, { path: `/ipfs/${small}` }, false)
      expect(other?.body.equals(text(20_000))).toBe(true)

      peaks[kind.name] = await resident(child, 'VmHWM') - start - kind.clients * HELD_BY_EACH
      sockets.forEach(socket => { socket.destroy() })
      child.kill('SIGKILL')
    }

    expect(Object.entries(peaks).filter(([, peak]) => peak > HELD + NOT_HELD)).toEqual([])
  })
})
