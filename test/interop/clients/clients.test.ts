import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { setup as needChromium } from '../../support/need-chromium.ts'
import { INSECURE_HOST, openPage, startChromium, startFirefox, startNode } from './clients.ts'
import { readAllWithCurl, startReadingWithCurl } from './curl.ts'
import { heldFiles, testFiles } from './files.ts'
import { startGateway } from './gateway-process.ts'
import { COMPARED_HEADERS, readAll, readings, seekAndPlay, startReading } from './in-client.ts'
import { drawPicture, wav, webm } from './media.ts'
import type { Client } from './clients.ts'
import type { Coding, TestFile } from './files.ts'
import type { Answered, GatewayProcess } from './gateway-process.ts'
import type { Answer, Asked, Reading } from './in-client.ts'

/** A client, and what it takes when it asks this way. */
interface Asking {
  client: 'Chromium' | 'Firefox' | 'Node' | 'curl'
  scheme: 'http' | 'https'
  takes: Coding[]
  headers?: Record<string, string>
  /** Another name of the gateway. */
  host?: string
}

const ALL: Coding[] = ['br', 'gzip', 'zstd']
const ASK_FOR_ALL = { 'accept-encoding': 'gzip, br, zstd' }

/** What is always tested: every client, both schemes, what takes one coding and what takes all. */
const ALWAYS = [
  'Chromium over http', 'Chromium over http of another host', 'Firefox over https', 'Node over http', 'curl over https'
]

const WAYS: Array<[string, Asking]> = [
  ['Chromium over http', { client: 'Chromium', scheme: 'http', takes: ALL }],
  ['Chromium over https', { client: 'Chromium', scheme: 'https', takes: ALL }],
  ['Chromium over http of another host', { client: 'Chromium', scheme: 'http', takes: ['gzip'], host: INSECURE_HOST }],
  ['Firefox over http', { client: 'Firefox', scheme: 'http', takes: ALL }],
  ['Firefox over https', { client: 'Firefox', scheme: 'https', takes: ALL }],
  ['Firefox over http of another host', { client: 'Firefox', scheme: 'http', takes: ['gzip'], host: INSECURE_HOST }],
  ['Node over http', { client: 'Node', scheme: 'http', takes: ['gzip'] }],
  ['Node over http, asking for all codings', { client: 'Node', scheme: 'http', takes: ALL, headers: ASK_FOR_ALL }],
  ['Node over https', { client: 'Node', scheme: 'https', takes: ['br', 'gzip'] }],
  ['curl over http', { client: 'curl', scheme: 'http', takes: ALL }],
  ['curl over https', { client: 'curl', scheme: 'https', takes: ALL }]
]

let gateway: GatewayProcess
let files: TestFile[]
/** Of the files, in the same order. */
let paths: string[]
let clients: Record<string, Client>
const closing: Array<() => unknown> = []

beforeAll(async () => {
  needChromium()
  gateway = await startGateway()
  closing.push(gateway.kill)

  const [node, secondNode] = [startNode(), startNode()]
  closing.push(node.close, secondNode.close)

  const [chromium, firefox] = await Promise.all([startChromium(), startFirefox()])
  closing.push(async () => chromium.close(), async () => firefox.close())
  clients = {
    'Chromium http': await openPage(chromium, gateway.http),
    'Chromium https': await openPage(chromium, gateway.https),
    'Firefox http': await openPage(firefox, gateway.http),
    'Firefox https': await openPage(firefox, gateway.https),
    'Node http': node,
    'Node https': secondNode
  }
  files = testFiles()
  paths = await Promise.all(files.map(async file => gateway.add(file)))
})

afterAll(async () => {
  await Promise.all(closing.map(close => close()))
})

function urlOf (path: string, { scheme, host }: Asking, { http, https }: GatewayProcess = gateway): string {
  const url = new URL(path, scheme === 'http' ? http : https)
  url.hostname = host ?? url.hostname

  return url.href
}

async function read (way: Asking, asked: Asked[]): Promise<Answer[]> {
  return way.client === 'curl'
    ? readAllWithCurl(asked)
    : clients[`${way.client} ${way.scheme}`].evaluate(readAll, { asked, comparedHeaders: COMPARED_HEADERS })
}

