import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { progress, rounded } from './benchmark.ts'
import { commandEnvironment, runCommand } from './support/run-command.ts'
import { generateTree } from './support/generate.ts'
import { createRepo, environment, hasKubo } from './support/kubo.ts'
import { measureTree } from './support/library-trees.ts'
import { hasRestic, resticVariables } from './support/restic.ts'
import { withCorpus } from './support/corpus.ts'
import { withDirectory } from './support/temporary.ts'
import { listTrees } from './support/trees.ts'
import type { Benchmark, BenchmarkOptions, Row, Table } from './benchmark.ts'

/** Files of the folder. */
const FILES = 10_000
/** Rounds: the best of each row counts, as the machine may be busy. */
const ROUNDS = 2

export const benchmark: Benchmark = {
  question: 'how long it takes to add a folder of 10,000 small files, to add it again when nothing has changed, and ' +
    'to write it back, beside Kubo and restic; and how many bytes directories of small files take in the library',
  inputs: ['corpus'],

  async run (options) {
    return [await measureCommands(options), await measureLibrary(options)]
  }
}

async function measureCommands ({ smoke }: BenchmarkOptions): Promise<Table> {
  const rows = new Map<string, Row>()

  await withDirectory(async directory => {
    const folder = join(directory, 'folder')
    await writeTree(folder, smoke ? 300 : FILES)
    const restic = await hasRestic()
    const kubo = await hasKubo()

    for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) {
      const repo = join(directory, `repo-${round}`)
      const other = join(directory, `restic-${round}`)
      const kuboRepo = join(directory, `kubo-${round}`)
      const back = join(directory, 'back')
      const env = {
        ...environment(kuboRepo),
        ...commandEnvironment(repo, directory),
        ...resticVariables(other)
      }
      await runCommand(`ipfsz init --layout packs${restic ? ' && restic init -q' : ''}`, env)

      if (kubo) {
        await createRepo(kuboRepo)
      }

      const lines = [
        ['ipfsz add', `ipfsz add -Q ${folder}`],
        ['ipfsz add, again', `ipfsz add -Q ${folder}`],
        ['ipfsz add, again, --no-cache', `ipfsz add -Q --no-cache ${folder}`],
        ['ipfsz get', `ipfsz get CID -o ${back}`],
        ['ipfs add', `ipfs add --offline -Q -r ${folder}`],
        ['ipfs add, again', `ipfs add --offline -Q -r ${folder}`],
        ['ipfs get', `ipfs get --offline -p=false CID -o ${back}`],
        ['restic backup', `restic backup -q ${folder}`],
        ['restic backup, again', `restic backup -q ${folder}`],
        ['restic restore', `restic restore -q latest --target ${back}`]
      ]
      const installed = ['ipfsz', ...kubo ? ['ipfs'] : [], ...restic ? ['restic'] : []]
      let cid = ''

      for (const [name, line] of lines.filter(([name]) => installed.includes(name.split(' ')[0]))) {
        progress(`${name}, round ${round + 1}`)
        const { wall, cpu, peak, stdout } = await runCommand(line.replace('CID', cid), env)
        cid = stdout
        await rm(back, { recursive: true, force: true })
        const [ms, processor] = [Math.round(wall), Math.round(cpu)]
        const row = { side: name, ms, 'processor ms': processor, 'peak MB': rounded(peak / 1e6) }

        if (!(wall > Number(rows.get(name)?.['ms']))) {
          rows.set(name, row)
        }
      }
    }
  })

  return { title: `A folder of ${smoke ? 300 : FILES} files, with commands`, rows: [...rows.values()] }
}

async function measureLibrary (options: BenchmarkOptions): Promise<Table> {
  return withCorpus(options, async corpus => {
    const rows: Row[] = []

    for (const tree of listTrees(corpus, options)) {
      progress(tree.name)
      rows.push(...await measureTree(tree, corpus.directory))
    }

    return { title: `Trees of ${corpus.source}, on an FsBlockstore, each file once`, rows }
  })
}

async function writeTree (directory: string, files: number): Promise<void> {
  for (const [path, bytes] of generateTree(files)) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  }
}
