import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../test/support/tools.ts'
import { measure, median, progress, rotate, rounded, spread } from '../benchmark.ts'
import { cutPieces } from './small-blocks.ts'
import type { Row } from '../benchmark.ts'

const CLI = fileURLToPath(new URL('../../packages/cli/bin/ipfsz.js', import.meta.url))

/** The baseline. */
const UNSYNCED = 'ipfsz add --no-sync'
const SIDES: Readonly<Record<string, string[]>> = { [UNSYNCED]: ['--no-sync'], 'ipfsz add': [] }

/** Bytes in a small file. */
const SMALL = 2000

export interface SyncCostInit {
  /** A file to add. */
  file: string
  /** Its size in bytes. */
  size: number
  /** The file that small files are cut from, and how many. */
  source: string
  count: number
  rounds: number
  /** The directory for the repo and the small files. */
  directory: string
}

/** What syncing to disk costs `ipfsz add`: with a large file, and with a directory of small ones. */
export async function syncCost ({ file, size, source, count, rounds, directory }: SyncCostInit): Promise<Row[]> {
  const small = join(directory, 'small-files')
  const pieces = cutPieces(await readFile(source), SMALL, count)
  const walls = new Map<string, number[]>()
  const inputs = { [`a file of ${size / 1e6} MB`]: file, [`${count} files of ${SMALL} bytes`]: small }

  await mkdir(small)
  await Promise.all(pieces.map(async (bytes, i) => writeFile(join(small, `${i}`), bytes)))

  for (let round = 0; round < rounds; round++) {
    progress(`with and without sync, round ${round + 1} of ${rounds}`)

    for (const [input, path] of Object.entries(inputs)) {
      for (const side of rotate(Object.keys(SIDES), round)) {
        const repo = join(directory, 'synced-repo')
        // flush first, so that no run waits for the writes of another
        await run('sync', [])
        const { wall } = await measure(
          async () => run(process.execPath, [CLI, '--repo', repo, 'add', '-Q', ...SIDES[side], path])
        )
        await rm(repo, { recursive: true })
        walls.set(`${input}\n${side}`, [...walls.get(`${input}\n${side}`) ?? [], wall])
      }
    }
  }

  return Object.keys(inputs).flatMap(input => Object.keys(SIDES).map(side => {
    const [own, unsynced] = [side, UNSYNCED].map(side => walls.get(`${input}\n${side}`) ?? [])

    return {
      input,
      side,
      'times as fast': rounded(median(unsynced) / median(own)),
      'ms, median': rounded(median(own)),
      'ms, spread': spread(own),
      runs: own.length
    }
  }))
}
