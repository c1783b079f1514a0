import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { median, progress, rotate, rounded, spread } from './benchmark.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { LoadGenerator } from './support/gateway/load.ts'
import { ask, checkServers, HEADERS, KUBO, OURS, startServers } from './support/gateway/sides.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Server } from './support/gateway/sides.ts'

const MB = 1e6
const KB = 1e3

interface Plan {
  /** Bytes of the files that compress. */
  sizes: readonly number[]
  connections: readonly number[]
  rounds: number
  /** Of one measurement. */
  seconds: number
  /** Bytes of a file that does not compress. */
  incompressible: number
}

const FULL: Plan = {
  sizes: [KB, 100 * KB, 10 * MB, 100 * MB],
  connections: [16, 256],
  rounds: 3,
  seconds: 1,
  incompressible: 10 * MB
}

const SMOKE: Plan = { sizes: [100 * KB], connections: [16], rounds: 1, seconds: 1, incompressible: 10 * KB }

/** The connections with which a file that does not compress is asked for. */
const CONNECTIONS = 16

/** Notes on the figures. */
const ABOUT = 'wrk asks for one file again and again, and takes zstd. nginx serves the bytes that the gateway ' +
  'answers with, from files; Kubo serves the original bytes. All on one machine, from memory: nothing waits for a ' +
  'disk. Processor time is that of the server, without wrk. MB and bytes are those of the original file'

interface Subject {
  file: string
  size: number
  compressible: boolean
}

interface Measured {
  /** Responses a second. */
  rate: number
  /** Nanoseconds of processor time for each byte of the original. */
  cpu: number
}

export const benchmark: Benchmark = {
  question: 'how many requests a second the gateway answers with compressed files as they are stored, and how much ' +
    'processor time it takes, against nginx with the same bytes and Kubo\'s gateway',
  inputs: ['corpus', 'file'],

  async run (options) {
    const plan = options.smoke ? SMOKE : FULL

    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const generator = await LoadGenerator.open(corpus.directory)
      const subjects: Subject[] = []

      for (const size of plan.sizes) {
        subjects.push({ file: await fileOfSize(corpus, mixed, size), size, compressible: true })
      }

      const noise = join(corpus.directory, 'noise')
      await writeFile(noise, randomBytes(plan.incompressible))
      subjects.push({ file: noise, size: plan.incompressible, compressible: false })

      const files = subjects.map(({ file }) => file)
      const servers = await startServers(files, corpus.directory)

      try {
        await checkServers(servers, files)

        const rows: Row[] = []

        for (const subject of subjects) {
          for (const connections of subject.compressible ? plan.connections : [CONNECTIONS]) {
            rows.push(...await compare(subject, connections, servers, generator, plan))
          }
        }

        return [{ title: `Files of ${mixed.name}, and one of random bytes. ${ABOUT}`, rows }]
      } finally {
        await Promise.all(servers.map(async server => server.stop()))
      }
    })
  }
}

/** Measure every server once in each round, so that other load on the machine affects all of them. */
async function compare (
  subject: Subject,
  connections: number,
  servers: readonly Server[],
  generator: LoadGenerator,
  { rounds, seconds }: Plan
): Promise<Row[]> {
  const measured = new Map<Server, Measured[]>(servers.map(server => [server, []]))

  progress(`${subject.size / MB} MB, ${connections} connections`)

  // the first requests include compiling the code
  for (const server of rounds > 1 ? servers : []) {
    await measureOnce(server, subject, connections, generator, 1)
  }

  for (let round = 0; round < rounds; round++) {
    for (const server of rotate(servers, round)) {
      measured.get(server)?.push(await measureOnce(server, subject, connections, generator, seconds))
    }
  }

  const kubo = servers.find(({ name }) => name === KUBO)
  const theirs = kubo == null ? undefined : measured.get(kubo)

  return servers.map(server => toRow(server, subject, connections, measured.get(server) ?? [], theirs))
}

async function measureOnce (
  server: Server,
  { file, size }: Subject,
  connections: number,
  generator: LoadGenerator,
  seconds: number
): Promise<Measured> {
  const url = server.url(file)
  const { bytes } = await ask(url)
  const before = await server.cpu()
  const loaded = await generator.run({ url, connections, seconds, headers: HEADERS })
  const used = await server.cpu() - before
  // parts of responses count too: of large files few end in time
  const responses = loaded.bytes / bytes

  return { rate: responses / loaded.seconds, cpu: used * 1e6 / (responses * size) }
}

function toRow (
  { name }: Server,
  { size, compressible }: Subject,
  connections: number,
  measured: readonly Measured[],
  kubo: readonly Measured[] | undefined
): Row {
  const rates = measured.map(({ rate }) => rate)
  const cpu = median(measured.map(({ cpu }) => cpu))
  const times = (own: number, of: (theirs: Measured) => number): number | string =>
    kubo == null ? '-' : rounded(own / median(kubo.map(of)))

  return {
    MB: size / MB,
    file: compressible ? 'text' : 'random',
    connections,
    side: name === OURS && compressible ? `${OURS}, zstd 3` : name,
    'requests/s': rounded(median(rates)),
    spread: spread(rates),
    'MB/s': rounded(median(rates) * size / MB),
    'times Kubo\'s rate': times(median(rates), ({ rate }) => rate),
    'CPU ns a byte': rounded(cpu),
    'times Kubo\'s CPU': times(cpu, ({ cpu }) => cpu)
  }
}
