import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { brokenLinks } from '../../scripts/broken-links.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ipfsz-broken-links-'))
  mkdirSync(join(root, 'packages/core/src/dag'), { recursive: true })
  writeFileSync(join(root, 'packages/core/src/dag/read.ts'), '')
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

function check (text: string): string[] {
  writeFileSync(join(root, 'page.md'), text)

  return brokenLinks(root, ['*.md'])
}

it('finds links to missing files and headings', () => {
  expect(check('# A page\n[here](#a-page) [there](#another) [file](other.md)')).toEqual([
    'page.md:2: #another does not exist',
    'page.md:2: other.md does not exist'
  ])
})

it('finds paths of the repository that do not exist', () => {
  expect(check('`packages/core/src/dag/read.ts` `packages/core/src/dag/write.ts`')).toEqual([
    'page.md:1: packages/core/src/dag/write.ts does not exist'
  ])
})

it('checks short paths below the folder that a section names', () => {
  expect(check([
    '`nowhere.ts`',
    '## Core',
    'Paths are below `packages/core/src`.',
    '`dag/read.ts` `dag/write.ts` `dag/`: `read.ts`, `walk.ts`',
    '### Reading',
    '`cat.ts`',
    '## Others',
    '`nowhere.ts`'
  ].join('\n'))).toEqual([
    'page.md:4: dag/write.ts does not exist',
    'page.md:4: walk.ts does not exist',
    'page.md:6: cat.ts does not exist'
  ])
})
