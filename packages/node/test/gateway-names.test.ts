import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NameError } from '../src/errors.ts'
import { GatewayNames } from '../src/gateway/names.ts'
import { loadOrCreateKey } from '../src/network/names/keys.ts'
import { formatName, readRecord, recordKey } from '../src/network/names/name-records.ts'
import { writePublished } from '../src/network/names/own-names.ts'
import { openRepo } from '../src/repo/repo.ts'
import { fakeNetwork } from '../../../test/support/fake-network.ts'
import type { NamesInit } from '../src/gateway/names.ts'
import type { ResolvedName } from '../src/network/network.ts'
import type { Repo } from '../src/repo/repo.ts'

const CID_TEXT = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
const cid = CID.parse(CID_TEXT)
/** A name of nobody here. */
const OTHERS = 'k51qzi5uqu5dgutdk6i1ynyzgkqngpha5xpgia3a5qqp4jsh0u4csozksxel2r'
const { signal } = new AbortController()

async function makeRepo (): Promise<Repo> {
  const path = await mkdtemp(join(tmpdir(), 'ipfsz-gateway-'))
  onTestFinished(async () => { await rm(path, { recursive: true }) })

  return openRepo(path, { sync: false })
}

async function makeNames (init: Partial<NamesInit> = {}): Promise<GatewayNames> {
  return new GatewayNames({ repo: init.repo ?? await makeRepo(), usesDns: init.network != null, signal, ...init })
}

/** A network that knows names, and counts what it is asked for. */
function networkOf (resolve: (name: string, signal: AbortSignal) => Promise<ResolvedName>): {
  network: ReturnType<typeof fakeNetwork>
  asked: string[]
} {
  const asked: string[] = []

  return {
    asked,
    network: fakeNetwork({
      resolveName: async (name, signal) => {
        asked.push(name)

        return resolve(name, signal)
      }
    })
  }
}

describe('names of the repo', () => {
  it('lead to what was published last, without any other node, and have a record', async () => {
    const repo = await makeRepo()
    const key = await loadOrCreateKey(repo.path, 'site')
    await loadOrCreateKey(repo.path, 'other')
    await writePublished(repo.datastore, 'other', { cid: 'bafkqaaa', path: '', sequence: 1n, lifetime: 1000 })
    await writePublished(repo.datastore, 'site', { cid: CID_TEXT, path: 'a/b', sequence: 7n, lifetime: 60_000 })
    const names = await makeNames({ repo })
    const digest = key.publicKey.toMultihash()

    await expect(names.resolve(formatName(digest), { signal })).resolves.toEqual({ cid, path: ['a', 'b'], ttl: 60 })
    // as a peer id
    await expect(names.resolve(key.publicKey.toString(), { signal })).resolves.toMatchObject({ cid })

    const record = await names.record(formatName(digest), { signal })
    await expect(readRecord(recordKey(digest), record)).resolves.toMatchObject({ sequence: 7n, value: { path: 'a/b' } })
  })

  it('show a change at once', async () => {
    const repo = await makeRepo()
    const key = await loadOrCreateKey(repo.path, 'site')
    const name = formatName(key.publicKey.toMultihash())
    const names = await makeNames({ repo })
    const publish = async (path: string): Promise<void> =>
      writePublished(repo.datastore, 'site', { cid: CID_TEXT, path, sequence: 1n, lifetime: 1000 })

    await expect(names.resolve(name, { signal })).rejects.toMatchObject({ name: 'NameNotFoundError' })
    await publish('1')
    await expect(names.resolve(name, { signal })).resolves.toMatchObject({ path: ['1'] })
    await publish('2')
    await expect(names.resolve(name, { signal })).resolves.toMatchObject({ path: ['2'] })
  })
})

describe('without a network', () => {
  it.each([OTHERS, 'example.com', 'not-a-name', '', 'k51'])('refuses %j', async name => {
    const asked: string[] = []
    const names = await makeNames({
      lookUpTxt: async host => {
        asked.push(host)

        return []
      }
    })

    await expect(names.resolve(name, { signal })).rejects.toMatchObject({ name: 'NameNotFoundError', subject: name })
    await expect(names.record(name, { signal })).rejects.toMatchObject({ name: 'NameNotFoundError' })
    expect(asked).toEqual([])
  })
})