function sha256 (bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe.each(WAYS)('%s', (name, way) => {
  const tags = ALWAYS.includes(name) ? [] : ['nightly']

  it('reads the original bytes of every file, as they are stored where it takes the coding', { tags }, async () => {
    const answers = await read(way, paths.map(path => ({ url: urlOf(path, way), headers: way.headers })))

    expect(answers.map(({ length, wire, protocol, ...answer }, i) => ({
      name: files[i].name,
      ...answer,
      hasLength: length != null,
      // clients but pages check it themselves
      isLengthRight: wire == null || length == null || wire === Number(length),
      isOtherProtocol: protocol != null && protocol !== (way.scheme === 'http' ? 'http/1.1' : 'h2')
    }))).toEqual(files.map(({ name, original, coding, hasLength }) => {
      const encoding = way.takes.includes(coding) ? coding : 'identity'
      // Firefox does not compare it with the body
      const hidesLength = way.client === 'Firefox' && way.scheme === 'http' && encoding !== 'identity'

      return {
        name,
        status: 200,
        encoding,
        bytes: original.byteLength,
        sha256: sha256(original),
        // HEAD is about the original bytes, which ranges are of
        unlikeHead: encoding === 'identity' ? [] : ['content-encoding', 'content-length', 'etag'],
        hasLength: hasLength && !hidesLength,
        isLengthRight: true,
        isOtherProtocol: false
      }
    }))
  })

  it('reads original bytes by range', { tags }, async () => {
    const headers = { ...way.headers, range: 'bytes=99000-100999' }
    const ranged = files.flatMap(({ name, original, hasLength }, i) =>
      hasLength && original.byteLength > 300_000 ? [{ name, original, url: urlOf(paths[i], way) }] : []
    )
    const answers = await read(way, ranged.map(({ url }) => ({ url, headers })))

    expect(answers.map(({ status, encoding, length, sha256 }, i) => (
      { name: ranged[i].name, status, encoding, length, sha256 }
    ))).toEqual(ranged.map(({ name, original }) => (
      { name, status: 206, encoding: 'identity', length: '2000', sha256: sha256(original.subarray(99_000, 101_000)) }
    )))
  })
})

describe('a compressed medium', () => {
  const MIB = 1024 * 1024
  const size = { width: 320, height: 240 }
  const media: Record<string, { bytes: Uint8Array, path: string }> = {}

  beforeAll(async () => {
    const webp = Buffer.from(await clients['Chromium http'].evaluate(drawPicture, size), 'base64')

    for (const [kind, bytes] of [['audio', wav(200)], ['video', webm({ ...size, seconds: 60, webp })]] as const) {
      media[kind] = { bytes, path: await gateway.add({ bytes, codec: 'zstd', frameSize: MIB }) }
    }
  })

  it.for([
    ['audio', 'Chromium'], ['video', 'Chromium'], ['audio', 'Firefox'], ['video', 'Firefox']
  ] as const)('plays as <%s> in %s, which seeks by range', async ([kind, browser]) => {
    const { bytes, path } = media[kind]
    const before = gateway.answered.length
    const url = `${gateway.http}${path}`
    const { duration, reached, error } = await clients[`${browser} http`].evaluate(seekAndPlay, { kind, url })
    const findSought = (): Answered | undefined => gateway.answered.slice(before).find(({ range }) =>
      Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1]) > bytes.byteLength * 0.8
    )

    expect(error).toBeUndefined()
    expect(reached).toBeCloseTo(0.9 * duration, 0)
    await expect.poll(findSought).toMatchObject({ status: 206, encoding: null })

    const sought = findSought()
    const [, start, end] = /^bytes (\d+)-(\d+)\//.exec(sought?.contentRange ?? '') ?? []
    const again = await fetch(url, { headers: { range: sought?.range ?? '' } })
    expect(sha256(await again.bytes())).toBe(sha256(bytes.subarray(Number(start), Number(end) + 1)))
  })
})

describe('a gateway that is killed in mid-body', () => {
  it('is an error for every client, over http and https, with every coding', { tags: 'nightly' }, async () => {
    const killed = await startGateway()
    onTestFinished(killed.kill)
    const paths = await Promise.all(heldFiles().map(async file => killed.add(file)))
    const reading = await Promise.all((['Chromium', 'Firefox', 'Node', 'curl'] as const).flatMap(client =>
      (['http', 'https'] as const).map(async scheme => {
        const way: Asking = { client, scheme, takes: ALL }
        const headers = client === 'Node' ? ASK_FOR_ALL : undefined
        // the name tells the type, which is otherwise found in the first frame
        const asked = paths.map(path => ({ url: urlOf(`${path}?filename=a.bin`, way, killed), headers }))

        return { name: `${client} ${scheme}`, look: await startReadingWith(way, asked) }
      })
    ))
    const look = async (): Promise<Array<[string, Reading[]]>> =>
      Promise.all(reading.map(async ({ name, look }) => [name, await look()] as [string, Reading[]]))
    const everyOne = async (test: (reading: Reading) => boolean): Promise<boolean> =>
      (await look()).every(([, all]) => all.every(test))

    await expect.poll(async () => everyOne(({ received }) => received > 0)).toBe(true)
    expect(await everyOne(({ ended }) => ended == null)).toBe(true)
    await expect.poll(() => Object.groupBy(killed.answered, ({ encoding }) => encoding ?? 'identity')).toMatchObject({
      br: { length: reading.length },
      gzip: { length: reading.length },
      zstd: { length: reading.length },
      identity: { length: 2 * reading.length }
    })

    await killed.kill()
    await expect.poll(async () => everyOne(({ ended }) => ended != null)).toBe(true)

    expect((await look()).map(([name, all]) => [name, ...all.map(({ ended }) => ended)])).toEqual(
      reading.map(({ name }) => [name, ...paths.map(() => 'error')])
    )
  })
})

/** Begin to read, and return how to see how far it is. */
async function startReadingWith (way: Asking, asked: Asked[]): Promise<() => Promise<Reading[]>> {
  if (way.client === 'curl') {
    const curls = startReadingWithCurl(asked)

    return async () => curls
  }

  const client = clients[`${way.client} ${way.scheme}`]
  await client.evaluate(startReading, asked)

  return async () => client.evaluate(readings, undefined)
}
