/**
 * Feeds mutated frames to every decoder that runs here, and prints what it finds:
 *
 *   node packages/codecs/scripts/fuzz.ts [--codec NAME] [--implementation NAME] [--inputs N] [--seed N] [--number N]
 *
 * Each call answers with exactly the bytes that were asked for, or with a
 * CorruptFrameError. It ends within a time, the process stays within its memory, and
 * where several implementations read a frame they read the same. Unchanged frames are
 * included and must decode. With `--number`, only this one input is given to them, and
 * shown.
 *
 * Each implementation runs in a process of its own, which may hang or crash: an
 * outcome is added to a file after each input, so that the file tells at which one.
 */
import { fork } from 'node:child_process'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { crc32 } from 'node:zlib'
import { codecs } from '../src/all.ts'
import { NAMES, same } from '../test/fixtures.ts'
import { inputs, readers } from '../test/fuzz.ts'
import type { CodecName, ImplementationName } from '../src/codec.ts'
import type { Input } from '../test/fuzz.ts'

const DEFAULT_INPUTS = 100_000
/** One input in this many also goes through workers. */
const WORKERS_PART = 10
/** A process that answers nothing for so long is ended, in milliseconds. */
const HANG = 20_000
const POLL = 500
/** The most memory of a process, in MiB: several frames of 16 MiB, heaps, and what waits to be collected. */
const MAX_MEMORY = 1024
/** After so many findings an implementation is not tried any further. */
const MAX_FINDINGS = 10
/** Larger inputs are not shown: they can be made again. */
const MAX_SHOWN = 6000
/** How many kinds of errors are shown of an implementation. */
const MAX_REASONS = 30

/**
 * Where the libraries differ in which frames they refuse. Of libzstd is known that it
 * reads some streams of Huffman codes that end where they should not, and brotli's
 * decoder in Rust reads some that the one in C refuses.
 */
const MAY_READ_MORE: ReadonlySet<CodecName> = new Set(['zstd', 'brotli'])
/** Where they may also read something else. Two builds of libzstd do, of such a stream. */
const MAY_READ_OTHERWISE: ReadonlySet<CodecName> = new Set(['zstd'])

/** An outcome is a number of 8 bytes: the CRC-32 of the output, or this. */
const REFUSED = -1
const OUTCOME_LENGTH = 8

/** One implementation, and which inputs it is given. */
interface Task {
  codec: CodecName
  implementation: ImplementationName
  workers: boolean
  seed: number
  from: number
  to: number
  file: string
}

/** What a process tells in the end. */
interface Summary {
  seconds: number
  /** MiB */
  peak: number
  slowest: { ms: number, number: number }
  reasons: Record<string, number>
}

type Report = { finding: string, number: number } | { summary: Summary }

interface Row extends Summary {
  task: Task
  outcomes: number[]
}

const { values } = parseArgs({
  options: {
    codec: { type: 'string' },
    implementation: { type: 'string' },
    inputs: { type: 'string', default: String(DEFAULT_INPUTS) },
    seed: { type: 'string', default: '1' },
    number: { type: 'string' },
    task: { type: 'string' }
  }
})

if (values.task != null) {
  await runTask(JSON.parse(values.task) as Task)
} else {
  process.exitCode = await main(Number(values.seed)) === 0 ? 0 : 1
}

/** The number of findings. */
async function main (seed: number): Promise<number> {
  const names = NAMES.filter(name => values.codec == null || values.codec === name)
  const directory = mkdtempSync(join(tmpdir(), 'fuzz-'))
  const from = values.number == null ? 0 : Number(values.number)
  const to = values.number == null ? Number(values.inputs) : from + 1
  let findings = 0

  for (const codec of names) {
    const make = await inputs(codec, seed)
    const rows: Row[] = []
    const find = (number: number, what: string): void => {
      findings++
      console.log(`FOUND ${codec} ${what}: ${show(make(number), number, seed)}`)
    }

    if (values.number != null) {
      console.log(show(make(from), from, seed))
    }

    for (const implementation of readers(codec)) {
      if (values.implementation != null && values.implementation !== implementation) {
        continue
      }

      // native implementations have threads of their own
      for (const workers of implementation === 'native' ? [false] : [false, true]) {
        const last = workers ? from + Math.ceil((to - from) / WORKERS_PART) : to
        const task = {
          codec,
          implementation,
          workers,
          seed,
          from,
          to: last,
          file: join(directory, `${codec}-${implementation}-${workers}`)
        }
        const row = await runRow(task, (number, what) => { find(number, `${label(task)} ${what}`) })
        rows.push(row)
        print(row)
      }
    }

    compare(rows, find)
  }

  rmSync(directory, { recursive: true })
  console.log(`${findings} findings with the seed ${seed}`)

  return findings
}

