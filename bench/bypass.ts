import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { measure, median, NoInputError, rotate, rounded, spread } from './benchmark.ts'
import { CountingBlockstore } from './support/blocks.ts'
import { incompressibleFiles, mixedFile, withCorpus } from './support/corpus.ts'
import { compressing, FILE_SYSTEMS, PLAIN, readAll } from './support/file-systems.ts'
import { BYPASS } from './support/paper.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { CorpusFile } from './support/corpus.ts'
import type { Files } from './support/file-systems.ts'
import type { Blockstore } from 'interface-blockstore'

/** Many rounds: a garbage collection takes ten times as long as adding one of these small files. */
const ROUNDS = 45

const DETECTING = 'ipfsz'
const ALWAYS = 'ipfsz, detection off'

const SIDES: Readonly<Record<string, (blockstore: Blockstore) => Files>> = {
  [PLAIN]: FILE_SYSTEMS[PLAIN],
  [DETECTING]: compressing({ codec: 'zstd' }),
  [ALWAYS]: compressing({ codec: 'zstd', detect: false })
}

interface Measured {
  add: number
  cat: number
  stored: number
  cid: string
}

export const benchmark: Benchmark = {
  question: 'what it costs and saves to find out that a file is not worth compressing. ' +
    `In the paper's Figure 7, detecting this is ${BYPASS}`,
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const rounds = options.smoke ? 2 : ROUNDS
      const rows: Row[] = []
      const cids: Row[] = []

      const files = options.file == null ? incompressibleFiles(corpus) : [await mixedFile(corpus, options)]

      if (files.length === 0) {
        throw new NoInputError(
          `There is no directory incompressible in ${corpus.source}: name a file that is compressed already`
        )
      }

      for (const file of files) {
        const measured = await compare(file, rounds, corpus.directory)
        const of = (side: string, value: 'add' | 'cat' | 'stored'): number =>
          median((measured.get(side) ?? []).map(measured => measured[value]))

        rows.push({
          file: basename(file.path),
          bytes: file.size,
          ...Object.fromEntries(Object.keys(SIDES).flatMap(side => [
            [`add, ms: ${side}`, rounded(of(side, 'add'))],
            [`add, spread: ${side}`, spread((measured.get(side) ?? []).map(({ add }) => add))]
          ])),
          'add: times as fast as detection off': rounded(of(ALWAYS, 'add') / of(DETECTING, 'add')),
          'add: times as fast as plain': rounded(of(PLAIN, 'add') / of(DETECTING, 'add')),
          ...Object.fromEntries(Object.keys(SIDES).flatMap(side => [
            [`cat, ms: ${side}`, rounded(of(side, 'cat'))],
            [`cat, spread: ${side}`, spread((measured.get(side) ?? []).map(({ cat }) => cat))]
          ])),
          'cat: times as fast as plain': rounded(of(PLAIN, 'cat') / of(DETECTING, 'cat')),
          'stored / original': rounded(of(DETECTING, 'stored') / file.size),
          'detection off': rounded(of(ALWAYS, 'stored') / file.size)
        })

        cids.push(
          ...[DETECTING, ALWAYS].map(
            side => ({ file: basename(file.path), side, CID: measured.get(side)?.[0].cid ?? '' })
          )
        )
      }

      return [{ title: 'Files that are compressed already, on an FsBlockstore', rows }, {
        title: `What was added (${corpus.source})`,
        rows: cids
      }]
    })
  }
}

/** Measure every side once in each round, after a round that does not count. */
async function compare (
  { path, size }: Pick<CorpusFile, 'path' | 'size'>,
  rounds: number,
  directory: string
): Promise<Map<string, Measured[]>> {
  const bytes = new Uint8Array(await readFile(path))
  const measured = new Map<string, Measured[]>(Object.keys(SIDES).map(side => [side, []]))

  for (let round = 0; round <= rounds; round++) {
    for (const [side, create] of rotate(Object.entries(SIDES), round)) {
      const store = new FsBlockstore(join(directory, 'store'))
      await store.open()
      const blockstore = new CountingBlockstore(store)
      const files = create(blockstore)
      const { wall: add, result: cid } = await measure(async () => files.addBytes(bytes))
      const { wall: cat } = await measure(async () => readAll(files, cid, size))
      await rm(join(directory, 'store'), { recursive: true })

      if (round > 0) {
        measured.get(side)?.push({ add, cat, stored: blockstore.bytes, cid: cid.toString() })
      }
    }
  }

  return measured
}
