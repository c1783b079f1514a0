/**
 * Runs a benchmark: `npm run bench -- NAME [--smoke] [--json FILE] [--file FILE]`.
 * Each file beside this one is a benchmark and begins with the question it answers.
 */
import { globSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import type { Benchmark } from './benchmark.ts'

const OTHERS = new Set(['run', 'benchmark', 'measure-codec', 'link-datastores', 'read-links'])
const names = globSync('*.ts', { cwd: import.meta.dirname }).map(file => basename(file, '.ts')).filter(name => !OTHERS.has(name))
const { values, positionals: [name] } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    json: { type: 'string' },
    file: { type: 'string' }
  }
})

if (!names.includes(name)) {
  console.error(`Name a benchmark: ${names.join(', ')}`)
  process.exitCode = 2
} else {
  const { benchmark } = await import(`./${name}.ts`) as { benchmark: Benchmark }

  console.info(`${name}: ${benchmark.question}\nNode ${process.versions.node}, ${process.platform} ${process.arch}\n`)
  const rows = await benchmark.run({ smoke: values.smoke, ...values.file == null ? {} : { file: values.file } })
  console.table(rows)

  if (values.json != null) {
    writeFileSync(values.json, `${JSON.stringify({ name, question: benchmark.question, node: process.versions.node, rows }, undefined, 2)}\n`)
  }
}
