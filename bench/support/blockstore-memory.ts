import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { MemoryBlockstore } from 'blockstore-core'
import { measure, progress, rotate, sum } from '../benchmark.ts'
import { measureOften, Times, toColumns } from './blockstore-columns.ts'
import { FrameMemory } from './blockstore-floor.ts'
import { checkLength, CONCURRENCY, eachOf, join, putInto, readFrom, readWith } from './blockstore-sides.ts'
import { BARE_MEMORY, FLOOR } from './floor/names.ts'
import { collectGarbage } from './garbage.ts'
import type { Row } from '../benchmark.ts'
import type { Block, OpenSide } from './blockstore-sides.ts'
import type { Blockstore } from 'interface-blockstore'

/** How often all blocks are read for one figure: the bare store takes less than a millisecond. */
const TIMES = 4

/** What is measured, in memory. */
interface Memory extends Pick<OpenSide, 'put' | 'reader'> {
  putMany (blocks: readonly Block[]): Promise<void>
  getMany (blocks: readonly Block[]): Promise<void>
}

type Work = readonly [what: string, run: (memory: Memory, blocks: readonly Block[]) => Promise<void>]

const SIDES: ReadonlyArray<readonly [name: string, open: () => Memory]> = [
  [BARE_MEMORY, () => ofStore(new MemoryBlockstore())],
  [`${BARE_MEMORY}, zstd 3, hash`, () => ofStore(new CompressedBlockstore(new MemoryBlockstore()))],
  [
    `${BARE_MEMORY}, zstd 3, length`,
    () => ofStore(new CompressedBlockstore(new MemoryBlockstore(), { verify: 'length' }))
  ],
  [FLOOR, floor]
]

/** Each is done with an empty store. */
const WRITES: readonly Work[] = [
  ['put, 8 at a time', async ({ put }, blocks) => eachOf(blocks, CONCURRENCY, put)],
  ['putMany', async ({ putMany }, blocks) => putMany(blocks)]
]

const READS: readonly Work[] = [
  ['get, 8 at a time', async (memory, blocks) => readEach(memory, blocks, CONCURRENCY)],
  ['get, one by one', async (memory, blocks) => readEach(memory, blocks, 1)],
  ['getMany', async ({ getMany }, blocks) => getMany(blocks)]
]

/** Compare a CompressedBlockstore in memory with a bare store, which hands over the arrays that it was given. */
export async function compareInMemory (files: string, blocks: readonly Block[], rounds: number): Promise<Row[]> {
  const times = new Times()
  const size = sum(blocks.map(({ bytes }) => bytes.byteLength))

  // the first round includes compiling the code
  for (let round = 0; round <= rounds; round++) {
    progress(`${files}, in memory, round ${round} of ${rounds}`)

    for (const [side, open] of rotate(SIDES, round)) {
      let memory = open()
      const note = (what: string, time: Awaited<ReturnType<typeof measureOften>>): void => {
        if (round > 0) {
          times.note(side, what, time)
        }
      }

      for (const [what, run] of WRITES) {
        memory = open()
        collectGarbage()
        note(what, await measure(async () => run(memory, blocks)))
      }

      for (const [what, run] of READS) {
        collectGarbage()
        note(what, await measureOften(async () => run(memory, blocks), TIMES))
      }
    }
  }

  return [...WRITES, ...READS].flatMap(([what]) => SIDES.map(([side]) => ({
    files,
    what,
    side,
    ...toColumns(size, times.of(side, what), {
      'times as fast': times.of(BARE_MEMORY, what),
      'share of the floor': times.of(FLOOR, what)
    })
  })))
}

async function readEach ({ reader }: Memory, blocks: readonly Block[], atOnce: number): Promise<void> {
  const read = reader(atOnce === 1)

  return eachOf(blocks, atOnce, async block => readWith(read, block))
}

function ofStore (store: Blockstore): Memory {
  return {
    put: putInto(store),
    reader: () => readFrom(store),

    async putMany (blocks) {
      await Array.fromAsync(store.putMany(blocks))
    },

    async getMany (blocks) {
      let i = 0

      for await (const { bytes } of store.getMany(blocks.map(({ cid }) => cid))) {
        checkLength(await join(bytes), blocks[i++])
      }
    }
  }
}

/** What a store with the default options cannot do without. */
function floor (): Memory {
  const frames = new FrameMemory()
  const put = async (block: Block): Promise<void> => frames.put(block)

  return {
    put,
    reader: isAlone => async block => frames.get(block, isAlone),
    putMany: async blocks => eachOf(blocks, CONCURRENCY, put),
    getMany: async blocks => eachOf(blocks, CONCURRENCY, async block => frames.get(block, false))
  }
}
