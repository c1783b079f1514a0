import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readResults, toPage } from '../bench/report/report.ts'

const ROOT = dirname(import.meta.dirname)
/** Where the pages are written. Git ignores it. */
const OUTPUT = join(import.meta.dirname, 'benchmarks')

/** Write a page with all figures of each benchmark. docs/benchmarks.md says what they mean. */
export function writeBenchmarks (): void {
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(OUTPUT)

  for (const [name, result] of readResults(join(ROOT, 'bench/results'))) {
    writeFileSync(join(OUTPUT, `${name}.md`), `${toPage(result)}\n`)
  }
}
