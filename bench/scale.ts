import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { progress } from './benchmark.ts'
import { commandEnvironment, runCommand } from './support/run-command.ts'
import { withDirectory } from './support/temporary.ts'
import { random } from '../test/support/data.ts'
import type { Benchmark, Row } from './benchmark.ts'

const DIRECTORIES = 1000
const FILES = [100_000, 1_000_000]
const WORDS = 'lines of small files repeat much of what others say, and shrink well together; '.repeat(30)

export const benchmark: Benchmark = {
  question: 'whether a repo of very many small files takes time in proportion to their number, and bounded memory: ' +
    'files of 100 to 2,000 bytes in 1,000 directories, of which half is then unpinned and collected',
  inputs: [],

  async run ({ smoke }) {
    const rows: Row[] = []

    for (const files of smoke ? [40] : FILES) {
      await withDirectory(async directory => { rows.push(...await measureFiles(directory, files)) })
    }

    return [{ title: 'processor time, since it grows with the work alone', rows }]
  }
}

async function measureFiles (directory: string, files: number): Promise<Row[]> {
  const repo = join(directory, 'repo')
  const env = commandEnvironment(repo, directory)
  const rows: Row[] = []
  const run = async (step: string, line: string): Promise<string> => {
    progress(`${files} files: ${step}`)
    const { cpu, wall, peak, stdout } = await runCommand(line, env)
    rows.push({ files, step, 's of processor': seconds(cpu), s: seconds(wall), 'peak MB': Math.round(peak / 1e6) })

    return stdout
  }
  const [all, half] = ['all', 'half'].map(name => join(directory, name))
  writeFiles(all, files, 1)
  // each second directory, so that half of each pack is garbage later
  writeFiles(half, files, 2)

  await runCommand('ipfsz init', env)
  const cid = await run('add', `ipfsz add -Q ${all}`)
  await runCommand(`ipfsz add -Q ${half}`, env)
  await run('list', 'ipfsz stats')
  await run('verify', 'ipfsz verify --all')
  await run('unpin and collect', `ipfsz pin rm ${cid} && ipfsz gc --max-unused 0`)
  rmSync(join(repo, 'blocks', 'index'), { recursive: true })
  await run('list without an index', 'ipfsz stats')
  await run('make the index, with an add', `ipfsz add -Q ${import.meta.filename}`)
  await run('verify what is left', 'ipfsz verify --all')

  return rows
}

/** The same files at each run. */
function writeFiles (directory: string, files: number, step: number): void {
  const next = random(8)

  for (let i = 0; i < DIRECTORIES; i++) {
    const folder = join(directory, `${i}`)

    if (i % step === 0) {
      mkdirSync(folder, { recursive: true })
    }

    for (let file = i; file < files; file += DIRECTORIES) {
      const [size, at] = [100 + next() % 1901, next() % 400]

      if (i % step === 0) {
        writeFileSync(join(folder, `${file}`), `${file} ${next()} ${WORDS.slice(at)}`.slice(0, size))
      } else {
        next()
      }
    }
  }
}

function seconds (milliseconds: number): number {
  return Number((milliseconds / 1000).toFixed(1))
}
