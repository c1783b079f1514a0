/** @module-tag nightly */
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { blockKey, S3Blockstore, S3Objects } from '@ipfsz/blockstore-s3'
import { CID } from 'multiformats/cid'
import * as rawCodec from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { expectSuccess, it as withSandbox } from '../integration/run-cli.ts'
import { noise, text } from '../support/data.ts'
import { startCeph } from './ceph/cluster.ts'
import { carryOutAnd, cutShort, drip, faultyGateway, hangUp, refuse } from './ceph/faulty-gateway.ts'
import { network } from './ceph/tcp-proxy.ts'
import type { Ceph } from './ceph/cluster.ts'
import type { Fault, FaultyGateway } from './ceph/faulty-gateway.ts'
import type { S3ObjectsInit, S3Phase, S3RequestEvent } from '@ipfsz/blockstore-s3'

// the suite expects mocha's globals, and imports a module that it does not depend on
Object.assign(globalThis, { afterEach, beforeEach, describe, it })
registerHooks({
  resolve: (specifier, context, next) => specifier === 'aegir/chai'
    ? { url: new URL('../support/aegir-chai.ts', import.meta.url).href, shortCircuit: true }
    : next(specifier, context)
})
const { interfaceBlockstoreTests } = await import('interface-blockstore-tests')

const BUCKET = 'ipfsz'

/** What a message says that is about one of them. */
const STORE_OR_NETWORK = /the store at \S+ answered|no response from|over the network/

let ceph: Ceph

beforeAll(async () => {
  ceph = await startCeph()
  await new S3Blockstore(init(), { createIfMissing: true }).open()
})
afterAll(async () => ceph?.stop())

/** Options for a prefix of its own. */
function init (): S3ObjectsInit & { prefix: string } {
  return { bucket: BUCKET, prefix: randomUUID(), endpoints: ceph.endpoints, credentials: ceph.credentials }
}

function connect (options: Partial<S3ObjectsInit> = {}): S3Blockstore {
  const store = new S3Blockstore({ ...init(), ...options })
  onTestFinished(async () => store.close())

  return store
}

async function block (bytes: Uint8Array): Promise<{ cid: CID, bytes: Uint8Array }> {
  return { cid: CID.createV1(rawCodec.code, await sha256.digest(bytes)), bytes }
}

async function blocks (count: number, size = 20_000): Promise<Array<{ cid: CID, bytes: Uint8Array }>> {
  return Promise.all(Array.from({ length: count }, async (_, i) => block(noise(size, i + 1))))
}

async function read (store: Pick<S3Blockstore, 'get'>, cid: CID): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(store.get(cid)))
}

/** The first `count` requests of each kind for each object. */
function atFirst (fault: Fault, count = 2): FaultyGateway['chooseFault'] {
  const counts = new Map<string, number>()

  return ({ method, path }) => {
    const before = counts.get(`${method} ${path}`) ?? 0
    counts.set(`${method} ${path}`, before + 1)

    return before < count ? fault : undefined
  }
}

async function makeFaulty (chooseFault?: FaultyGateway['chooseFault']): Promise<FaultyGateway> {
  const gateway = await faultyGateway(ceph.endpoints[0], chooseFault)
  onTestFinished(gateway.close)

  return gateway
}

describe('S3Blockstore on Ceph, compliance suite', () => {
  interfaceBlockstoreTests({
    setup: () => new S3Blockstore(init()),
    teardown: async store => store.close()
  })
})

