import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

it('has a package say in its pack alone which Node it needs, and leaves its manifest as it was', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ipfsz-pack-'))
  const manifest = readFileSync(join(ROOT, 'packages/utils/package.json'), 'utf8')
  const prepare = (...args: string[]): string => {
    execFileSync(process.execPath, [join(ROOT, 'scripts/pack.ts'), ...args], { cwd })

    return readFileSync(join(cwd, 'package.json'), 'utf8')
  }

  onTestFinished(async () => rm(cwd, { recursive: true }))
  await writeFile(join(cwd, 'package.json'), manifest)

  expect(JSON.parse(prepare())).toEqual({ ...JSON.parse(manifest), engines: { node: '>=22.15' } })
  expect(readdirSync(cwd).toSorted()).toEqual(['LICENSE-APACHE', 'LICENSE-MIT', 'package.json'])
  expect(prepare('--undo')).toBe(manifest)
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
