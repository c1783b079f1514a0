import { availableParallelism } from 'node:os'
import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import {
  DEFAULT_FRAME_SIZE,
  DEFAULT_IN_FLIGHT_BYTES,
  frameConcurrency,
  InvalidFrameSizeError,
  MIN_FRAME_SIZE
} from '@ipfsz/core'
import { codecLevels } from '../bench/codec-levels.ts'
import { listFiles, measureSavings } from '../bench/folder.ts'
import { measure, sizeOf } from '../bench/measure.ts'
import { readSample } from '../bench/sample.ts'
import { sizeCell } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import { resolvePath } from '../io.ts'
import { UsageError } from '../errors.ts'
import type { CodecLevel } from '../bench/codec-levels.ts'
import type { Savings } from '../bench/folder.ts'
import type { Measurement } from '../bench/measure.ts'
import type { Cell } from '../terminal/row.ts'
import type { Context } from '../context.ts'

/** The longest that measuring may take, in seconds. */
const DEFAULT_TIME = 30

export interface BenchCommandOptions {
  codec?: string[]
  level?: number[]
  frameSize?: number
  time?: number
}

type Result = Measurement & { level: CodecLevel }

export async function bench (
  paths: string[],
  options: BenchCommandOptions,
  { io, output, signal }: Context
): Promise<void> {
  const { codec, level, frameSize = DEFAULT_FRAME_SIZE, time = DEFAULT_TIME } = options

  if (frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw new InvalidFrameSizeError(frameSize, MIN_FRAME_SIZE, MAX_FRAME_SIZE)
  }

  if (time < 1) {
    throw new UsageError(`--time is ${time}, but must be at least 1 (seconds)`)
  }

  const compared = codecLevels(allCodecs(), { names: codec, levels: level })
  const given = paths.map(path => resolvePath(path, io))
  const files = await listFiles(given, signal)
  const { size, frames } = await readSample(files, frameSize, signal)
  const sampled = sizeOf(frames)
  const concurrency = frameConcurrency(frameSize, DEFAULT_IN_FLIGHT_BYTES)
  const clock = { signal, now: () => performance.now() }
  const end = clock.now() + time * 1000
  const results: Result[] = []
  const progress = output.progress('measuring', compared.length, 'level')

  try {
    for (const [i, level] of compared.entries()) {
      const start = clock.now()
      // a fast level leaves its time to those after it
      const share = start + (end - start) / (compared.length - i)
      results.push({ level, ...await measure(level, frames, { ...clock, end, share, concurrency }) })
      progress.add(1)
    }
  } finally {
    progress.end()
  }

  if (results.every(({ measured }) => measured === 0)) {
    throw new UsageError(`--time ${time} is too short to measure anything: allow more`)
  }

  const isFolder = files.length !== given.length || files.some((file, i) => file !== given[i])
  const savings = isFolder ? await measureSavings(files, allCodecs(), signal) : undefined

  if (output.json) {
    results.forEach(result => { output.result(toObject(result), '') })
    const summary = { files: paths, size, sampled, frameSize, threads: availableParallelism() }
    output.result(savings == null ? summary : { ...summary, saves: savings.saves }, '')
  } else {
    output.result({}, output.table([
      ['CODEC', 'LEVEL', 'RUNS', 'RATIO', 'COMPRESS', 'DECOMPRESS', 'MEASURED'],
      ...results.map(toRow)
    ]))

    const unmeasured = results.filter(({ measured }) => measured === 0).length

    if (unmeasured > 0) {
      output.note(`no time was left for ${count(unmeasured, 'level')}: allow more, such as --time ${time * 4}`)
    }

    if (sampled < size) {
      output.note(`measured a sample of ${formatSize(sampled)}, spread over ${formatSize(size)}`)
    }

    if (savings != null) {
      output.note(savingsNote(savings))
    }
  }
}

/** Without figures if it was not measured. */
function toObject ({ level: { codec, level }, measured, ...figures }: Result): Record<string, unknown> {
  const { stored, compress, decompress } = figures

  return {
    codec: codec.name,
    level,
    implementation: codec.implementation,
    measured,
    ...measured === 0 ? {} : { stored, ratio: stored / measured, compress, decompress }
  }
}

function toRow ({ level: { codec, level }, measured, stored, compress, decompress }: Result): Cell[] {
  return [
    codec.name,
    String(level),
    codec.implementation,
    ...measured === 0
      ? ['-', '-', '-']
      : [(stored / measured).toFixed(3), speedCell(compress), speedCell(decompress)],
    sizeCell(measured)
  ]
}

function savingsNote ({ sampled, saves: { dictionaries, cut, filters } }: Savings): string {
  const [byDictionaries, byCuts, byFilters] = [dictionaries, cut, filters].map(part => `${Math.round(part * 100)} %`)

  return `on ${formatSize(sampled)} of whole files, add saves ${byDictionaries} with --dictionaries, ` +
    `${byCuts} with --cut content, and ${byFilters} with filters, which are on`
}

function speedCell (bytes: number): Cell {
  return { text: `${formatSize(bytes)}/s`, width: 0, plain: String(bytes) }
}