describe('S3Blockstore on Ceph', () => {
  it('refuses wrong keys by name, and does not take them for an empty store', async () => {
    const { cid, bytes } = await block(text(100))

    for (const [credentials, code] of [
      [{ ...ceph.credentials, secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
      [{ accessKeyId: 'nobody', secretAccessKey: 'wrong' }, 'InvalidAccessKeyId']
    ] as const) {
      const store = connect({ credentials })
      await expect(store.open()).rejects.toMatchObject({ name: 'OpenFailedError', cause: { code, status: 403 } })
      await expect(store.has(cid)).rejects.toMatchObject({ name: 'HasFailedError', cause: { status: 403 } })
      await expect(store.put(cid, bytes)).rejects.toMatchObject({ name: 'PutFailedError', cause: { code } })
    }
  })

  it('says that a bucket is missing', async () => {
    const { cid } = await block(text(100))
    const store = connect({ bucket: 'missing' })

    await expect(store.open()).rejects.toMatchObject({ name: 'OpenFailedError', cause: { code: 'NoSuchBucket' } })
    await expect(store.has(cid)).rejects.toMatchObject({ name: 'HasFailedError', cause: { code: 'NoSuchBucket' } })
  })

  it('works with a clock that is three hours wrong', async () => {
    const seen: S3RequestEvent[] = []
    const store = connect({ now: () => Date.now() + 3 * 3_600_000, onRequest: event => { seen.push(event) } })
    const { cid, bytes } = await block(text(100))

    expect(await store.has(cid)).toBe(false)
    await store.put(cid, bytes)
    expect(await read(store, cid)).toEqual(Buffer.from(bytes))
    expect(seen.filter(({ status }) => status === 403)).toHaveLength(1)
  })

  it('lists more objects than a page has, deletes them, and leaves those of others alone', async () => {
    const store = connect()
    const keys = ['other/one', 'blocks/readme', 'blocks/a +&<é>"\u{1F600}', 'blocks/~'].toSorted()
    await Promise.all(keys.map(async key => store.objects.put(key, new Uint8Array(1))))
    const all = await blocks(1010, 50)
    await Array.fromAsync(store.putMany(all))

    const listed = (await Array.fromAsync(store.list())).flat()
    expect(new Set(listed.map(({ cid }) => cid.toString()))).toEqual(new Set(all.map(({ cid }) => cid.toString())))
    expect(new Set(listed.map(({ size }) => size))).toEqual(new Set([50]))

    await Array.fromAsync(store.deleteMany(listed.map(({ cid }) => cid)))
    expect((await Array.fromAsync(store.objects.list(''))).flat().map(({ key }) => key)).toEqual(keys)
  })

  it('refuses a delete that comes later than it says, and carries out one that does not', async () => {
    const place = init()
    const objects = new S3Objects(place)
    const once = new S3Objects({ ...place, attempts: 1 })
    await objects.put('key', Buffer.from('1'))
    // as if it were on its way for half a minute
    const { from, seconds } = objects.validFor(15_000)
    const late = { from: (endpoint: string) => new Date(from(endpoint).getTime() - 30_000), seconds }

    await expect(once.delete(['key'], { validity: late }))
      .rejects.toMatchObject({ name: 'S3ResponseError', status: 403 })
    expect(await objects.stat('key')).toBeDefined()
    await once.delete(['key'], { validity: objects.validFor(15_000) })
    expect(await objects.stat('key')).toBeUndefined()
  })

  it('reads a part of a block', async () => {
    const store = connect()
    const { cid, bytes } = await block(noise(1_000_000))
    await store.put(cid, bytes)

    const part = await store.getRange(cid, { offset: 999_990, length: 100 })
    expect(Buffer.from(part)).toEqual(Buffer.from(bytes.subarray(999_990)))
  })

  it('finds a block that was damaged in the store, and mends it by another put', async () => {
    const inner = connect()
    const store = new CompressedBlockstore(inner)
    const { cid, bytes } = await block(text(30_000))
    await store.put(cid, bytes)
    const stored = Buffer.from(await inner.objects.get(blockKey(cid)))
    stored[stored.length >> 1] ^= 1
    await inner.objects.put(blockKey(cid), stored)

    await expect(Array.fromAsync(store.get(cid))).rejects.toMatchObject({ name: 'CorruptBlockError' })
    await store.put(cid, bytes)
    expect(await read(store, cid)).toEqual(Buffer.from(bytes))
  })

  it('goes on while a gateway is dead, and says nothing', async () => {
    const seen: S3RequestEvent[] = []
    const store = connect({ onRequest: event => { seen.push(event) } })
    const all = await blocks(40)
    let stored = 0

    for await (const _ of store.putMany(all)) {
      if (++stored === 10) {
        await ceph.gateways[0].kill()
      }
    }

    for (const { cid, bytes } of all) {
      expect(await read(store, cid)).toEqual(Buffer.from(bytes))
    }

    const [dead, alive] = ceph.endpoints
    expect(new Set(seen.map(({ endpoint }) => endpoint))).toEqual(new Set([dead, alive]))
    // once it is known to be dead it is not asked again
    expect(seen.slice(-40).map(({ endpoint }) => endpoint)).toEqual(Array.from({ length: 40 }, () => alive))
    ceph.gateways[0].start()
    await ceph.gatewayWorks(0)
  })

  it('keeps every block that it has acknowledged while a storage daemon is killed and comes back', async () => {
    const store = new CompressedBlockstore(connect())
    const all = await blocks(60)
    let stored = 0

    for await (const _ of store.putMany(all)) {
      stored++

      if (stored === 15) {
        await ceph.storage[0].kill()
      } else if (stored === 45) {
        ceph.storage[0].start()
      }
    }

    await ceph.storageWorks()

    for (const { cid, bytes } of all) {
      expect(await read(store, cid)).toEqual(Buffer.from(bytes))
    }
  })

  it('says that the network was lost, and goes on when it is back', async () => {
    const net = await network(ceph.endpoints[0])
    onTestFinished(net.close)
    const place = { endpoints: [net.url], prefix: init().prefix }
    const store = connect(place)
    // a busy cluster may take longer
    const impatient = connect({
      ...place, attempts: 2, connectTimeout: 500, responseTimeout: 500, progressTimeout: 500
    })
    const [first, second] = await blocks(2)
    await store.put(first.cid, first.bytes)
    net.lose()

    const lost = { cause: { name: 'S3NetworkError', from: 'network', phase: 'response' } }
    await expect(impatient.put(second.cid, second.bytes)).rejects.toMatchObject({ name: 'PutFailedError', ...lost })
    await expect(impatient.has(first.cid)).rejects.toMatchObject({ name: 'HasFailedError', ...lost })
    net.restore()
    await store.put(second.cid, second.bytes)
    expect(await read(store, first.cid)).toEqual(Buffer.from(first.bytes))
    expect(await read(store, second.cid)).toEqual(Buffer.from(second.bytes))
  })

  it('reads a block again whose answer was cut short', async () => {
    const net = await network(ceph.endpoints[0])
    onTestFinished(net.close)
    const seen: S3RequestEvent[] = []
    const store = connect({ endpoints: [net.url], onRequest: event => { seen.push(event) } })
    const { cid, bytes } = await block(noise(1_000_000))
    await store.put(cid, bytes)
    net.cutAfter(300_000)

    expect(await read(store, cid)).toEqual(Buffer.from(bytes))
    expect(seen.slice(-2)).toMatchObject([{ error: 'S3NetworkError' }, { operation: 'get', status: 200 }])
  })

  it('is one store for two nodes', async () => {
    const { prefix } = init()
    const [one, two] = [connect({ prefix }), connect({ prefix, endpoints: [ceph.endpoints[1]] })]
    const objects = new S3Objects({ ...init(), prefix })
    onTestFinished(() => { objects.close() })

    for (const { cid, bytes } of await blocks(10)) {
      await one.put(cid, bytes)
      expect(await two.has(cid)).toBe(true)
      expect(await objects.stat(blockKey(cid))).toMatchObject({ size: bytes.byteLength })
      await two.delete(cid)
      expect(await one.has(cid)).toBe(false)
    }
  })
})

describe('ipfsz over a store on Ceph', () => {
  withSandbox('loses nothing while nodes add the same, one is killed, one collects, and a storage daemon dies', async (
    { sandbox }
  ) => {
    const env = {
      AWS_ACCESS_KEY_ID: ceph.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ceph.credentials.secretAccessKey
    }
    const [near, far] = ceph.endpoints
    const place = `s3://${BUCKET}/${randomUUID()}`
    const ipfsz = async (repo: string, ...args: string[]): Promise<string> => {
      const result = await sandbox.spawn([...args, '--repo', repo], { env })
      expectSuccess(result)

      return result.stdout.toString().trim()
    }
    const writeTree = async (name: string, seed: number): Promise<void> => {
      await mkdir(join(sandbox.directory, name))

      for (let i = 0; i < 10; i++) {
        await sandbox.write(join(name, `${i}.txt`), text(20_000 + i * 1000, seed + i))
      }
    }

    await writeTree('same', 1)
    await writeTree('other', 100)
    await writeTree('unwanted', 200)
    await ipfsz('a', 'init', '--store', `${place}?endpoint=${near}&endpoint=${far}`)
    await ipfsz('b', 'init', '--store', `${place}?endpoint=${far}&endpoint=${near}`)
    await ipfsz('a', 'pin', 'rm', await ipfsz('a', 'add', '-rQ', 'unwanted'))
    // a collection deletes nothing where nothing is pinned
    await ipfsz('a', 'add', join('same', '0.txt'))

    const killed = sandbox.start(['add', '-rQ', '--codec', 'brotli', 'other', '--repo', 'b'], { env })
    const adds = [ipfsz('a', 'add', '-rQ', 'same'), ipfsz('b', 'add', '-rQ', 'same'), ipfsz('a', 'add', '-rQ', 'other')]
    await ceph.storage[1].kill()
    const collection = ipfsz('b', 'gc')
    killed.kill('SIGKILL')
    const cids = [...await Promise.all(adds), await ipfsz('b', 'add', '-rQ', 'unwanted')]
    await collection
    ceph.storage[1].start()

    expect(cids[0]).toBe(cids[1])

    for (const repo of ['a', 'b']) {
      await ipfsz(repo, 'verify', '--all')
      const pins = await ipfsz(repo, 'pin', 'ls')
      cids.forEach(cid => { expect(pins).toContain(cid) })
    }

    await ceph.storageWorks()
  })
})

describe('S3Blockstore on Ceph, behind a gateway that is busy or breaks', () => {
  it.each<[string, Fault]>([
    ['refused with 429', refuse(429, 'TooManyRequests')],
    ['refused with 500', refuse(500, 'InternalError')],
    ['refused with 503', refuse(503, 'SlowDown')],
    ['carried out and answered with 500', carryOutAnd(refuse(500, 'InternalError'))],
    ['dropped', hangUp],
    ['carried out and not answered', carryOutAnd(hangUp)],
    ['answered in part', cutShort],
    ['answered slowly', drip(16 * 1024, 5)]
  ])('keeps what it acknowledges and reads what is right, though each request is %s at first', async (_, fault) => {
    const { prefix } = init()
    const { url: endpoint, seen } = await makeFaulty(atFirst(fault))
    const [store, direct] = [connect({ prefix, endpoints: [endpoint] }), connect({ prefix })]
    // of the larger ones the store is asked first whether it has them
    const all = [...await blocks(4), ...await blocks(4, 100_000)]
    await Array.fromAsync(store.putMany(all))

    for (const { cid, bytes } of all) {
      expect(await read(direct, cid)).toEqual(Buffer.from(bytes))
      expect(await read(store, cid)).toEqual(Buffer.from(bytes))
    }

    const gone = all.slice(3).map(({ cid }) => cid)
    await Array.fromAsync(store.deleteMany(gone))
    expect((await Array.fromAsync(store.list())).flat()).toHaveLength(3)
    expect(await Promise.all(all.map(async ({ cid }) => store.has(cid))))
      .toEqual([true, true, true, ...gone.map(() => false)])
    await expect(read(store, gone[0])).rejects.toMatchObject({ name: 'NotFoundError' })
    expect((await Array.fromAsync(direct.list())).flat()).toHaveLength(3)
    expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['PUT', 'GET', 'HEAD', 'POST']))
  })

  it('waits as long as a busy store says', async () => {
    const { url: endpoint, seen } = await makeFaulty(atFirst(refuse(429, 'SlowDown', { 'retry-after': '1' }), 1))
    const store = connect({ endpoints: [endpoint] })
    const { cid, bytes } = await block(noise(1000))
    await store.put(cid, bytes)

    const puts = seen.filter(({ method }) => method === 'PUT')
    expect(puts).toHaveLength(2)
    // timers of Node may be a millisecond early
    expect(puts[1].time - puts[0].time).toBeGreaterThan(990)
    expect(await read(store, cid)).toEqual(Buffer.from(bytes))
  })

  it.each([[429, 'TooManyRequests'], [500, 'InternalError'], [503, 'SlowDown']])(
    'says that it was the store which goes on answering %d, takes nothing for missing, and goes on when it works',
    async (status, code) => {
      const gateway = await makeFaulty()
      const store = connect({ endpoints: [gateway.url], attempts: 3 })
      const [first, second] = await blocks(2)
      await store.put(first.cid, first.bytes)
      gateway.chooseFault = () => refuse(status, code)

      // an answer to HEAD has no code
      const cause = { name: 'S3ResponseError', from: 'store', status, subject: { attempts: 3, endpoint: gateway.url } }
      await expect(store.put(second.cid, second.bytes)).rejects.toMatchObject({ name: 'PutFailedError', cause })
      await expect(read(store, first.cid))
        .rejects.toMatchObject({ name: 'GetFailedError', cause: { ...cause, code } })
      await expect(store.has(second.cid)).rejects.toMatchObject({ name: 'HasFailedError', cause })
      await expect(store.delete(first.cid)).rejects.toMatchObject({ name: 'DeleteFailedError', cause })
      await expect(Array.fromAsync(store.list())).rejects.toMatchObject({ name: 'GetFailedError', cause })
      gateway.chooseFault = () => undefined
      await store.put(second.cid, second.bytes)
      expect(await read(store, first.cid)).toEqual(Buffer.from(first.bytes))
      expect(await read(store, second.cid)).toEqual(Buffer.from(second.bytes))
    }
  )

  it.each<[string, Fault, S3Phase]>([
    ['breaks each connection', hangUp, 'response'],
    ['cuts each answer short', cutShort, 'body'],
    ['lets an answer trickle', drip(1, 10), 'body']
  ])('says that it was the network which %s', async (_, fault, phase) => {
    const gateway = await makeFaulty()
    const place = { endpoints: [gateway.url], prefix: init().prefix }
    const { cid, bytes } = await block(noise(100_000))
    await connect(place).put(cid, bytes)
    gateway.chooseFault = () => fault
    const store = connect({ ...place, attempts: 2, progressTimeout: 500 })

    await expect(read(store, cid)).rejects.toMatchObject({
      name: 'GetFailedError', cause: { name: 'S3NetworkError', from: 'network', phase, subject: { attempts: 2 } }
    })
    gateway.chooseFault = () => undefined
    expect(await read(store, cid)).toEqual(Buffer.from(bytes))
  })

  it('says that connections are refused, and goes on when they are not', async () => {
    const gateway = await makeFaulty()
    const refused = Promise.withResolvers<void>()
    const place = { endpoints: [gateway.url], prefix: init().prefix }
    const store = connect({
      ...place,
      onRequest: ({ error }) => {
        if (error != null) {
          refused.resolve()
        }
      }
    })
    const { cid, bytes } = await block(noise(1000))
    await gateway.refuseConnections()

    await expect(connect({ ...place, attempts: 2 }).put(cid, bytes)).rejects.toMatchObject({
      name: 'PutFailedError',
      cause: { name: 'S3NetworkError', from: 'network', phase: 'connect', cause: { code: 'ECONNREFUSED' } }
    })
    const putting = store.put(cid, bytes)
    await refused.promise
    await gateway.acceptConnections()
    await putting
    expect(await read(store, cid)).toEqual(Buffer.from(bytes))
  })
})

