import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { median, NoInputError, progress, rounded, spread } from './benchmark.ts'
import { singleFiles, withCorpus } from './support/corpus.ts'
import { GENERATORS } from './support/generate.ts'
import { floorOf, MEGABIT } from './support/links.ts'
import { runCommand } from './support/network/command.ts'
import { startProviders } from './support/network/providers.ts'
import { shapedProxy } from './support/shaped-proxy.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Corpus } from './support/corpus.ts'
import type { Link } from './support/links.ts'
import type { Offered, Providers } from './support/network/providers.ts'

const MB = 1e6
const ROUND_TRIP = 50

/** How many fetches run at a time below SLOW, because the processor is almost idle. Each has its own link. */
const AT_ONCE = 5
const SLOW = 20 * MEGABIT

interface Case {
  what: 'bytes that do not compress' | 'text'
  size: number
  rate: number
  times: number
}

/** Slow links, where a node that requests everything at once loses most, and a fast one, to see what requests cost. */
const CASES: readonly Case[] = [
  { what: 'bytes that do not compress', size: 20 * MB, rate: 10 * MEGABIT, times: 20 },
  { what: 'bytes that do not compress', size: 20 * MB, rate: 2 * MEGABIT, times: 5 },
  { what: 'text', size: 100 * MB, rate: 50 * MEGABIT, times: 5 }
]
const SMOKE: readonly Case[] = [{ what: 'text', size: MB, rate: 50 * MEGABIT, times: 1 }]

interface Fetched {
  /** Why the fetch failed, if it did. */
  failure?: string
  /** Milliseconds to the end of the command: from its start, and (`wall`) from its first byte on the link. */
  command: number
  wall: number
  down: number
}

export const benchmark: Benchmark = {
  question: 'how often `ipfsz cat` gets a whole file over a slow link from stock Helia, an ipfsz daemon and Kubo, ' +
    'and how long it takes',
  inputs: ['corpus'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const providers = await startProviders(corpus.directory)
      const rows: Row[] = []
      const cids: Row[] = []

      try {
        for (const given of options.smoke ? SMOKE : CASES) {
          const file = await makeFile(given, corpus)

          progress(`${given.size / MB} MB over ${given.rate / MEGABIT} Mbit/s, ${given.times} times`)

          const offers = await providers.offer(file)
          const fetched = await fetchTimes(given, offers, file, providers)
          rows.push(...offers.map(offered => toRow(given, offered, fetched.get(offered) ?? [])))

          // the same file is fetched over two links: list it once
          if (cids.every(({ CID }) => CID !== offers[0].cid)) {
            cids.push({ what: given.what, bytes: given.size, 'stored bytes': offers[0].stored, CID: offers[0].cid })
          }
        }
      } finally {
        await providers.close()
      }

      return [
        {
          title: `Times are from the first byte on the link to the end of the command. Below ${SLOW / MEGABIT} ` +
            `Mbit/s ${AT_ONCE} run at a time, each over its own link`,
          rows
        },
        { title: `What was fetched (${corpus.source})`, rows: cids }
      ]
    })
  }
}

async function makeFile ({ what, size }: Case, corpus: Corpus): Promise<string> {
  const path = join(corpus.directory, `${what}-${size}`.replaceAll(' ', '-'))

  if (what === 'text') {
    await pipeline(repeatText(corpus, size), createWriteStream(path))
  } else {
    await pipeline(Readable.from([GENERATORS['random.bin'](size)]), createWriteStream(path))
  }

  return path
}

