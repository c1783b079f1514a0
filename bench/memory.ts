import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { progress, rounded } from './benchmark.ts'
import { mixedFile, withCorpus } from './support/corpus.ts'
import { DEFAULT, PLAIN } from './support/file-systems.ts'
import { runTask } from './support/task.ts'
import type { Benchmark, Row } from './benchmark.ts'

const MB = 1e6

/**
 * None from 2 to 4 GiB: protons-runtime 8.0.1 writes such numbers of a UnixFS message
 * wrongly, with bytes that were in memory before, so plain Helia cannot read what it added.
 */
const SIZES = [10 * MB, 100 * MB, 1000 * MB, 4300 * MB]
const SMOKE = [MB, 5 * MB]

export const benchmark: Benchmark = {
  question: 'whether memory stays the same however large a file is: the most resident memory of a process that adds or reads it',

  async run (options) {
    return withCorpus(options, async corpus => {
      const { path, name } = await mixedFile(corpus, options)
      const rows: Row[] = []

      for (const size of options.smoke ? SMOKE : SIZES) {
        progress(`${size / MB} MB`)

        for (const side of [PLAIN, DEFAULT]) {
          const directory = join(corpus.directory, 'store')
          await mkdir(directory)

          rows.push(await measureSide(side, size, path, directory))
          await rm(directory, { recursive: true })
        }
      }

      return [{ title: `${name} again and again, on an FsBlockstore (${corpus.source})`, rows }]
    })
  }
}

async function measureSide (side: string, size: number, file: string, directory: string): Promise<Row> {
  const task = { files: side, store: 'fs' as const, directory, file, size, times: 1 }

  try {
    const added = await runTask({ ...task, action: 'add' })
    const read = await runTask({ ...task, action: 'cat', cid: added.cid })

    return {
      MB: size / MB,
      side,
      'before, MB': rounded(added.base / MB),
      'add, MB': rounded(added.peak / MB),
      'cat, MB': rounded(read.peak / MB),
      'add, s': rounded(added.walls[0] / 1000),
      'cat, s': rounded(read.walls[0] / 1000),
      failed: '',
      CID: added.cid
    }
  } catch (err) {
    // a process that ran out of memory, for one
    return { MB: size / MB, side, failed: err instanceof Error ? err.message : String(err) }
  }
}
