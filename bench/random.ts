import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { mark, MARKERS } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { random } from '../test/support/data.ts'
import { run } from '../test/support/tools.ts'
import { median, NoInputError, rotate, rounded, sum } from './benchmark.ts'
import { CountingBlockstore } from './support/blocks.ts'
import { mixedFile, withCorpus } from './support/corpus.ts'
import { compressing, DEFAULT, FILE_SYSTEMS, PLAIN } from './support/file-systems.ts'
import { createRepo, environment, hasKubo, startKubo } from './support/kubo.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Files } from './support/file-systems.ts'

const KIB = 1024
const READ = 4 * KIB

/** Frame sizes in KiB, for zstd at its default level. */
const FRAME_SIZES = [64, 256, 1024, 4096, 16_384]

/** How many reads of a whole-file stream are enough: each starts at the beginning of the stream. */
const STREAM_READS = 8

/** A file as one side stores it. */
interface Subject {
  name: string
  files: Pick<Files, 'cat'>
  cid: CID
  /** None if another process reads. */
  blockstore?: CountingBlockstore
  stored: number
  /** Milliseconds, blocks and bytes of each read. */
  reads: Array<{ wall: number, blocks: number, bytes: number }>
  /** How many reads there are in a round. */
  count: number
}

export const benchmark: Benchmark = {
  question: 'how long reading 4 KiB at a random place takes, and how many blocks and bytes it reads, by frame size, ' +
    'beside plain Helia, Kubo and a `.zst`',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const { path, size, name } = await mixedFile(corpus, options)

      if (size <= READ) {
        throw new NoInputError(`There is no room for ${READ} bytes anywhere in ${name}: name a larger file`)
      }

      const rounds = options.smoke ? 1 : 5
      const count = options.smoke ? 20 : 60
      const kubo = await hasKubo() ? await prepareKubo(path, join(corpus.directory, 'kubo'), count) : undefined
      const subjects = [...await prepare(path, corpus.directory, count), ...kubo == null ? [] : [kubo.subject]]
      const next = random(1)

      // in a round, all sides read at the same places
      for (let round = 0; round < rounds; round++) {
        const places = Array.from(
          { length: Math.max(...subjects.map(({ count }) => count)) },
          () => next() * 256 % (size - READ)
        )

        for (const subject of rotate(subjects, round)) {
          for (const place of places.slice(0, subject.count)) {
            await read(subject, place)
          }
        }
      }

      await kubo?.stop()
      const plain = median(subjects[0].reads.map(({ wall }) => wall))

      return [
        {
          title: `${name}, ${size} bytes (${corpus.source}), on an FsBlockstore. One instance for each side does all ` +
            'reads; with ipfsz, it has read the root before and caches it. Kubo is asked by its RPC API, over loopback',
          rows: subjects.map(subject => toRow(subject, size, plain))
        }
      ]
    })
  }
}

async function prepare (path: string, directory: string, count: number): Promise<Subject[]> {
  const sides = {
    [PLAIN]: FILE_SYSTEMS[PLAIN],
    ...Object.fromEntries(
      FRAME_SIZES.map(size => [`ipfsz, frames of ${size} KiB`, compressing({ codec: 'zstd', frameSize: size * KIB })])
    )
  }
  const subjects: Subject[] = []

  for (const [name, create] of Object.entries(sides)) {
    const blockstore = await openStore(join(directory, name))
    const files = create(blockstore)
    const cid = await files.addByteStream(createReadStream(path))
    subjects.push({ name, files, cid, blockstore, stored: blockstore.bytes, reads: [], count })
  }

  // a single frame, as `zstd` makes it: a reader has to start at its beginning
  const blockstore = await openStore(join(directory, 'whole'))
  const stream = await promisify(zstdCompress)(await readFile(path), {
    params: { [constants.ZSTD_c_compressionLevel]: 3 }
  })
  const cid = await FILE_SYSTEMS[PLAIN](blockstore).addBytes(stream)

  // a file of a single raw block has no root that can be marked
  if (cid.code !== raw.code) {
    subjects.push({
      name: 'a whole-file .zst',
      files: FILE_SYSTEMS[DEFAULT](blockstore),
      cid: mark(cid, MARKERS.zstd),
      blockstore,
      stored: blockstore.bytes,
      reads: [],
      count: STREAM_READS
    })
  }

  return subjects
}

/** Kubo reads a range by its RPC API, from a daemon that runs. */
async function prepareKubo (
  path: string,
  repo: string,
  count: number
): Promise<{ subject: Subject, stop: () => Promise<void> }> {
  await createRepo(repo)
  const env = environment(repo)
  const cid = CID.parse(String(await run('ipfs', ['--offline', 'add', '-Q', path], undefined, env)).trim())
  const stats = JSON.parse(String(
    await run('ipfs', ['--offline', 'dag', 'stat', '--progress=false', '--enc=json', `${cid}`], undefined, env)
  )) as { TotalSize: number }
  const { call, stop } = await startKubo(repo, ['--offline'])
  const files: Subject['files'] = {
    async * cat (cid, { offset = 0, length = 0 } = {}) {
      const response = await call('cat', { arg: `${cid}`, offset: `${offset}`, length: `${length}` })
      yield new Uint8Array(await response.arrayBuffer())
    }
  }

  return { subject: { name: 'Kubo', files, cid, stored: stats.TotalSize, reads: [], count }, stop }
}

async function openStore (directory: string): Promise<CountingBlockstore> {
  const blockstore = new FsBlockstore(directory)
  await blockstore.open()

  return new CountingBlockstore(blockstore)
}

async function read ({ files, cid, blockstore, reads }: Subject, offset: number): Promise<void> {
  const { blocksRead = 0, bytesRead = 0 } = blockstore ?? {}
  const start = performance.now()
  let length = 0

  for await (const chunk of files.cat(cid, { offset, length: READ })) {
    length += chunk.byteLength
  }

  if (length !== READ) {
    throw new Error(`${length} bytes were read instead of ${READ}`)
  }

  reads.push({
    wall: performance.now() - start,
    blocks: (blockstore?.blocksRead ?? 0) - blocksRead,
    bytes: (blockstore?.bytesRead ?? 0) - bytesRead
  })
}

function toRow ({ name, stored, reads, blockstore }: Subject, size: number, plain: number): Row {
  const walls = reads.map(({ wall }) => wall).toSorted((a, b) => a - b)

  return {
    side: name,
    'ms, median': rounded(median(walls)),
    'ms, 95 of 100': rounded(walls[Math.floor(walls.length * 0.95)]),
    'times as fast': rounded(plain / median(walls)),
    'blocks a read': blockstore == null ? '-' : rounded(sum(reads.map(({ blocks }) => blocks)) / reads.length),
    'KiB a read': blockstore == null ? '-' : rounded(sum(reads.map(({ bytes }) => bytes)) / reads.length / KIB),
    'stored / original': Number((stored / size).toFixed(4)),
    reads: reads.length
  }
}
