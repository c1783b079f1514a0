import { unixfs } from '@helia/unixfs'
import { MemoryDatastore } from 'datastore-core'
import { describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, getBlock, leavesOf, text } from './fixtures.ts'
import { same } from '../../../test/support/data.ts'
import type { CatEvents, CatOptions, Ipfsz, IpfszComponents } from '../src/index.ts'
import type { CID } from 'multiformats/cid'

const bytes = text(3_000_000)
const compression = { codec: 'zstd', frameSize: 65_536 } as const

interface Stored {
  fs: Ipfsz
  blockstore: CountingBlockstore
  datastore: MemoryDatastore
  original: CID
  leaves: CID[]
  compressed: CID
}

/** A plain file of three leaves, and the compressed file that it is linked to. */
async function stored ({ link = true } = {}): Promise<Stored> {
  const blockstore = new CountingBlockstore()
  const datastore = new MemoryDatastore()
  const fs = ipfsz({ blockstore, datastore })
  const original = await unixfs({ blockstore }).addBytes(bytes)

  return {
    fs,
    blockstore,
    datastore,
    original,
    leaves: await leavesOf(original, blockstore),
    compressed: await fs.addBytes(bytes, { compression, link })
  }
}

/** The bytes that `cat` returns, and its events about links. */
async function read (
  fs: Ipfsz,
  cid: CID,
  options: CatOptions = {}
): Promise<{ content: Uint8Array, events: CatEvents[] }> {
  const events: CatEvents[] = []
  const content = await collect(fs.cat(cid, { ...options, onProgress (event) {
    if (event.type.startsWith('ipfsz:link')) {
      events.push(event)
    }
  } }))

  return { content, events }
}

/** A blockstore that fetches missing blocks from `others`, and the CIDs that it requested. */
function asking ({ blockstore }: Stored, others: CountingBlockstore): {
  blockstore: IpfszComponents['blockstore']
  asked: CID[]
} {
  const asked: CID[] = []

  return {
    asked,
    blockstore: {
      has: async cid => blockstore.has(cid),
      put: async (cid, block) => blockstore.put(cid, block),
      async * get (cid, options) {
        if (await blockstore.has(cid)) {
          yield await getBlock(cid, blockstore)
        } else if ((options as { offline?: boolean } | undefined)?.offline === true) {
          throw Object.assign(new Error('not here'), { name: 'BlockNotFoundWhileOfflineError' })
        } else {
          asked.push(cid)
          yield await getBlock(cid, others)
        }
      }
    }
  }
}

/** The ways to lose a block. */
const LOSSES: Array<[string, (blockstore: CountingBlockstore, cid: CID) => Promise<unknown>]> = [
  ['missing', async (blockstore, cid) => { await blockstore.delete(cid) }],
  ['damaged', async (blockstore, cid) => blockstore.put(cid, new Uint8Array(10))]
]

describe.each(LOSSES)('an original with a %s leaf', (_, lose) => {
  it.each([0, 1, 2])('is read from its compressed file: leaf %d', async (index) => {
    const { fs, blockstore, original, leaves, compressed } = await stored()
    expect(leaves).toHaveLength(3)
    await lose(blockstore, leaves[index])

    const whole = await read(fs, original)
    const part = await read(fs, original, { offset: 1_000_000, length: 1_500_000 })

    expect(same(whole.content, bytes)).toBe(true)
    expect(whole.events)
      .toMatchObject([{ type: 'ipfsz:link:instead', detail: { original, compressed, error: expect.any(Error) } }])
    expect(same(part.content, bytes.subarray(1_000_000, 2_500_000))).toBe(true)
  })

  it('is read from its compressed file below a plain directory too', async () => {
    const { fs, blockstore, original, leaves } = await stored()
    const plain = unixfs({ blockstore })
    const directory = await plain.cp(original, await plain.addDirectory(), 'a')
    await lose(blockstore, leaves[1])

    expect(same((await read(fs, directory, { path: 'a' })).content, bytes)).toBe(true)
  })

  it('is refused if its link is unchecked', async () => {
    const { fs, blockstore, original, leaves, compressed } = await stored({ link: false })
    await fs.links.add(original, compressed, { unchecked: true })
    await lose(blockstore, leaves[1])

    await expect(read(fs, original)).rejects.toMatchObject({ cid: leaves[1] })
  })

  it('is refused with the error of its leaf if the compressed file is incomplete too', async () => {
    const { fs, blockstore, original, leaves, compressed } = await stored()
    await lose(blockstore, leaves[1])
    await blockstore.delete((await leavesOf(unmark(compressed), blockstore))[0])

    await expect(read(fs, original)).rejects.toMatchObject({ cid: leaves[1] })
  })
})

describe('an original with a leaf that is not stored locally', () => {
  it('is read from its compressed file without asking peers', async () => {
    const made = await stored()
    const { datastore, original, leaves, blockstore } = made
    await blockstore.delete(leaves[1])
    const { blockstore: network, asked } = asking(made, new CountingBlockstore())

    expect(same((await read(ipfsz({ blockstore: network, datastore }), original)).content, bytes)).toBe(true)
    expect(asked).toEqual([])
  })

  it.each([
    ['has no link', { link: false }, false],
    ['has a link to a file that lacks a block', { link: true }, true]
  ])('is fetched from peers if it %s', async (_, options, cut) => {
    const made = await stored(options)
    const { datastore, original, leaves, blockstore, compressed } = made
    const others = new CountingBlockstore()
    await others.put(leaves[1], await getBlock(leaves[1], blockstore))
    await blockstore.delete(leaves[1])

    if (cut) {
      await blockstore.delete((await leavesOf(unmark(compressed), blockstore))[0])
    }

    const { blockstore: network, asked } = asking(made, others)
    expect(same((await read(ipfsz({ blockstore: network, datastore }), original)).content, bytes)).toBe(true)
    expect(asked).toEqual([leaves[1]])
  })
})
