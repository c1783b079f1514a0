import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Written by scripts from the errors and the help of the command. API reports, in `etc`, are no documents. */
const GENERATED = ['docs/command.md', 'docs/troubleshooting.md']
function linesOf (pattern: string, isCounted: (file: string) => boolean = () => true): number {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', pattern], {
    cwd: ROOT, encoding: 'utf8'
  }).trim().split('\n').filter(isCounted)

  return files.reduce((sum, file) => sum + readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1, 0)
}

// so that something is deleted or shortened whenever something is added
it('keeps all documents that are written by hand below 5,000 lines', () => {
  expect(linesOf('*.md', file => !GENERATED.includes(file))).toBeLessThanOrEqual(5000)
})

it('keeps the benchmarks, with their tests, below 6,000 lines of code', () => {
  expect(linesOf('bench/*.ts')).toBeLessThanOrEqual(6000)
})
