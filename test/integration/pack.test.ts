import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

it('has packs alone say which Node they need, and where the repository is', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ipfsz-pack-'))
  const manifest = readFileSync(join(ROOT, 'packages/utils/package.json'), 'utf8')
  const prepare = (name: string | undefined, ...args: string[]): string => {
    const env = { ...process.env, GITHUB_SERVER_URL: undefined, GITHUB_REPOSITORY: name }
    execFileSync(process.execPath, [join(ROOT, 'scripts/pack.ts'), ...args], { cwd, env })

    return readFileSync(join(cwd, 'package.json'), 'utf8')
  }

  onTestFinished(async () => rm(cwd, { recursive: true }))
  await writeFile(join(cwd, 'package.json'), manifest)

  const added = { ...JSON.parse(manifest), engines: { node: '>=22.15' } }

  expect(JSON.parse(prepare(undefined))).toEqual(added)
  expect(readdirSync(cwd).toSorted()).toEqual(['LICENSE-APACHE', 'LICENSE-MIT', 'package.json'])
  expect(prepare(undefined, '--undo')).toBe(manifest)
  // as npm compares it with the provenance
  expect(JSON.parse(prepare('owner/name'))).toEqual({
    ...added,
    repository: { type: 'git', url: 'git+https://github.com/owner/name.git', directory: `packages/${basename(cwd)}` }
  })
  expect(prepare('owner/name', '--undo')).toBe(manifest)
})

it('packs each package so', () => {
  for (const name of readdirSync(join(ROOT, 'packages'))) {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }

    expect(scripts.prepack).toMatch(/^node \.\.\/\.\.\/scripts\/pack\.ts(?: |$)/)
    expect(scripts.postpack).toBe('node ../../scripts/pack.ts --undo')
  }
})