describe('ipfsz over a store on Ceph, behind a gateway that is busy or breaks', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', ceph.credentials.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', ceph.credentials.secretAccessKey)

    return () => { vi.unstubAllEnvs() }
  })

  withSandbox('loses nothing while every third request of two nodes fails in another way, and one collects', async (
    { sandbox }
  ) => {
    const faults = [
      refuse(429, 'SlowDown', { 'retry-after': '1' }), refuse(503, 'SlowDown'), hangUp, cutShort, drip(4096, 2),
      refuse(500, 'InternalError'), carryOutAnd(refuse(500, 'InternalError')), carryOutAnd(hangUp)
    ]
    let requests = 0
    const gateway = await faultyGateway(ceph.endpoints[0], () => {
      const number = requests++

      return number % 3 === 0 ? faults[number / 3 % faults.length] : undefined
    })
    onTestFinished(gateway.close)
    const place = `s3://${BUCKET}/${randomUUID()}`
    const files = Array.from({ length: 10 }, (_, i) => text(20_000 + i * 1000, 300 + i))
    /** Run a command until it succeeds. Whenever it does not, it acknowledges nothing, and says what failed. */
    const ipfsz = async (repo: string, ...args: string[]): Promise<string> => {
      for (;;) {
        const { code, stdout, stderr } = await sandbox.run([...args, '--repo', repo])

        if (code === 0) {
          return stdout.toString().trim()
        }

        expect({ code, stdout: stdout.toString() }, `${args.join(' ')}: ${stderr}`).toEqual({ code: 1, stdout: '' })

        // the request before was carried out, though its answer was lost
        if (args[0] === 'pin' && stderr.includes('is not pinned')) {
          return ''
        }

        expect(stderr).toMatch(STORE_OR_NETWORK)
      }
    }

    await mkdir(join(sandbox.directory, 'tree'))
    await Promise.all(files.map(async (bytes, i) => sandbox.write(join('tree', `${i}`), bytes)))
    const [kept, gone] = await Promise.all([1, 2].map(async seed => sandbox.write(`${seed}`, text(100_000, seed))))

    for (const repo of ['a', 'b', 'c']) {
      await ipfsz(repo, 'init', '--store', `${place}?endpoint=${gateway.url}`)
    }

    await ipfsz('a', 'pin', 'rm', await ipfsz('a', 'add', '-Q', gone))
    await ipfsz('b', 'add', '-Q', kept)
    const adds = ['a', 'b'].map(async repo => ipfsz(repo, 'add', '-rQ', 'tree'))
    const [collected, ...cids] = await Promise.all([ipfsz('b', 'gc', '--json'), ...adds])
    cids.push(await ipfsz('a', 'add', '-Q', gone))

    expect(JSON.parse(collected)).toMatchObject({ dryRun: false })
    expect(cids[0]).toBe(cids[1])

    // what is handed out is right, be it all or the beginning
    for (const [i, bytes] of files.entries()) {
      const { stdout } = await sandbox.run(['cat', `${cids[0]}/${i}`, '--repo', 'c'])
      expect(Buffer.from(bytes).subarray(0, stdout.byteLength).equals(stdout)).toBe(true)
    }

    expect(gateway.seen.length).toBeGreaterThan(50)
    gateway.chooseFault = () => undefined

    for (const repo of ['a', 'c']) {
      await ipfsz(repo, 'verify', '--all')
      const pins = await ipfsz(repo, 'pin', 'ls')
      cids.forEach(cid => { expect(pins).toContain(cid) })
      expect((await sandbox.run(['cat', `${cids[0]}/9`, '--repo', repo])).stdout.equals(files[9])).toBe(true)
    }
  })

  withSandbox('says that the store is overloaded, or that the network is lost, and goes on when they are back', async (
    { sandbox }
  ) => {
    const gateway = await faultyGateway(ceph.endpoints[0])
    onTestFinished(gateway.close)
    const place = `s3://${BUCKET}/${randomUUID()}?endpoint=${gateway.url}`
    const [first, second] = await Promise.all([1, 2].map(async i => sandbox.write(`${i}`, text(100_000, i))))
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await sandbox.run([...args, '--repo', 'a'])
      expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' })

      return stderr
    }
    expectSuccess(await sandbox.run(['init', '--store', place, '--repo', 'a']))
    const added = await sandbox.run(['add', '-Q', first, '--repo', 'a'])
    expectSuccess(added)
    const cid = added.stdout.toString().trim()

    // a pack would be sent for minutes
    gateway.chooseFault = ({ method }) => method === 'PUT' ? refuse(503, 'SlowDown') : undefined
    expect(await run('add', '-Q', second)).toContain(`the store at ${gateway.url} answered 503 SlowDown`)
    // longer than a reader waits
    gateway.chooseFault = () => refuse(429, 'TooManyRequests', { 'retry-after': '60' })
    expect(await run('cat', cid)).toContain('is unavailable: the store only answered 429 within 4 s')
    gateway.chooseFault = ({ path }) => path.includes('/sessions/') ? hangUp : undefined
    expect(await run('add', '-Q', second)).toContain(`no response from ${gateway.url}`)
    await gateway.refuseConnections()
    expect(await run('cat', cid)).toContain(`no response from ${gateway.url}`)

    gateway.chooseFault = () => undefined
    await gateway.acceptConnections()
    expectSuccess(await sandbox.run(['add', '-Q', second, '--repo', 'a']))
    expect((await sandbox.run(['cat', cid, '--repo', 'a'])).stdout.equals(text(100_000, 1))).toBe(true)
    expectSuccess(await sandbox.run(['verify', '--all', '--repo', 'a']))
  })
})
