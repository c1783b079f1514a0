import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { CorruptBlockError, ipfsz } from '../src/index.ts'

const BYTES = new Uint8Array([1, 2, 3])
const OTHERS = new Uint8Array([4, 5, 6])

/** A store that returns other bytes than its CIDs say. */
class DamagedStore extends MemoryBlockstore {
  readonly checksBlocks: boolean | undefined
  readonly #isRemote: boolean

  constructor (init: { checksBlocks?: boolean, isRemote?: boolean }) {
    super()
    this.checksBlocks = init.checksBlocks
    this.#isRemote = init.isRemote ?? false
  }

  override * get (...args: Parameters<MemoryBlockstore['get']>): Generator<Uint8Array> {
    const { offline = false } = args[1] as { offline?: boolean }

    if (this.#isRemote && offline) {
      throw Object.assign(new Error('not here'), { name: 'BlockNotFoundWhileOfflineError' })
    }

    yield OTHERS
  }
}

async function read (blockstore: DamagedStore): Promise<Uint8Array> {
  const cid = CID.createV1(raw.code, await sha256.digest(BYTES))
  const pieces: Uint8Array[] = []

  for await (const bytes of ipfsz({ blockstore }).cat(cid)) {
    pieces.push(bytes)
  }

  return pieces[0]
}

describe('checksBlocks', () => {
  it('lets a blockstore vouch for its own blocks', async () => {
    expect(await read(new DamagedStore({ checksBlocks: true }))).to.deep.equal(OTHERS)
  })

  it.each([
    ['of a blockstore without it', {}],
    ['of a blockstore that says it does not check them', { checksBlocks: false }],
    ['that a blockstore with it fetched', { checksBlocks: true, isRemote: true }]
  ])('refuses damaged blocks %s', async (_, init) => {
    await expect(read(new DamagedStore(init))).rejects.toHaveProperty('name', CorruptBlockError.name)
  })
})
