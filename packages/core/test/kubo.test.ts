import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { checkKubo, createIpfszForKubo } from '../src/kubo/index.ts'
import { KuboBlockstore } from '../src/kubo/kubo-blockstore.ts'
import { unmark } from '../src/marker.ts'
import { chunked, collect, noise, text } from './fixtures.ts'
import type { KuboClient, KuboPutOptions } from '../src/kubo/index.ts'

/** The part of Kubo's API that we use, in memory. */
class FakeKubo implements KuboClient {
  readonly blocks = new Map<string, Uint8Array>()
  readonly pins: string[] = []
  readonly puts: KuboPutOptions[] = []

  readonly block: KuboClient['block'] = {
    put: async (block, options = {}) => {
      this.puts.push(options)
      const cid = CID.createV1(options.cidCodec === 'raw' ? 0x55 : 0x70, await sha256.digest(block))
      this.blocks.set(cid.toString(), block)

      return cid
    },
    get: async cid => this.#find(cid),
    stat: async cid => ({ size: this.#find(cid).byteLength })
  }

  readonly pin: KuboClient['pin'] = {
    add: async cid => {
      this.#find(cid)
      this.pins.push(cid.toString())

      return cid
    }
  }

  #find (cid: CID): Uint8Array {
    const block = this.blocks.get(cid.toString())

    if (block == null) {
      throw httpError(500, `block was not found locally (offline): ipld: could not find ${cid}`)
    }

    return block
  }
}

/** An error as kubo-rpc-client throws it. */
function httpError (status: number, message: string): Error {
  return Object.assign(new Error(message), { name: 'HTTPError', response: { status } })
}

/** A Kubo that answers every call with `call`. */
function failing (call: () => Promise<never>): KuboClient {
  return { block: { put: call, get: call, stat: call }, pin: { add: call } }
}

describe('a file in Kubo', () => {
  it('is stored under the CIDs of IPFSz, pinned by its plain CID, and read back', async () => {
    const kubo = new FakeKubo()
    const files = createIpfszForKubo(kubo)
    const bytes = text(5_000_000)
    const cid = await files.addBytes(bytes, { compression: { frameSize: 64 * 1024 } })

    expect(kubo.pins).toEqual([unmark(cid).toString()])
    expect(kubo.puts.every(({ mhtype, pin }) => mhtype === 'sha2-256' && pin === false)).toBe(true)
    expect(new Set(kubo.puts.map(({ cidCodec }) => cidCodec))).toEqual(new Set(['raw', 'dag-pb']))
    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    expect((await files.open(cid)).stored).toMatchObject({ codec: 'zstd', size: 5_000_000 })
  })

  it('is not pinned with pin: false', async () => {
    const kubo = new FakeKubo()
    await createIpfszForKubo(kubo, { pin: false }).addBytes(text(1000))

    expect(kubo.pins).toEqual([])
  })

  it('makes the add fail if it cannot be pinned', async () => {
    const kubo = new FakeKubo()
    kubo.pin.add = async () => { throw httpError(500, 'pin: it cannot be') }

    await expect(createIpfszForKubo(kubo).addBytes(text(1000))).rejects.toMatchObject({ name: 'KuboFailedError' })
  })

  it('is pinned only through the root of its tree', async () => {
    const source = [
      { path: 'd/a', content: text(200_000) },
      { path: 'd/b/c', content: noise(1000) },
      { path: 'alone', content: text(3000) }
    ]

    for (const wrapWithDirectory of [false, true]) {
      const kubo = new FakeKubo()
      const results = await Array.fromAsync(createIpfszForKubo(kubo).addAll(source, { wrapWithDirectory }))
      const roots = wrapWithDirectory ? results.slice(-1) : results.filter(
        ({ path }) => path === 'd' || path === 'alone'
      )

      expect(kubo.pins.toSorted()).toEqual(roots.map(({ cid }) => unmark(cid).toString()).toSorted())
    }
  })

  it('is pinned by addByteStream and addFile, as is a directory by addDirectory', async () => {
    const kubo = new FakeKubo()
    const files = createIpfszForKubo(kubo)

    await files.addByteStream(chunked(text(1000), 100))
    await files.addFile({ path: 'a', content: text(100) })
    await files.addDirectory({ path: 'd' })
    expect(kubo.pins).toHaveLength(3)
  })
})

describe('a misbehaving Kubo', () => {
  it('is refused if it returns another CID for a block', async () => {
    const kubo = new FakeKubo()
    const other = CID.createV1(0x55, await sha256.digest(text(3)))
    kubo.block.put = async () => other

    await expect(createIpfszForKubo(kubo).addBytes(text(1000))).rejects.toMatchObject(
      { name: 'KuboCidMismatchError', actual: other }
    )
  })

  it('is refused if it pins another CID, or does not say which', async () => {
    for (const [answer, name] of [
      [CID.createV1(0x55, await sha256.digest(text(3))), 'KuboCidMismatchError'],
      [undefined, 'NotKuboError'],
      ['text', 'NotKuboError']
    ] as const) {
      const kubo = new FakeKubo()
      kubo.pin.add = async () => answer as CID

      await expect(createIpfszForKubo(kubo).addBytes(text(1000))).rejects.toMatchObject({ name })
    }
  })

  it('is accepted if it only answers with a CIDv0', async () => {
    const kubo = new FakeKubo()
    kubo.pin.add = async cid => cid.toV0()

    await expect(createIpfszForKubo(kubo).addBytes(text(1000))).resolves.toBeInstanceOf(CID)
  })

  it('is quoted briefly, however long its answer', async () => {
    const client = failing(async () => { throw httpError(500, 'no '.repeat(100_000)) })
    const error = await checkKubo(client).catch((err: unknown) => err as Error)

    expect(error).toMatchObject({ name: 'KuboFailedError' })
    expect((error as Error).message.length).toBeLessThan(1000)
  })

  it('is refused if a block does not match its CID, or is not bytes', async () => {
    const kubo = new FakeKubo()
    const files = createIpfszForKubo(kubo)
    const cid = await files.addBytes(text(1000))
    kubo.block.get = async () => text(10)

    await expect(collect(files.cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError' })

    kubo.block.get = async () => 'text' as unknown as Uint8Array
    await expect(collect(createIpfszForKubo(kubo).cat(cid))).rejects.toMatchObject({ name: 'NotKuboError' })
  })

  it.each([
    ['KuboUnreachableError', 'refuses connections', async () => { throw new TypeError(
      'fetch failed',
      { cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) }
    ) }],
    ['KuboForbiddenError', 'answers with 403', async () => { throw httpError(403, '403 - Forbidden') }],
    ['KuboForbiddenError', 'answers with 401', async () => { throw httpError(401, 'Unauthorized') }],
    ['NotKuboError', 'answers with 404', async () => { throw httpError(404, '404 page not found') }],
    ['NotKuboError', 'does not answer with JSON', async () => { throw new SyntaxError('Unexpected token < in JSON') }],
    ['KuboFailedError', 'answers with 500', async () => { throw httpError(500, 'the disk is full') }],
    [
      'KuboFailedError',
      'lets a request time out',
      async () => { throw Object.assign(new Error('Request timed out'), { name: 'TimeoutError' }) }
    ],
    [
      'KuboUnreachableError',
      'has a bad port',
      async () => { throw new TypeError('fetch failed', { cause: new Error('bad port') }) }
    ],
    [
      'KuboUnreachableError',
      'has a self-signed certificate',
      async () => { throw Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }) }
    ],
    ['KuboUnreachableError', 'never answers', async () => new Promise<never>(() => {})]
  ])('is reported with %s if it %s', async (name, _, call) => {
    const client = failing(call)

    await expect(checkKubo(client, { timeout: 50 })).rejects.toMatchObject({ name })
    await expect(createIpfszForKubo(client, { timeout: 50 }).addBytes(text(1000))).rejects.toMatchObject({ name })
  })

  it('does not delay a caller that aborts', async () => {
    const controller = new AbortController()
    const files = createIpfszForKubo(failing(async () => new Promise<never>(() => {})))
    const adding = files.addBytes(text(1000), { signal: controller.signal })
    controller.abort()

    await expect(adding).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is asked for a missing block for no longer than the timeout', async () => {
    const files = createIpfszForKubo(
      failing(async () => { throw httpError(500, 'block was not found locally (offline): ipld: could not find it') }),
      { fetch: { timeout: 50, stallTimeout: 10 } }
    )

    await expect(
      files.stat(CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'))
    ).rejects.toMatchObject({ name: 'KuboFailedError' })
  })
})

describe('the blockstore of a Kubo', () => {
  it('refuses a missing block by its CID while offline', async () => {
    const cid = CID.createV1(0x55, await sha256.digest(text(3)))
    const blockstore = new KuboBlockstore(new FakeKubo(), 1000)

    await expect(collect(blockstore.get(cid, { offline: true }))).rejects.toMatchObject(
      { name: 'BlockNotFoundWhileOfflineError', cid, cause: { name: 'KuboFailedError' } }
    )
  })
})

describe('createIpfszForKubo', () => {
  it('refuses timeouts that are not above 0', () => {
    for (const init of [{ timeout: 0 }, { pinTimeout: -1 }, { timeout: Number.NaN }]) {
      expect(() => createIpfszForKubo(new FakeKubo(), init)).toThrow(
        expect.objectContaining({ name: 'InvalidParametersError' })
      )
    }
  })
})
