import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GatewayError } from '@ipfsz/gateway'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { resolveTarget } from '../src/read/resolve-target.ts'
import { NameError } from '../src/errors.ts'
import { resolveByGateways } from '../src/network/names/gateway-records.ts'
import { loadOrCreateKey } from '../src/network/names/keys.ts'
import { DEFAULT_LIFETIME, formatName, makeRecord } from '../src/network/names/name-records.ts'
import { writePublished } from '../src/network/names/own-names.ts'
import { openRepo } from '../src/repo/repo.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import { fakeNetwork } from '../../../test/support/fake-network.ts'
import type { NodeContext } from '../src/context.ts'
import type { NetworkOptions } from '../src/daemon/access.ts'
import type { Network } from '../src/network/network.ts'
import type { Repo } from '../src/repo/repo.ts'

const CID_TEXT = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
const cid = CID.parse(CID_TEXT)
/** A name of nobody here. */
const OTHERS = 'k51qzi5uqu5dgutdk6i1ynyzgkqngpha5xpgia3a5qqp4jsh0u4csozksxel2r'

const nowhere = { isPossible: async () => false, open: async () => { throw new Error('opened') } }

function peersWith (network: Partial<Network>): Parameters<typeof resolveTarget>[2] {
  return { isPossible: async () => true, open: async () => fakeNetwork(network) }
}

async function makeRepo (): Promise<Repo> {
  const path = await mkdtemp(join(tmpdir(), 'ipfsz-names-'))
  onTestFinished(async () => { await rm(path, { recursive: true }) })

  return openRepo(path, { sync: false })
}

async function makeContext (network: NetworkOptions = {}, repo?: Repo): Promise<NodeContext> {
  return {
    signal: new AbortController().signal,
    repo: (repo ?? await makeRepo()).path,
    network,
    bootstrap: []
  }
}

function parsed (name: string, path = ''): Parameters<typeof resolveTarget>[0] {
  return { name, path, text: `/ipns/${name}/${path}` }
}

/** Serve the records of names, or anything else, as a gateway does. */
async function serveRecords (answer: (path: string) => Uint8Array | undefined): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const bytes = answer(url)

    response.writeHead(bytes == null ? 404 : 200, { 'content-type': 'application/vnd.ipfs.ipns-record' }).end(bytes)
  })

  return `http://127.0.0.1:${await listenInTest(server)}`
}

describe('a name of this repo', () => {
  it('is its key, its name or its peer id, and needs no other node', async () => {
    const repo = await makeRepo()
    const key = await loadOrCreateKey(repo.path, 'holiday')
    await writePublished(repo.datastore, 'holiday', { cid: CID_TEXT, path: 'a', sequence: 1n, lifetime: 1000 })
    const context = await makeContext({}, repo)

    for (const name of ['holiday', formatName(key.publicKey.toMultihash()), key.publicKey.toString()]) {
      await expect(resolveTarget(parsed(name, 'b//c.txt'), context, nowhere))
        .resolves.toEqual({ cid, path: 'a/b/c.txt', text: `/ipns/${name}/b//c.txt`, label: 'c.txt' })
    }

    await expect(resolveTarget(parsed('holiday'), context, nowhere)).resolves.toMatchObject({ label: 'holiday' })
  })

  it.for(['nothing', '../keys/holiday', 'example.com', OTHERS, `b${'a'.repeat(100_000)}`])(
    'is not %s, which is refused without asking anybody',
    async name => {
      await expect(resolveTarget(parsed(name), await makeContext(), nowhere, async () => { throw new Error('asked') }))
        .rejects.toMatchObject({ name: 'NameError' })
    }
  )

  it('is refused if nothing was published under its key', async () => {
    const repo = await makeRepo()
    await loadOrCreateKey(repo.path, 'holiday')

    await expect(resolveTarget(parsed('holiday'), await makeContext({}, repo), nowhere))
      .rejects.toMatchObject({ name: 'NameError' })
  })
})

