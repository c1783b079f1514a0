import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { reports } from '../../scripts/api-report.ts'

const ETC = join(import.meta.dirname, '../../etc')

// a change of a public type is a change of a file in etc: it is seen in review
it('has a current report of the public types of every package: npx node scripts/api-report.ts writes them', () => {
  const written = globSync('*.d.ts', { cwd: ETC }).map(file => [file, readFileSync(join(ETC, file), 'utf8')])

  expect(Object.fromEntries(written)).toEqual(
    Object.fromEntries(reports().entries().map(([file, text]) => [basename(file), text]))
  )
})