/** Run one implementation to its end, in as many processes as that takes. */
async function runRow (task: Task, find: (number: number, what: string) => void): Promise<Row> {
  const row: Row = { task, outcomes: [], seconds: 0, peak: 0, slowest: { ms: 0, number: 0 }, reasons: {} }
  let findings = 0

  while (task.from + row.outcomes.length < task.to && findings < MAX_FINDINGS) {
    const from = task.from + row.outcomes.length
    const died = await runProcess({ ...task, from }, report => {
      if ('finding' in report) {
        findings++
        find(report.number, report.finding)
      } else {
        add(row, report.summary)
      }
    })

    const bytes = readFileSync(task.file)
    row.outcomes.push(
      ...Array.from(
        { length: Math.floor(bytes.byteLength / OUTCOME_LENGTH) },
        (_, i) => bytes.readDoubleLE(i * OUTCOME_LENGTH)
      )
    )

    if (died != null) {
      findings++
      find(task.from + row.outcomes.length, died)
      row.outcomes.push(Number.NaN)
    }
  }

  if (row.peak > MAX_MEMORY) {
    find(row.slowest.number, `took ${row.peak} MiB (the input is the slowest, not the largest)`)
  }

  return row
}

/** @returns how it ended, where it was not by itself */
async function runProcess (task: Task, receive: (report: Report) => void): Promise<string | undefined> {
  const file = openSync(task.file, 'w+')
  const child = fork(import.meta.filename, ['--task', JSON.stringify(task)])
  let length = 0
  let since = performance.now()
  let hung = false

  child.on('message', report => { receive(report as Report) })

  const timer = setInterval(() => {
    const { size } = fstatSync(file)

    if (size !== length) {
      length = size
      since = performance.now()
    } else if (performance.now() - since > HANG) {
      hung = true
      child.kill('SIGKILL')
    }
  }, POLL)

  const how = await new Promise<string | undefined>(resolve => {
    child.on('exit', (code, signal) => { resolve(code === 0 ? undefined : `crashed with ${code ?? signal}`) })
  })

  clearInterval(timer)
  closeSync(file)

  return hung ? `hangs, or takes more than ${HANG} ms` : how
}

/** What a process of its own does. */
async function runTask ({ codec: name, implementation, workers, seed, from, to, file }: Task): Promise<void> {
  const codec = codecs[name]({ implementation, workers })
  const make = await inputs(name, seed)
  const output = openSync(file, 'r+')
  const outcome = Buffer.alloc(OUTCOME_LENGTH)
  const reasons: Record<string, number> = {}
  const slowest = { ms: 0, number: 0 }
  const start = performance.now()

  for (let number = from; number < to; number++) {
    const input = make(number)
    const find = (finding: string): void => { process.send?.({ finding, number } satisfies Report) }
    const started = performance.now()
    let value = REFUSED

    try {
      const bytes = await codec.decompress(input.frame, { size: input.size, dictionary: input.dictionary })
      value = crc32(bytes)

      if (bytes.byteLength !== input.size || bytes.constructor !== Uint8Array) {
        find(`returns ${bytes.byteLength} bytes as ${bytes.constructor.name}`)
      } else if (input.bytes != null && !same(bytes, input.bytes)) {
        find('returns other bytes')
      }
    } catch (err) {
      const reason = describe(err)
      reasons[reason] = (reasons[reason] ?? 0) + 1

      if ((err as Error).name !== 'CorruptFrameError' || input.bytes != null) {
        find(`refuses with ${String(err)}`)
      }
    }

    const ms = performance.now() - started

    if (ms > slowest.ms) {
      Object.assign(slowest, { ms, number })
    }

    outcome.writeDoubleLE(value)
    writeSync(output, outcome)
  }

  const summary = {
    seconds: (performance.now() - start) / 1000,
    peak: Math.round(process.resourceUsage().maxRSS / 1024),
    slowest,
    reasons
  }
  await new Promise(resolve => { process.send?.({ summary } satisfies Report, resolve) })
  process.disconnect()
}