/** The text files, repeated up to a size. A line before each repetition makes its blocks unique. */
async function * repeatText (corpus: Corpus, size: number): AsyncGenerator<Uint8Array> {
  const files: string[] = []

  for (const file of singleFiles(corpus)) {
    if (file.size > 0 && await isText(file.path)) {
      files.push(file.path)
    }
  }

  if (files.length === 0) {
    throw new NoInputError(`There is no text in ${corpus.source} to measure with: name another directory`)
  }

  for (let left = size, time = 0; left > 0; time++) {
    yield Buffer.from(`${time}\n`).subarray(0, left)
    left -= Math.min(left, `${time}\n`.length)

    for (const path of files) {
      if (left > 0) {
        for await (const chunk of createReadStream(path, { end: left - 1 })) {
          left -= (chunk as Buffer).byteLength
          yield chunk as Buffer
        }
      }
    }
  }
}

async function isText (path: string): Promise<boolean> {
  const file = await open(path)

  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024))

    return !buffer.subarray(0, bytesRead).includes(0) && !/\.(?:zip|mp[34])$/.test(path)
  } finally {
    await file.close()
  }
}

/** Fetch from each provider once in each round, so that other load on the machine affects all of them. */
async function fetchTimes (
  { rate, times }: Case,
  offers: readonly Offered[],
  file: string,
  providers: Providers
): Promise<Map<Offered, Fetched[]>> {
  const sha256 = await hashOf(file)
  const fetched = new Map<Offered, Fetched[]>(offers.map(offered => [offered, []]))
  const turns = Array.from({ length: times }, () => offers).flat().entries()

  await Promise.all(Array.from({ length: rate < SLOW ? AT_ONCE : 1 }, async () => {
    for (const [turn, offered] of turns) {
      fetched.get(offered)?.push(
        await fetchOnce({ rate, roundTrip: ROUND_TRIP }, offered, sha256, join(providers.directory, `fetched-${turn}`))
      )
    }
  }))

  return fetched
}

async function fetchOnce (
  link: Link,
  { cid, peer, port, stored }: Offered,
  sha256: string,
  repo: string
): Promise<Fetched> {
  const proxy = await shapedProxy({ target: port, ...link })
  const start = performance.now()

  try {
    const address = `/ip4/127.0.0.1/tcp/${proxy.port}/p2p/${peer}`
    const { good, sha256: got, size, stderr } = await runCommand(['cat', cid, '--repo', repo, '--peer', address])
    const end = performance.now()
    const { down } = proxy.traffic()

    if (good && down < stored) {
      throw new Error(`A fetch bypassed the link: only ${down} of ${stored} bytes passed through it`)
    }

    return {
      command: end - start,
      wall: end - (proxy.firstByte() ?? start),
      down,
      ...good && got === sha256 ? {} : { failure: stderr || `${size} other bytes` }
    }
  } finally {
    await proxy.close()
    await rm(repo, { recursive: true, force: true })
  }
}

function toRow ({ what, size, rate }: Case, { name, stored }: Offered, fetched: readonly Fetched[]): Row {
  const good = fetched.filter(({ failure }) => failure == null)
  const seconds = good.map(({ wall }) => wall / 1000)
  const floor = floorOf(stored, { rate, roundTrip: ROUND_TRIP }) / 1000
  const has = (value: () => number): string | number => good.length === 0 ? '-' : rounded(value())

  return {
    'Mbit/s': rate / MEGABIT,
    'round trip, ms': ROUND_TRIP,
    MB: rounded(size / MB),
    what,
    'stored MB': rounded(stored / MB),
    provider: name,
    whole: `${good.length} of ${fetched.length}`,
    seconds: has(() => median(seconds)),
    spread: good.length === 0 ? '-' : spread(seconds),
    'floor, s': rounded(floor),
    'times the floor': has(() => median(seconds) / floor),
    'times the bytes alone': has(() => median(seconds) / (stored * 8 / rate)),
    'with the start of the command, s': has(() => median(good.map(({ command }) => command / 1000))),
    'MB down': has(() => median(good.map(({ down }) => down)) / MB),
    failed: fetched.find(({ failure }) => failure != null)?.failure ?? ''
  }
}

async function hashOf (path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)

  return hash.digest('hex')
}
