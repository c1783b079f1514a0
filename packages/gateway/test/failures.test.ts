import { MemoryBlockstore } from 'blockstore-core'
import { codecs } from '@ipfsz/codecs/all'
import { ipfsz, unmark } from '@ipfsz/core'
import { decode } from '@ipld/dag-pb'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../src/index.ts'
import { addCompressed, bytesOf, get, KIB, noise, openingWith, text } from './fixtures.ts'
import type { Gateway, GatewayBlocks } from '../src/index.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** An error as those of Node's file system. */
const EIO = Object.assign(new Error("EIO: i/o error, read '/home/alice/.ipfsz/blocks/AB/CD.data'"), { code: 'EIO' })
const BROKEN = 'The gateway failed to answer this request\n'
const DAMAGED = 'A block of this content is damaged in the store of the gateway\n'

interface Reported {
  gateway: Gateway
  fs: Ipfsz
  blocks: MemoryBlockstore
  errors: unknown[]
  /** The multihashes of blocks that the disk cannot read. */
  unreadable: Set<string>
}

function serveReporting (stored: Partial<GatewayBlocks> = {}): Reported {
  const errors: unknown[] = []
  const blocks = new MemoryBlockstore()
  const unreadable = new Set<string>()
  const read = blocks.get.bind(blocks)

  blocks.get = async function * (cid, options) {
    if (unreadable.has(keyOf(cid))) {
      throw EIO
    }

    yield * read(cid, options)
  }

  const fs = ipfsz({ blockstore: blocks }, {
    codecs: Object.values(codecs).map(create => create())
  })
  const gateway = createGateway({ fs, blocks: Object.assign(blocks, stored) }, {
    onError: err => { errors.push(err) }
  })

  return { gateway, fs, blocks, errors, unreadable }
}

function keyOf ({ multihash }: CID): string {
  return Buffer.from(multihash.bytes).toString('hex')
}

async function leavesOf (cid: CID, blocks: MemoryBlockstore): Promise<CID[]> {
  return decode(Buffer.concat(await Array.fromAsync(blocks.get(unmark(cid))))).Links.map(({ Hash }) => Hash)
}

/** Every kind of response, for a file or directory. */
const REQUESTS = ['', '?format=raw', '?format=car', '?format=tar']

describe('a failure of the gateway itself, before the first byte', () => {
  it('of the disk is a plain 500 without its words, and reported', async () => {
    const { gateway, fs, errors, unreadable } = serveReporting()
    const cid = await addCompressed(fs, text(300_000), 'zstd', 64 * KIB)
    unreadable.add(keyOf(cid))

    for (const query of REQUESTS) {
      const response = await gateway(get(`${cid}${query}`))

      expect([response.status, await response.text()], query).toEqual([500, BROKEN])
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(String((errors.at(-1) as Error).message)).toContain('EIO')
    }

    expect(errors).toHaveLength(REQUESTS.length)
    const page = await gateway(get(`${cid}`, { accept: 'text/html' }))
    expect(await page.text()).not.toContain('alice')
  })

  it('of a damaged block is a 500 that says so, and reported', async () => {
    const { gateway, fs, blocks, errors } = serveReporting()
    const cid = await addCompressed(fs, text(300_000), 'zstd', 64 * KIB)
    await blocks.put(unmark(cid), text(10))

    for (const query of REQUESTS) {
      const response = await gateway(get(`${cid}${query}`))

      expect([response.status, await response.text()], query).toEqual([500, DAMAGED])
      expect(errors.at(-1)).toMatchObject({ name: 'CorruptBlockError' })
    }
  })

  it('of a codec is a plain 500, and reported', async () => {
    const { fs, errors } = serveReporting()
    const failing = Object.assign(new Error('spawn /home/alice/node ENOENT'), { name: 'WorkerCrashedError' })
    const cid = await addCompressed(fs, text(300_000), 'zstd', 64 * KIB)
    const files = openingWith(fs, () => { throw failing })
    const onError = (err: unknown): void => { errors.push(err) }
    const broken = createGateway({ fs: files, blocks: new MemoryBlockstore() }, { onError })
    const response = await broken(get(`${cid}?filename=a.txt`))

    expect([response.status, await response.text()]).toEqual([500, BROKEN])
    expect(errors).toEqual([failing])
  })

  it('of a store of compressed blocks is a plain 500; a missing block is 404 in our own words', async () => {
    const unreadable = 'bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu'
    const missing = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
    const { gateway, errors } = serveReporting({
      getStored: async cid => {
        throw `${cid}` === unreadable
          ? EIO
          : Object.assign(new Error("no such file, open '/home/alice/x'"), { name: 'NotFoundError' })
      }
    })
    const ask = async (cid: string): Promise<[number, string]> => {
      const response = await gateway(get(`${cid}?format=raw`, { 'accept-encoding': 'gzip' }))

      return [response.status, await response.text()]
    }

    expect(await ask(unreadable)).toEqual([500, BROKEN])
    expect(await ask(missing)).toEqual([404, `The block ${missing} was not found\n`])
    expect(errors).toEqual([EIO])
  })
})

describe('a failure of the gateway itself, in the middle of a body', () => {
  it('is reported', async () => {
    const { gateway, fs, blocks, errors, unreadable } = serveReporting()
    const cid = await addCompressed(fs, noise(4_000_000), 'zstd', 64 * KIB)
    unreadable.add(keyOf((await leavesOf(cid, blocks)).at(-1) as CID))

    for (const query of ['?filename=a.bin', '?format=car', '?format=tar']) {
      const response = await gateway(get(`${cid}${query}`))

      expect(response.status).toBe(200)
      await expect(bytesOf(response), query).rejects.toThrow()
      expect(errors.splice(0), query).toEqual([EIO])
    }
  })
})

describe('what is not a failure of the gateway', () => {
  it('is not reported', async () => {
    const { gateway, fs, blocks, errors } = serveReporting()
    const cid = await addCompressed(fs, noise(4_000_000), 'zstd', 64 * KIB)
    const stopped = new AbortController()
    const left = await gateway(new Request(get(`${cid}?filename=a.bin`), { signal: stopped.signal }))

    stopped.abort()
    await expect(bytesOf(left)).rejects.toThrow()
    await blocks.delete((await leavesOf(cid, blocks)).at(-1) as CID)
    await expect(bytesOf(await gateway(get(`${cid}?filename=a.bin`)))).rejects.toThrow()

    for (const [path, method] of [['', 'GET'], [`${cid}/x`, 'GET'], [`${cid}`, 'POST']]) {
      expect((await gateway(get(path, {}, method))).status).toBeGreaterThanOrEqual(400)
    }

    expect(errors).toEqual([])
  })
})
