import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { median, progress, rounded, spread } from './benchmark.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { MEGABIT } from './support/links.ts'
import { printedBy, runCommand, startCommandDaemon } from './support/network/command.ts'
import { processCpu } from './support/process-cpu.ts'
import { shapedProxy } from './support/shaped-proxy.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Link } from './support/links.ts'

const MB = 1e6

interface Case {
  link: Link
  size: number
}

const CASES: readonly Case[] = [
  { link: { rate: 10 * MEGABIT, roundTrip: 50 }, size: 6 * MB },
  { link: { rate: 50 * MEGABIT, roundTrip: 50 }, size: 24 * MB }
]
const SMOKE: readonly Case[] = [{ link: CASES[1].link, size: MB }]

interface Side {
  name: string
  /** Options of the daemons on both sides. */
  args: readonly string[]
  /** Which CID of the file is fetched. */
  fetches: 'original' | 'compressed'
}

const SIDES: readonly Side[] = [
  { name: 'the original, plain', args: [], fetches: 'original' },
  { name: 'the original, --compress-connections', args: ['--compress-connections'], fetches: 'original' },
  { name: 'the compressed file, plain', args: [], fetches: 'compressed' }
]

interface Fetched {
  /** Milliseconds from the start of `ipfsz cat` to its end. */
  wall: number
  /** Processor time of both daemons, in milliseconds. */
  cpu: number
  down: number
}

/** A repo with a file, which is linked to its original. */
interface Offered extends Record<Side['fetches'], string> {
  repo: string
}

export const benchmark: Benchmark = {
  question: 'how long `ipfsz cat` takes to fetch an uncompressed original from one `ipfsz daemon ' +
    '--serve-originals` to another over a link of limited rate, with compressed connections and without',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const rows: Row[] = []
      const cids: Row[] = []

      for (const { link, size } of options.smoke ? SMOKE : CASES) {
        const directory = join(corpus.directory, `repos-${size}`)
        await mkdir(directory)
        const offered = await offer(await fileOfSize(corpus, mixed, size), directory)
        cids.push({ bytes: size, original: offered.original, compressed: offered.compressed })
        rows.push(...await compare({ link, size }, offered, directory, options.smoke ? 1 : 3))
      }

      return [
        {
          title: 'Both daemons are connected before. Seconds are those of the whole command, CPU that of both daemons',
          rows
        },
        { title: `What was fetched (${corpus.source})`, rows: cids }
      ]
    })
  }
}

async function offer (file: string, directory: string): Promise<Offered> {
  const repo = join(directory, 'providing')
  await printedBy(['add', '--link', '--repo', repo, file])
  const [line] = await printedBy(['originals', 'index', '--json', '--repo', repo])

  return { repo, ...JSON.parse(line) as Record<Side['fetches'], string> }
}

/** Measure every side once in each round, so that other load on the machine affects all of them. */
async function compare (given: Case, offered: Offered, directory: string, rounds: number): Promise<Row[]> {
  const { link: { rate, roundTrip }, size } = given
  const measured = new Map<Side, Fetched[]>(SIDES.map(side => [side, []]))

  progress(`${size / MB} MB over ${rate / MEGABIT} Mbit/s, ${rounds} times`)

  for (let round = 0; round < rounds; round++) {
    for (const side of SIDES) {
      measured.get(side)?.push(await fetchOnce(side, given, offered, join(directory, 'fetching')))
    }
  }

  const secondsOf = (side: Side): number[] => (measured.get(side) ?? []).map(({ wall }) => wall / 1000)
  const plain = median(secondsOf(SIDES[0]))

  return SIDES.map(side => ({
    'Mbit/s': rate / MEGABIT,
    'round trip, ms': roundTrip,
    MB: size / MB,
    side: side.name,
    seconds: rounded(median(secondsOf(side))),
    spread: spread(secondsOf(side)),
    'times as fast': rounded(plain / median(secondsOf(side))),
    'MB down': rounded(median((measured.get(side) ?? []).map(({ down }) => down)) / MB),
    "daemons' CPU ms": rounded(median((measured.get(side) ?? []).map(({ cpu }) => cpu)))
  }))
}

async function fetchOnce (side: Side, { link, size }: Case, offered: Offered, repo: string): Promise<Fetched> {
  const provider = await startCommandDaemon(offered.repo, ['--serve-originals', ...side.args])
  const proxy = await shapedProxy({ target: provider.port, ...link })
  const fetching = await startCommandDaemon(repo, side.args)
  const cpuOf = async (): Promise<number> => await processCpu(provider.pid) + await processCpu(fetching.pid)

  try {
    await printedBy(['connect', `/ip4/127.0.0.1/tcp/${proxy.port}/p2p/${provider.peer}`, '--repo', repo])
    const [cpu, { down }, start] = [await cpuOf(), proxy.traffic(), performance.now()]
    const run = await runCommand(['cat', offered[side.fetches], '--repo', repo])
    const wall = performance.now() - start

    if (!run.good || run.size !== size) {
      throw new Error(`${side.name}: read ${run.size} bytes of ${size}: ${run.stderr}`)
    }

    return { wall, cpu: await cpuOf() - cpu, down: proxy.traffic().down - down }
  } finally {
    await fetching.stop()
    await proxy.close()
    await provider.stop()
    await rm(repo, { recursive: true, force: true })
  }
}
