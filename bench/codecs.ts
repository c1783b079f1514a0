import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { median, rounded, spread } from './benchmark.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { measureInPage } from './support/in-page.ts'
import { measureCodecs } from './support/measure-codec.ts'
import type { Benchmark, BenchmarkOptions, Row } from './benchmark.ts'
import type { CodecMeasurement } from './support/measure-codec.ts'

/** The default frame size of an add, in bytes. */
const FRAME_SIZE = 4 * 1024 * 1024
const ROUNDS = 5

/** The script of a page that fetches the bytes and measures with them. */
const SCRIPT = `
  import { measureCodecs } from '${join(import.meta.dirname, 'support/measure-codec.ts')}'

  window.measure = async rounds => {
    const bytes = new Uint8Array(await (await fetch('bytes')).arrayBuffer())
    return measureCodecs(
      Array.from(
        { length: Math.ceil(bytes.byteLength / ${FRAME_SIZE}) },
        (_, i) => bytes.slice(i * ${FRAME_SIZE}, (i + 1) * ${FRAME_SIZE})
      ),
      rounds
    )
  }
`

export const benchmark: Benchmark = {
  question: 'how small and how fast each implementation of each codec is, in Node and in Chromium, ' +
    'one frame of 4 MiB at a time',
  inputs: ['corpus', 'file'],

  async run (options) {
    const { bytes, name } = await readSample(options)
    const rounds = options.smoke ? 1 : ROUNDS
    const pieces = Array.from(
      { length: Math.ceil(bytes.byteLength / FRAME_SIZE) },
      (_, i) => bytes.slice(i * FRAME_SIZE, (i + 1) * FRAME_SIZE)
    )
    const node = await measureCodecs(pieces, rounds)
    const browser = await measureInPage<CodecMeasurement[]>(SCRIPT, bytes, rounds)

    return [{
      title: `${bytes.byteLength} bytes of ${name}`,
      rows: node.map(
        row => toRow(
          row,
          browser.find(
            ({ codec, implementation, level }) =>
              codec === row.codec && implementation === row.implementation && level === row.level
          )
        )
      )
    }]
  }
}

/** The file that `--file` names, or pieces of the corpus: more would take slow levels too long. */
async function readSample (options: BenchmarkOptions): Promise<{ bytes: Uint8Array, name: string }> {
  return withCorpus(options, async corpus => {
    const mixed = await mixedFile(corpus, options)
    const path = options.file ?? await fileOfSize(corpus, mixed, options.smoke ? 300_000 : 2 * FRAME_SIZE)

    return { bytes: new Uint8Array(await readFile(path)), name: mixed.name }
  })
}

function toRow (node: CodecMeasurement, browser: CodecMeasurement | undefined): Row {
  return {
    codec: node.codec,
    runs: node.implementation,
    level: node.level ?? '-',
    ratio: node.ratio?.toFixed(3) ?? '-',
    ...speedsOf('Node, compress', node.compress),
    ...speedsOf('Node, decompress', node.decompress),
    ...speedsOf('Chromium, compress', browser?.compress ?? []),
    ...speedsOf('Chromium, decompress', browser?.decompress ?? [])
  }
}

function speedsOf (what: string, speeds: readonly number[]): Row {
  return {
    [`${what} MB/s`]: speeds.length === 0 ? '-' : rounded(median(speeds)),
    [`${what}, spread`]: speeds.length === 0 ? '-' : spread(speeds)
  }
}
