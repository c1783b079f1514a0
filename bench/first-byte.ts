import { rm, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { median, progress, rotate, rounded } from './benchmark.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { observeCommand } from './support/first-byte/observe-command.ts'
import { startSources } from './support/first-byte/sources.ts'
import { MEGABIT } from './support/links.ts'
import { commandEnvironment } from './support/run-command.ts'
import { shapedProxy } from './support/shaped-proxy.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Steps } from './support/first-byte/observe-command.ts'
import type { Source } from './support/first-byte/sources.ts'
import type { Link } from './support/links.ts'

const MB = 1e6

/** Notes on the figures. */
const ABOUT = 'Repos that fetch are new: opening one makes it, and syncs its directories. The link does not delay ' +
  'the handshake of TCP. Over libp2p, the root comes after the encryption, the protocols and the request. Of its own ' +
  'repo, the command reads the root with the first frame'

/** Undefined: loopback as it is. */
const LINKS: ReadonlyArray<Link | undefined> = [undefined, { rate: 50 * MEGABIT, roundTrip: 50 }]

export const benchmark: Benchmark = {
  question: 'where the time goes until `ipfsz cat` prints its first byte, from every source of a file',
  inputs: ['corpus', 'file'],

  async run (options) {
    const { smoke } = options
    const rounds = smoke ? 1 : 7

    return withCorpus(options, async corpus => {
      // more than one frame, whose memory is used again
      const size = smoke ? 5 * MB : 16 * MB
      const file = await fileOfSize(corpus, await mixedFile(corpus, options), size)
      const { cid, stored, sources, stop } = await startSources(corpus.directory, file)
      const runs = sources.flatMap(source => (source.port == null ? [undefined] : smoke ? [LINKS[1]] : LINKS)
        .map(link => ({ source, link, steps: new Array<Steps>() })))

      try {
        // the round before the first one fills caches
        for (let round = smoke ? 1 : 0; round <= rounds; round++) {
          progress(`round ${round} of ${rounds}`)

          for (const { source, link, steps } of rotate(runs, round)) {
            const measured = await measureOnce(source, link, cid, corpus.directory)

            if (round > 0) {
              steps.push(measured)
            }
          }
        }
      } finally {
        await stop()
      }

      return [
        {
          title: `Milliseconds of each step, one after the other, medians of ${rounds} runs with a file of ` +
            `${size / MB} MB. ${ABOUT}`,
          rows: runs.map(({ source, link, steps }) => toRow(source, link, steps))
        },
        { title: `What was read (${corpus.source})`, rows: [{ bytes: size, 'stored bytes': stored, CID: cid }] }
      ]
    })
  }
}

async function measureOnce (source: Source, link: Link | undefined, cid: string, directory: string): Promise<Steps> {
  const own = join(directory, 'fetcher')
  const repo = source.repo ?? join(own, 'repo')
  await mkdir(own)

  const proxy = link == null || source.port == null ? undefined : await shapedProxy({ target: source.port, ...link })
  const { args, end } = await source.prepare(proxy?.port ?? source.port ?? 0, repo)

  try {
    return await observeCommand(['cat', cid, '--repo', repo, ...args], repo, own, commandEnvironment(repo, directory))
  } finally {
    await end?.()
    await proxy?.close()
    await rm(own, { recursive: true, force: true })
  }
}

function toRow ({ name }: Source, link: Link | undefined, runs: readonly Steps[]): Row {
  const durations = runs.map(durationsOf)
  const of = (step: string): string | number => {
    const times = durations.map(times => times.get(step)).filter(time => time != null)

    return times.length === 0 ? '-' : rounded(median(times))
  }

  return {
    source: name,
    link: link == null ? 'loopback' : `${link.rate / MEGABIT} Mbit/s, ${link.roundTrip} ms`,
    ...Object.fromEntries(STEPS.map(([step]) => [step, of(step)])),
    'first byte': rounded(median(runs.map(({ spawned, printed }) => printed - spawned)))
  }
}

/** What a column has, and when that ends. */
const STEPS: ReadonlyArray<readonly [string, (steps: Steps) => number | undefined]> = [
  ['start of Node', ({ started }) => started],
  ['loading', ({ repo }) => repo],
  ['opening the repo', ({ network, dials }) => network ?? dials.at(0)],
  ['starting a node', ({ network, dials }) => network == null ? undefined : dials.at(0)],
  ['dialling', ({ connected }) => connected],
  ['routing', ({ network, dials }) => network == null ? dials.at(1) : undefined],
  ['root', ({ root }) => root],
  ['first frame', ({ frame }) => frame],
  ['decompressing', ({ decompressed }) => decompressed],
  ['printing', ({ printed }) => printed]
]

/** The milliseconds of each step that a run took: from the end of the one before. */
function durationsOf (steps: Steps): Map<string, number> {
  const durations = new Map<string, number>()
  let before = steps.spawned

  for (const [step, endOf] of STEPS) {
    const end = endOf(steps)

    if (end != null) {
      durations.set(step, end - before)
      before = end
    }
  }

  return durations
}
