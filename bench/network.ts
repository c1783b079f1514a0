import { median, progress, rounded, spread } from './benchmark.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { floorOf, LINKS, MEGABIT } from './support/links.ts'
import { startSides } from './support/network/sides.ts'
import { shapedProxy } from './support/shaped-proxy.ts'
import type { Benchmark, Row, Table } from './benchmark.ts'
import type { Link } from './support/links.ts'
import type { Fetched } from './support/network/messages.ts'
import type { Offer, Side } from './support/network/side.ts'
import type { Traffic } from './support/shaped-proxy.ts'

const MB = 1e6

/** Bytes to fetch, by Mbit/s: a few seconds each. More at 10 Mbit/s would take most of the run's time. */
const SIZES: Readonly<Record<number, number>> = { 10: 6 * MB, 50: 24 * MB, 1000: 64 * MB }

/** All sides over all links take eight minutes. */
const ROUNDS = 1

/** The link over which the whole corpus is fetched. */
const WHOLE: Link = { rate: 50 * MEGABIT, roundTrip: 50 }

/** A fetch times out after this many times the floor of the uncompressed bytes, and this many ms at the earliest. */
const PATIENCE = 4
const LEAST_PATIENCE = 20_000

/** The most of a file's stored bytes that are in the nodes above its leaves. */
const NODES = 0.001

/** Notes on the figures. */
const ABOUT = 'Helia, with and without ipfsz, fetches into memory; Kubo and the command fetch to disk. That of ' +
  '"ipfsz, zstd" is made by withIpfsz; its node is stock otherwise. The time of the command includes dialling; the ' +
  'others are connected before'

interface Measured extends Fetched, Traffic {}

/** A file to fetch, as each side offers it. */
interface Subject {
  size: number
  offers: Map<Side, Offer>
}

export const benchmark: Benchmark = {
  question: 'how long fetching a file from another node takes, over links of limited rate and delay, and how many ' +
    'bytes it moves',
  inputs: ['corpus', 'file'],

  async run (options) {
    const { smoke } = options

    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const links = smoke ? [LINKS[7]] : LINKS
      const network = await startSides(corpus.directory)

      try {
        const tables: Table[] = []
        const rows: Row[] = []
        let subject: Subject | undefined

        for (const link of links) {
          const size = smoke ? 3 * MB : SIZES[link.rate / MEGABIT]
          const { sides } = network

          // each rate has a size of its own
          if (subject?.size !== size) {
            subject = await offerAll(await fileOfSize(corpus, mixed, size), size, sides)
          }

          rows.push(...await compare(link, subject, sides, ROUNDS))
        }

        if (!smoke) {
          const { sides } = network
          const whole = await offerAll(mixed.path, mixed.size, sides)
          tables.push({
            title: `${mixed.name}, over ${WHOLE.rate / MEGABIT} Mbit/s and ${WHOLE.roundTrip} ms`,
            rows: await compare(WHOLE, whole, sides, 3)
          })
        }

        return [{ title: `Parts of the file over every link (${corpus.source}). ${ABOUT}`, rows }, ...tables]
      } finally {
        await network.close()
      }
    })
  }
}

async function offerAll (file: string, size: number, sides: readonly Side[]): Promise<Subject> {
  const offers = new Map<Side, Offer>()

  for (const side of sides) {
    offers.set(side, await side.offer(file))
  }

  return { size, offers }
}

/** Measure every side once in each round, so that other load on the machine affects all of them. */
async function compare (link: Link, subject: Subject, sides: readonly Side[], rounds: number): Promise<Row[]> {
  const measured = new Map<Side, Measured[]>(sides.map(side => [side, []]))

  progress(
    `${rounded(subject.size / MB)} MB over ${link.rate / MEGABIT} Mbit/s and ${link.roundTrip} ms, ${rounds} times`
  )

  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      measured.get(side)?.push(await fetchOnce(side, link, subject))
    }
  }

  const plain = whole(measured.get(sides[0]) ?? [])

  return sides.map(side => toRow(side, link, subject, measured.get(side) ?? [], plain))
}

async function fetchOnce (side: Side, link: Link, { size, offers }: Subject): Promise<Measured> {
  const proxy = await shapedProxy({ target: side.port, ...link })
  const offer = offers.get(side) as Offer
  let before = proxy.traffic()

  try {
    const timeout = Math.ceil(Math.max(LEAST_PATIENCE, PATIENCE * floorOf(size, link)))
    const fetched = await side.fetch(offer, proxy, size, timeout, () => { before = proxy.traffic() })
    const after = proxy.traffic()
    const down = after.down - before.down

    // a file takes at least its stored bytes, except over a compressed connection; of a file over HTTP, all but
    // the nodes
    // above its leaves
    if (fetched.failure == null && down < offer.stored * (1 - NODES) && side.compressesOnTheWay !== true) {
      throw new Error(`${side.name} bypassed the link: only ${down} of ${offer.stored} bytes passed through it`)
    }

    return { ...fetched, up: after.up - before.up, down }
  } finally {
    await proxy.close()
  }
}

/** The fetches that were completed. */
function whole (measured: readonly Measured[]): Measured[] {
  return measured.filter(({ failure }) => failure == null)
}

function toRow (
  side: Side,
  link: Link,
  { size, offers }: Subject,
  measured: readonly Measured[],
  plain: readonly Measured[]
): Row {
  const { stored } = offers.get(side) as Offer
  const good = whole(measured)
  const seconds = good.map(({ wall }) => wall / 1000)
  // failed fetches count only if all failed
  const passed = good.length === 0 ? measured : good
  const failures = measured.flatMap(
    ({ failure, size }) => failure == null ? [] : [`${failure} after ${rounded(size / MB)} MB`]
  )
  const has = (value: () => number): string | number => good.length === 0 ? '-' : rounded(value())

  return {
    'Mbit/s': link.rate / MEGABIT,
    'round trip, ms': link.roundTrip,
    MB: rounded(size / MB),
    side: side.name,
    seconds: has(() => median(seconds)),
    spread: good.length === 0 ? '-' : spread(seconds),
    'first byte, s': has(() => median(good.map(({ first }) => first / 1000))),
    'floor, s': rounded(floorOf(stored, link) / 1000),
    // the floor of bytes that are compressed on the way is unknown
    'times the floor': side.compressesOnTheWay === true ? '-' : has(
      () => median(seconds) * 1000 / floorOf(stored, link)
    ),
    'times as fast': good.length === 0 || plain.length === 0 ? '-' : rounded(
      median(plain.map(({ wall }) => wall)) / median(good.map(({ wall }) => wall))
    ),
    'stored MB': rounded(stored / MB),
    'MB down': rounded(median(passed.map(({ down }) => down)) / MB),
    'MB up': rounded(median(passed.map(({ up }) => up)) / MB),
    "fetcher's CPU ms": good.some(({ cpu }) => cpu == null) ? '-' : has(() => median(good.map(({ cpu = 0 }) => cpu))),
    failed: failures.length === 0 ? '' : `${failures.length} of ${measured.length}: ${failures[0]}`
  }
}
