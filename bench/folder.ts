import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { progress, rounded } from './benchmark.ts'
import { commandEnvironment, runCommand } from './support/run-command.ts'
import { generateTree } from './support/generate.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, Row } from './benchmark.ts'

/** Files of the folder. */
const FILES = 10_000
/** Rounds: the best of each row counts, as the machine may be busy. */
const ROUNDS = 3

export const benchmark: Benchmark = {
  question: 'how long it takes to add a folder of 10,000 small files, and to add it again when nothing has changed, ' +
    'beside restic if it is installed (its memory is not measured)',
  inputs: [],

  async run ({ smoke }) {
    const rows = new Map<string, Row>()

    await withDirectory(async directory => {
      const folder = join(directory, 'folder')
      await writeTree(folder, smoke ? 300 : FILES)
      const hasRestic = await runCommand('restic version', process.env).then(() => true, () => false)

      for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) {
        const repo = join(directory, `repo-${round}`)
        const other = join(directory, `restic-${round}`)
        const env = { ...commandEnvironment(repo, directory), RESTIC_PASSWORD: 'none', RESTIC_REPOSITORY: other }
        await runCommand(`ipfsz init --layout packs${hasRestic ? ' && restic init -q' : ''}`, env)

        const lines = [
          ['ipfsz add', `ipfsz add -Q ${folder}`],
          ['ipfsz add, again', `ipfsz add -Q ${folder}`],
          ['ipfsz add, again, --no-cache', `ipfsz add -Q --no-cache ${folder}`],
          ['restic backup', `restic backup -q ${folder}`],
          ['restic backup, again', `restic backup -q ${folder}`]
        ]

        for (const [name, line] of lines.filter(([name]) => hasRestic || name.startsWith('ipfsz'))) {
          progress(`${name}, round ${round + 1}`)
          const { wall, cpu, peak } = await runCommand(line, env)
          const [ms, processor] = [Math.round(wall), Math.round(cpu)]
          const row = { side: name, ms, 'processor ms': processor, 'peak MB': rounded(peak / 1e6) }

          if (!(wall > Number(rows.get(name)?.['ms']))) {
            rows.set(name, row)
          }
        }
      }
    })

    return [{ title: `a folder of ${smoke ? 300 : FILES} files`, rows: [...rows.values()] }]
  }
}

async function writeTree (directory: string, files: number): Promise<void> {
  for (const [path, bytes] of generateTree(files)) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  }
}
