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
import { addCommand } from '../bench/advice.ts'
import { codecLevels } from '../bench/codec-levels.ts'
import { choose } from '../bench/choose.ts'
import { estimate } from '../bench/estimate.ts'
import { measure } from '../bench/measure.ts'
import { sizeOf } from '../bench/pass.ts'
import { reportObjects, reportText } from '../bench/report.ts'
import { readSample } from '../bench/sample.ts'
import { Status } from '../bench/status.ts'
import { terminalOf } from '../bench/terminal.ts'
import { resolvePath } from '../io.ts'
import { UsageError } from '../errors.ts'
import type { Context } from '../context.ts'

/** The longest that measuring may take, in seconds. */
const DEFAULT_TIME = 30
/** Longer times are suggested in steps of this many seconds. */
const TIME_STEP = 10

export interface BenchCommandOptions {
  codec?: string[]
  level?: number[]
  frameSize?: number
  time?: number
}

/** Compare codecs and levels on files, and recommend one. */
export async function bench (
  paths: string[],
  options: BenchCommandOptions,
  { io, output, signal }: Context
): Promise<void> {
  const { codec, level, frameSize = DEFAULT_FRAME_SIZE, time = DEFAULT_TIME } = options
  const threads = availableParallelism()

  if (frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw new InvalidFrameSizeError(frameSize, MIN_FRAME_SIZE, MAX_FRAME_SIZE)
  }

  if (time < 1) {
    throw new UsageError(`--time is ${time}, but must be at least 1 (seconds)`)
  }

  const compared = codecLevels(allCodecs(), { names: codec, levels: level })
  const { size, frames } = await readSample(paths.map(path => resolvePath(path, io)), frameSize, signal)
  const sampled = sizeOf(frames)
  const status = new Status(io, time)

  const { measurements, unmeasured, needed } = await measure(compared, frames, {
    time: time * 1000,
    width: threads,
    concurrency: frameConcurrency(frameSize, DEFAULT_IN_FLIGHT_BYTES),
    signal,
    now: () => performance.now(),
    onStart ({ label }) { status.show(label) }
  }).finally(() => status.end())

  // rounded up: the machine may be busier the next time
  const neededTime = Math.ceil(needed / 1000 / TIME_STEP) * TIME_STEP

  if (measurements.length === 0) {
    throw new UsageError(`--time ${time} is too short to measure anything: use --time ${neededTime}`)
  }

  const rows = estimate(measurements, size, sampled)
  const choice = choose(rows)
  const command = addCommand(choice.row, paths, frameSize === DEFAULT_FRAME_SIZE ? undefined : frameSize, io.command)
  const report = {
    paths, size, sampled, frameSize, threads, time, rows, unmeasured, needed: neededTime, choice, command
  }

  if (output.json) {
    reportObjects(report).forEach(object => { output.result(object, '') })
  } else {
    output.result({}, reportText(report, terminalOf(io.stdout, io.env, process.platform)))
  }
}