describe('with a network', () => {
  it('asks it once for names of others, with the time that their owners allow', async () => {
    const { network, asked } = networkOf(async () => ({ cid, path: 'x//y', ttl: 250 }))
    const names = await makeNames({ network })

    const results = await Promise.all([1, 2, 3].map(async () => names.resolve(OTHERS, { signal })))

    expect(results).toEqual(Array.from({ length: 3 }, () => ({ cid, path: ['x', 'y'], ttl: 250 })))
    expect(asked).toEqual([OTHERS])
  })

  it('does not end a lookup for all when one client goes away', async () => {
    const found = Promise.withResolvers<ResolvedName>()
    const signals: AbortSignal[] = []
    const { network } = networkOf(async (_, signal) => {
      signals.push(signal)

      return found.promise
    })
    const names = await makeNames({ network })
    const gone = new AbortController()
    const [first, second] = [gone.signal, signal].map(async signal => names.resolve(OTHERS, { signal }))

    gone.abort()

    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    found.resolve({ cid, path: '' })
    await expect(second).resolves.toEqual({ cid, path: [], ttl: 60 })
    expect(signals).toMatchObject([{ aborted: false }])
  })

  it('does not wait for a lookup when the request ends while it is begun', async () => {
    const request = new AbortController()
    const gone = new Error('gone')
    const { network } = networkOf(async () => {
      request.abort(gone)

      return new Promise(() => {})
    })
    const names = await makeNames({ network })

    await expect(names.resolve(OTHERS, { signal: request.signal })).rejects.toBe(gone)
  })

  it('ends lookups that nobody waits for, beyond a few', async () => {
    const lookups: AbortSignal[] = []
    const { network } = networkOf(async (_, signal) => {
      lookups.push(signal)

      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => { reject(signal.reason as Error) })
      })
    })
    const names = await makeNames({ network })
    const asked = await Promise.all(Array.from({ length: 100 }, async () => {
      const { publicKey } = await generateKeyPair('Ed25519')

      return formatName(publicKey.toMultihash())
    }))
    const client = new AbortController()
    const answers = asked.map(async name => names.resolve(name, client))
    await expect.poll(() => lookups.length).toBe(100)
    expect(lookups.filter(({ aborted }) => aborted)).toEqual([])

    client.abort()
    await Promise.allSettled(answers)
    expect(lookups.filter(({ aborted }) => !aborted)).toHaveLength(32)

    // one that was ended is looked for again
    const [again] = lookups.keys().filter(i => lookups[i].aborted)
    names.resolve(asked[again], { signal }).catch(() => {})
    await expect.poll(() => lookups.length).toBe(101)
  })

  it('remembers for a while that a name was not found', async () => {
    const { network, asked } = networkOf(async () => { throw new NameError('no record') })
    const names = await makeNames({ network })

    for (let i = 0; i < 3; i++) {
      await expect(names.resolve(OTHERS, { signal })).rejects.toMatchObject({ name: 'NameNotFoundError' })
    }

    expect(asked).toHaveLength(1)
  })

  it('passes on records of others', async () => {
    const bytes = new Uint8Array([1, 2, 3])
    const names = await makeNames({ network: fakeNetwork({ nameRecord: async () => bytes }) })

    await expect(names.record(OTHERS, { signal })).resolves.toBe(bytes)
  })
})

/** DNS with these TXT records, which notes the hosts that it is asked for. */
function resolver (records: Record<string, string[][]>): { lookUpTxt: NamesInit['lookUpTxt'], asked: string[] } {
  const asked: string[] = []

  return {
    asked,
    lookUpTxt: async host => {
      asked.push(host)

      return records[host] ?? []
    }
  }
}

