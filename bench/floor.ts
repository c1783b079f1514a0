import { join } from 'node:path'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { compareAdds } from './support/floor/adds.ts'
import { compareReads } from './support/floor/reads.ts'
import type { Benchmark, Row } from './benchmark.ts'

const MB = 1e6

/** Files to read, and how often. */
const SIZES = [{ size: MB, rounds: 50 }, { size: 100 * MB, rounds: 9 }]
const SMOKE = [{ size: MB, rounds: 1 }]

export const benchmark: Benchmark = {
  question: 'how far adds and reads are from reading, compressing, decompressing, hashing and writing alone, and ' +
    'from plain Helia',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const adds = await compareAdds(mixed.path, mixed.size, corpus.directory, options.smoke ? 1 : 9)
      const reads: Row[] = []

      for (const { size, rounds } of options.smoke ? SMOKE : SIZES) {
        const file = await fileOfSize(corpus, mixed, size)
        reads.push(...await compareReads(file, size, join(corpus.directory, 'store'), rounds))
      }

      return [
        { title: `Adding ${mixed.name}, on an FsBlockstore`, rows: adds },
        { title: `Reading ${mixed.name}`, rows: reads }
      ]
    })
  }
}
