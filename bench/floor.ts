import { join } from 'node:path'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { compareAdds } from './support/floor/adds.ts'
import { compareCommands } from './support/floor/commands.ts'
import { compareReads } from './support/floor/reads.ts'
import { compareSmallAdds } from './support/floor/small.ts'
import { listTrees } from './support/trees.ts'
import type { Benchmark, Row } from './benchmark.ts'

const MB = 1e6

/** Files to read, and how often. */
const SIZES = [{ size: MB, rounds: 50 }, { size: 100 * MB, rounds: 9 }]
const SMOKE = [{ size: MB, rounds: 1 }]

/** Files that commands add and read, and how often. */
const COMMAND_SIZES = [{ size: 100 * MB, rounds: 7 }, { size: 1000 * MB, rounds: 3 }]

const ABOUT_COMMANDS = 'Times include the start of the process; the floor is a Node program that does nothing else. ' +
  'It and `ipfsz add` sync what they add to the disk, and Kubo does not. What is read is in the system\'s cache'

/** Notes on the figures of small files. */
const ABOUT_SMALL = 'The first add of a new process includes compiling its code; a warm process has added the same ' +
  'before. All sides take the files of a tree from one source, which reads eight ahead. The floor writes as many ' +
  'blocks of the same sizes. Plain Helia does not compress: where the codec alone takes longer than all that it ' +
  'does, no add that compresses is as fast'

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

      const plans = (options.smoke ? SMOKE : COMMAND_SIZES).map(async plan => ({
        ...plan,
        file: await fileOfSize(corpus, mixed, plan.size)
      }))
      const commands = await compareCommands(await Promise.all(plans), corpus.directory)
      const file = { name: 'a file of 1 MB', size: MB, input: await fileOfSize(corpus, mixed, MB) }
      const trees = listTrees(corpus, options)
        .map(({ name, size, directory, paths }) => ({ name, size, input: { directory, paths } }))
      const small = await compareSmallAdds([
        { ...file, ...options.smoke ? { rounds: 1, times: 1 } : { rounds: 9, times: 10 } },
        ...trees.map(tree => ({ ...tree, ...options.smoke ? { rounds: 1, times: 1 } : { rounds: 5, times: 4 } }))
      ], join(corpus.directory, 'store'))

      return [
        { title: `Adding ${mixed.name}, on an FsBlockstore`, rows: adds },
        { title: `Small files, on an FsBlockstore. ${ABOUT_SMALL}`, rows: small },
        { title: `Reading ${mixed.name}`, rows: reads },
        { title: `Commands that add and read ${mixed.name}. ${ABOUT_COMMANDS}`, rows: commands }
      ]
    })
  }
}