describe('a name of others', () => {
  it('is resolved by peers', async () => {
    const access = peersWith({ resolveName: async () => ({ cid, path: 'x' }) })

    await expect(resolveTarget(parsed(OTHERS, 'y'), await makeContext(), access))
      .resolves.toMatchObject({ cid, path: 'x/y' })
  })

  it('is refused with the reason of the peers, and when they do not answer in time', async () => {
    const refusing = peersWith({ resolveName: async () => { throw new NameError('No record') } })
    const silent = peersWith({ resolveName: async () => new Promise(() => {}) })

    await expect(resolveTarget(parsed(OTHERS), await makeContext(), refusing))
      .rejects.toMatchObject({ name: 'NameError', message: 'No record' })
    await expect(resolveTarget(parsed(OTHERS), await makeContext({ timeout: 1 }), silent))
      .rejects.toMatchObject({ name: 'NameError', reason: 'timeout' })
  })

  it('is resolved by the newest valid record of the gateways', async () => {
    const [key, other] = [await generateKeyPair('Ed25519'), await generateKeyPair('Ed25519')]
    const name = formatName(key.publicKey.toMultihash())
    const old = await makeRecord(key, cid, 'old', { sequence: 1n, lifetime: DEFAULT_LIFETIME })
    const next = await makeRecord(key, cid, 'new', { sequence: 2n, lifetime: DEFAULT_LIFETIME })
    const wrong = await makeRecord(other, cid, 'wrong', { sequence: 9n, lifetime: DEFAULT_LIFETIME })
    const asked: string[] = []
    const gateways = await Promise.all([old, wrong, next, old, new Uint8Array(20_000), undefined].map(async record =>
      serveRecords(path => {
        asked.push(path)

        return record
      })
    ))
    const signal = new AbortController().signal

    await expect(resolveByGateways(name, gateways, signal, 600_000)).resolves.toMatchObject({ cid, path: 'new' })
    expect(asked).toEqual(gateways.map(() => `/ipns/${name}?format=ipns-record`))
  })

  it('is resolved by a gateway before any peer is asked', async () => {
    const key = await generateKeyPair('Ed25519')
    const record = await makeRecord(key, cid, 'x', { sequence: 1n, lifetime: DEFAULT_LIFETIME })
    const gateways = [await serveRecords(() => record)]

    await expect(resolveTarget(
      parsed(formatName(key.publicKey.toMultihash())),
      await makeContext({ gateways }),
      { ...nowhere, isPossible: async () => true }
    )).resolves.toMatchObject({ cid, path: 'x' })
  })

  it('is resolved by peers if no gateway has a record', async () => {
    const gateways = [await serveRecords(() => undefined), 'http://127.0.0.1:1']
    const access = peersWith({ resolveName: async () => ({ cid, path: 'x' }) })

    await expect(resolveTarget(parsed(OTHERS), await makeContext({ gateways }), access))
      .resolves.toMatchObject({ path: 'x' })
    await expect(resolveTarget(parsed(OTHERS), await makeContext({ gateways }), nowhere))
      .rejects.toMatchObject({ name: 'NameError' })
  })
})

describe('a DNS name', () => {
  it('is refused without anybody to ask, and the message says whom to name', async () => {
    await expect(resolveTarget(parsed('example.com'), await makeContext(), nowhere))
      .rejects.toMatchObject({ name: 'NameError', reason: 'offline' })
  })

  it('leads where its DNSLink says', async () => {
    await expect(resolveTarget(
      parsed('docs.example.com', 'b'),
      await makeContext(),
      peersWith({}),
      async host => host === '_dnslink.docs.example.com' ? [[`dnslink=/ipfs/${CID_TEXT}/a`]] : []
    )).resolves.toEqual({ cid, path: 'a/b', text: '/ipns/docs.example.com/b', label: 'b' })
  })

  it('is refused without a DNSLink, and if DNS does not answer', async () => {
    const context = await makeContext()

    await expect(resolveTarget(parsed('example.com'), context, peersWith({}), async () => []))
      .rejects.toMatchObject({ name: 'NameError', message: expect.stringContaining('DNSLink') })
    await expect(
      resolveTarget(parsed('example.com'), context, peersWith({}), async () => { throw new GatewayError(502, 'DNS') })
    ).rejects.toMatchObject({ name: 'NameError' })
  })
})