/** The kind of an error: without its numbers, with the name of what caused it. */
function describe (err: unknown): string {
  const { name, reason, message, cause } = err as Error & { reason?: string }

  const prefix = name === 'CorruptFrameError' ? '' : `${name}: `
  const text = (reason ?? message).replaceAll(/(0x)?\b-?[\da-f]*\d[\da-f]*\b/g, 'N')

  return `${prefix}${text}${cause instanceof Error ? ` (${cause.name})` : ''}`
}

function add (row: Row, { seconds, peak, slowest, reasons }: Summary): void {
  row.seconds += seconds
  row.peak = Math.max(row.peak, peak)
  row.slowest = slowest.ms > row.slowest.ms ? slowest : row.slowest

  for (const [reason, count] of Object.entries(reasons)) {
    row.reasons[reason] = (row.reasons[reason] ?? 0) + count
  }
}

/** Find outputs that differ, and where one implementation reads what another one refuses. */
function compare (rows: readonly Row[], find: (number: number, what: string) => void): void {
  const differences = new Map<string, number[]>()
  const note = (difference: string, number: number): void => {
    differences.set(difference, [...differences.get(difference) ?? [], number])
  }

  for (let i = 0; i < Math.max(0, ...rows.map(({ outcomes }) => outcomes.length)); i++) {
    const there = rows.filter(({ outcomes }) => i < outcomes.length && !Number.isNaN(outcomes[i]))
    const readers = there.filter(({ outcomes }) => outcomes[i] !== REFUSED)
    const { codec, from } = rows[0].task

    if (new Set(readers.map(({ outcomes }) => outcomes[i])).size > 1) {
      note(`${MAY_READ_OTHERWISE.has(codec) ? '' : '! '}is read as different bytes by ${name(readers)}`, from + i)
    }

    if (readers.length > 0 && readers.length < there.length) {
      note(
        `${MAY_READ_MORE.has(codec) ? '' : '! '}is read by ${name(readers)}, and refused by ${name(there.filter(row =>
          !readers.includes(row)))}`,
        from + i
      )
    }
  }

  for (const [difference, numbers] of differences) {
    console.log(`  ${difference}: ${numbers.length} times, ${numbers.slice(0, 5).join(', ')}`)

    if (difference.startsWith('!')) {
      find(numbers[0], difference)
    }
  }
}

function name (rows: readonly Row[]): string {
  return [...new Set(rows.map(({ task }) => task.implementation))].join(' and ')
}

function label ({ implementation, workers }: Task): string {
  return workers ? `${implementation} in workers` : implementation
}

function print ({ task, outcomes, seconds, peak, slowest, reasons }: Row): void {
  const accepted = outcomes.filter(outcome => outcome >= 0).length
  const refused = outcomes.filter(outcome => outcome === REFUSED).length

  console.log(
    `${task.codec.padEnd(7)}${label(task).padEnd(18)}${outcomes.length} inputs, ` +
    `${accepted} accepted, ${refused} refused, ${peak} MB peak, ${seconds.toFixed(1)} s, ` +
    `slowest ${slowest.ms.toFixed(0)} ms (${slowest.number})`
  )

  for (const [reason, count] of Object.entries(reasons).toSorted(([, a], [, b]) => b - a).slice(0, MAX_REASONS)) {
    console.log(`  ${String(count).padStart(7)} ${reason}`)
  }
}

function show ({ frame, size, dictionary }: Input, number: number, seed: number): string {
  const base64 = frame.byteLength <= MAX_SHOWN ? Buffer.from(frame).toString('base64') : `${frame.byteLength} bytes`

  return `seed ${seed}, number ${number}, size ${size}, dictionary ${dictionary?.byteLength ?? 0}, ${base64}`
}
