import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { progress } from './benchmark.ts'
import { countingProxy } from './support/counting-proxy.ts'
import { generateTree } from './support/generate.ts'
import { commandEnvironment, runCommand } from './support/run-command.ts'
import { withDirectory } from './support/temporary.ts'
import { startS3, stopS3 } from '../test/interop/s3/server.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { CountingProxy } from './support/counting-proxy.ts'

/** Files of the folder. */
const FILES = 5700
/** Milliseconds that each request waits. */
const DELAYS = [0, 20]

interface Step {
  name: string
  ipfsz: string
  restic: string
}

const STEPS: readonly Step[] = [
  { name: 'add', ipfsz: 'ipfsz add -Q folder > cid', restic: 'restic backup -q folder' },
  { name: 'add again', ipfsz: 'ipfsz add -Q folder', restic: 'restic backup -q folder' },
  { name: 'get', ipfsz: 'ipfsz get -o got $(cat cid)', restic: 'restic restore -q latest --target got' },
  {
    name: 'get on another node',
    ipfsz: 'IPFSZ_PATH=other ipfsz get -o again $(cat cid)',
    restic: 'restic restore -q latest --target again --cache-dir other'
  },
  {
    name: 'delete half',
    ipfsz: 'ipfsz add -Q half && ipfsz pin rm $(cat cid)',
    restic: 'restic backup -q half && restic forget -q --keep-last 1 --group-by host'
  },
  { name: 'collect', ipfsz: 'ipfsz gc', restic: 'restic prune -q' }
]

export const benchmark: Benchmark = {
  question: 'how long a folder of 5,700 files takes to and from an S3 store of packs, and in how many requests, ' +
    'beside restic if it is installed: without a delay, and with 20 ms a request',
  inputs: ['corpus'],

  async run ({ smoke, corpus }) {
    const rows: Row[] = []
    const hasRestic = await runCommand('restic version', process.env).then(() => true, () => false)
    const server = await startS3()

    try {
      for (const delay of smoke ? DELAYS.slice(0, 1) : DELAYS) {
        const proxy = await countingProxy(server.endpoint, delay)

        try {
          await withDirectory(async directory => {
            await makeFolders(directory, corpus ?? (smoke ? 60 : FILES))
            rows.push(...await measureStores(directory, proxy, { delay, hasRestic }))
          })
        } finally {
          await proxy.close()
        }
      }
    } finally {
      await stopS3(server)
    }

    return [{ title: 'an S3 store of packs', rows }]
  }
}

async function measureStores (
  directory: string,
  proxy: CountingProxy,
  { delay, hasRestic }: { delay: number, hasRestic: boolean }
): Promise<Row[]> {
  const rows: Row[] = []
  const sides = ['ipfsz', ...hasRestic ? ['restic' as const] : []] as const
  const store = `s3://ipfsz-${delay}/store?endpoint=${proxy.url}`
  const env = {
    ...commandEnvironment('repo', directory),
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    RESTIC_PASSWORD: 'none',
    RESTIC_REPOSITORY: `s3:${proxy.url}/restic-${delay}`
  }
  const run = async (line: string): ReturnType<typeof runCommand> => runCommand(`cd ${directory} && ${line}`, env)
  await fetch(`${proxy.url}/ipfsz-${delay}`, { method: 'PUT' })
  await run(`ipfsz init --store '${store}' && IPFSZ_PATH=other ipfsz init --store '${store}'`)
  await (hasRestic ? run('restic init -q') : undefined)

  for (const step of STEPS) {
    for (const side of sides) {
      progress(`${step.name}, ${side}, ${delay} ms`)
      proxy.take()
      const { wall, cpu } = await run(step[side])
      const { requests: { GET = 0, PUT = 0, ...others }, bytes } = proxy.take()
      const rest = Object.values(others).reduce((sum, n) => sum + n, 0)
      await rm(join(directory, 'got'), { recursive: true, force: true })
      await rm(join(directory, 'again'), { recursive: true, force: true })
      rows.push({
        ms: delay, step: step.name, side, s: seconds(wall), 's of processor': seconds(cpu),
        requests: GET + PUT + rest, GET, PUT, others: rest, MB: Math.round(bytes / 1e5) / 10
      })
    }
  }

  return rows
}

/** The folder, and the half of its entries. */
async function makeFolders (directory: string, source: string | number): Promise<void> {
  const folder = join(directory, 'folder')

  if (typeof source === 'string') {
    await cp(source, folder, { recursive: true, verbatimSymlinks: true })
  } else {
    for (const [path, bytes] of generateTree(source)) {
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, bytes)
    }
  }

  for (const [i, name] of (await readdir(folder)).toSorted().entries()) {
    await (i % 2 === 0 ? cp(join(folder, name), join(directory, 'half', name), { recursive: true }) : undefined)
  }
}

function seconds (milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}
