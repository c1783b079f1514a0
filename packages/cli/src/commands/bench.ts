import { availableParallelism } from 'node:os'
import { allCodecs } from '@ipfsz/codecs/all'
import { InvalidFrameSizeError } from '@ipfsz/core'
import { addCommand } from '../bench/advice.ts'
import { candidates } from '../bench/candidates.ts'
import { choose } from '../bench/choose.ts'
import { estimate } from '../bench/estimate.ts'
import { measure } from '../bench/measure.ts'
import { sizeOf } from '../bench/pass.ts'
import { reportObjects, reportText } from '../bench/report.ts'
import { readSample } from '../bench/sample.ts'
import { Status } from '../bench/status.ts'
import { terminalOf } from '../bench/terminal.ts'
import { UsageError } from '../errors.ts'
import type { Context } from '../context.ts'
import type { Measurement } from '../bench/summarize.ts'

/** As for `ipfsz add`, which makes frames of 4 MiB from 64 KiB to 16 MiB. */
const DEFAULT_FRAME_SIZE = 4 * 1024 * 1024
const MIN_FRAME_SIZE = 64 * 1024
const MAX_FRAME_SIZE = 16 * 1024 * 1024
/** Original bytes in all frames that `ipfsz add` works on at one time, 32 MiB. */
const IN_FLIGHT_BYTES = 32 * 1024 * 1024
/** How long measuring takes at most, in seconds. */
const DEFAULT_TIME = 15

export interface BenchCommandOptions {
  codec?: string[]
  level?: number[]
  frameSize?: number
  time?: number
}

/** Compare codecs and levels on files, and say which to use. */
export async function bench (paths: string[], options: BenchCommandOptions, { output, signal }: Context): Promise<void> {
  const { codec, level, frameSize = DEFAULT_FRAME_SIZE, time = DEFAULT_TIME } = options
  const threads = availableParallelism()

  if (frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw new InvalidFrameSizeError(frameSize, MIN_FRAME_SIZE, MAX_FRAME_SIZE)
  }

  if (time < 1) {
    throw new UsageError('--time is a number of seconds from 1')
  }

  const compared = candidates(allCodecs(), { names: codec, levels: level })
  const { size, frames } = await readSample(paths, frameSize, signal)
  const sampled = sizeOf(frames)
  const status = new Status(time)

  const measurements = await untilAborted(signal, measure(compared, frames, {
    time: time * 1000,
    width: threads,
    concurrency: Math.max(2, Math.min(threads + 2, Math.floor(IN_FLIGHT_BYTES / frameSize))),
    signal,
    now: () => performance.now(),
    onStart ({ label }) { status.show(label) }
  })).finally(() => status.end())

  const rows = estimate(measurements, size, sampled)
  const choice = choose(rows)
  const command = addCommand(choice.row, paths, frameSize === DEFAULT_FRAME_SIZE ? undefined : frameSize)
  const report = { paths, size, sampled, frameSize, threads, time, rows, choice, command }

  if (output.json) {
    reportObjects(report).forEach(object => { output.result(object, '') })
  } else {
    output.result({}, reportText(report, terminalOf(process.stdout, process.env, process.platform)))
  }
}

/** A frame at a slow level takes seconds, and cannot be told to stop. */
async function untilAborted (signal: AbortSignal, work: Promise<Measurement[]>): Promise<Measurement[]> {
  const abort = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => { reject(signal.reason as Error) }, { once: true })
  })

  return Promise.race([work, abort])
}