describe('DNSLink', () => {
  it.each<[string, Record<string, string[][]>]>([
    ['of _dnslink', { '_dnslink.example.com': [['other=1'], [`dnslink=/ipfs/${CID_TEXT}/a/b`]] }],
    ['in several strings', { '_dnslink.example.com': [['dnslink=/ip', `fs/${CID_TEXT}/a`, '/b']] }],
    ['of the host itself', { 'example.com': [['v=spf1'], [`dnslink=/ipfs/${CID_TEXT}/a/b`]] }],
    ['that is the first of several', {
      '_dnslink.example.com': [['dnslink=/ipns/zzz'], [`dnslink=/ipfs/${CID_TEXT}/a/b`]]
    }]
  ])('is followed, if it is that %s', async (_, records) => {
    const { lookUpTxt, asked } = resolver(records)
    const names = await makeNames({ network: fakeNetwork(), lookUpTxt })

    await expect(names.resolve('example.com', { signal })).resolves.toEqual({ cid, path: ['a', 'b'], ttl: 60 })
    await names.resolve('Example.com', { signal })
    expect(asked.length).toBeLessThanOrEqual(2)
  })

  it('has a path in UTF-8, of which node:dns makes a character of each byte', async () => {
    const { lookUpTxt } = resolver({
      '_dnslink.utf8.example': [[Buffer.from(`dnslink=/ipfs/${CID_TEXT}/für alle/日本`).toString('latin1')]],
      '_dnslink.latin.example': [[`dnslink=/ipfs/${CID_TEXT}/f\xfcr`]]
    })
    const names = await makeNames({ network: fakeNetwork(), lookUpTxt })

    await expect(names.resolve('utf8.example', { signal })).resolves.toMatchObject({ path: ['für alle', '日本'] })
    await expect(names.resolve('latin.example', { signal })).resolves.toMatchObject({ path: ['für'] })
  })

  it('is passed over if it is longer than anything that can be decoded in time', async () => {
    // to decode this CID would take 16 seconds
    const long = 'z'.repeat(60_000)
    const records = [
      [`dnslink=/ipfs/${long}`], [`dnslink=/ipns/${long}`], [`dnslink=/ipfs/${CID_TEXT}${'/a'.repeat(30_000)}`],
      // few names, and many bytes that are remembered
      [`dnslink=/ipfs/${CID_TEXT}${`/${'a'.repeat(1000)}`.repeat(60)}`]
    ]
    const { lookUpTxt } = resolver({
      '_dnslink.long.example': records,
      '_dnslink.more.example': [...records, [`dnslink=/ipfs/${CID_TEXT}/b`]]
    })
    const { network, asked } = networkOf(async () => ({ cid, path: '', ttl: 30 }))
    const names = await makeNames({ network, lookUpTxt })

    await expect(names.resolve('long.example', { signal })).rejects.toMatchObject({ name: 'NameNotFoundError' })
    await expect(names.resolve('more.example', { signal })).resolves.toMatchObject({ cid, path: ['b'] })
    expect(asked).toEqual([])
  })

  it('is followed to a key, and to another host', async () => {
    const { lookUpTxt } = resolver({
      '_dnslink.a.example': [['dnslink=/ipns/b.example/2']],
      '_dnslink.b.example': [[`dnslink=/ipns/${OTHERS}/1`]]
    })
    const { network } = networkOf(async () => ({ cid, path: '0', ttl: 30 }))
    const names = await makeNames({ network, lookUpTxt })

    await expect(names.resolve('a.example', { signal })).resolves.toEqual({ cid, path: ['0', '1', '2'], ttl: 30 })
  })

  it('refuses a host that leads to itself', async () => {
    const { lookUpTxt, asked } = resolver({ '_dnslink.a.example': [['dnslink=/ipns/a.example']] })
    const names = await makeNames({ network: fakeNetwork(), lookUpTxt })

    await expect(names.resolve('a.example', { signal })).rejects.toMatchObject({ name: 'NameNotFoundError' })
    expect(asked.length).toBeLessThan(10)
  })

  it('refuses a chain without an end, after a bounded number of names', async () => {
    const asked: string[] = []
    const names = await makeNames({
      network: fakeNetwork(),
      lookUpTxt: async host => {
        asked.push(host)

        return [[`dnslink=/ipns/${asked.length}.example`]]
      }
    })

    await expect(names.resolve('a.example', { signal })).rejects.toMatchObject({ name: 'NameNotFoundError' })
    expect(asked.length).toBeLessThan(10)
  })

  it.each([
    ['no record', []],
    ['another value', [['dnslink=https://example.com']]],
    ['no CID', [['dnslink=/ipfs/hello']]],
    ['nothing in it', [['dnslink=']]]
  ])('refuses a host whose record has %s', async (_, records) => {
    const names = await makeNames({ network: fakeNetwork(), lookUpTxt: async () => records })

    await expect(names.resolve('example.com', { signal })).rejects.toMatchObject({ name: 'NameNotFoundError' })
  })

  it.each(['a..b', '.com', 'a b.com', `${'a'.repeat(64)}.com`, `${'a.'.repeat(130)}com`, 'a.com/', '1.'])(
    'is not looked up for %j, which is no host',
    async name => {
      const { lookUpTxt, asked } = resolver({})
      const names = await makeNames({ network: fakeNetwork(), lookUpTxt })

      await expect(names.resolve(name, { signal })).rejects.toMatchObject({ name: 'NameNotFoundError' })
      expect(asked).toEqual([])
    }
  )
})
