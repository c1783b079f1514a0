/** @module-tag long */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { listBlocks, removeBlock } from '../support/stored-blocks.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

const LAYOUTS = ['packs', 'files'] as const

/** What must work in every layout, in a repo with a tree and a linked file. */
const OPERATIONS: Readonly<Record<string, (sandbox: Sandbox, tree: string) => Promise<void>>> = {
  'get and verify': async (sandbox, tree) => {
    await ok(sandbox, 'get', tree, '-o', 'out')
    await ok(sandbox, 'diff', tree, tree)
    expect((await readFile(join(sandbox.directory, 'out/b/c'))).equals(noise(1_500_000))).toBe(true)
    await ok(sandbox, 'verify', '--all')
  },
  'add again, which stores nothing': async (sandbox, tree) => {
    const before = await listBlocks(sandbox.repo)
    expect((await ok(sandbox, 'add', '-Q', '--no-cache', 'in')).toString().trim()).toBe(tree)
    expect(await listBlocks(sandbox.repo)).toEqual(before)
  },
  'gc, which keeps what is pinned': async (sandbox, tree) => {
    await ok(sandbox, 'gc')
    const [{ blocks }] = await json(sandbox, 'stats')
    await sandbox.add(longText(6_000_000, 9), '--no-pin')
    const [{ removed }] = await json(sandbox, 'gc', '--max-unused', '0')
    expect(removed).toBeGreaterThan(0)
    expect((await json(sandbox, 'stats'))[0].blocks).toBe(blocks)
    await ok(sandbox, 'verify', tree)
  },
  'CARs': async (sandbox, tree) => {
    await ok(sandbox, 'car', 'export', tree, '-o', 'tree.car')
    await ok(sandbox, '--repo', 'other', 'car', 'import', 'tree.car')
    await ok(sandbox, '--repo', 'other', 'verify', '--all')
  },
  'migrations, from and to it': async sandbox => {
    await ok(sandbox, 'migrate', sandbox.repo, 'other')
    await ok(sandbox, '--repo', 'third', 'init', '--layout', 'files')
    await ok(sandbox, 'migrate', 'other', 'third')
    await ok(sandbox, '--repo', 'third', 'verify', '--all')
  },
  'repair, which names what is lost': async (sandbox, tree) => {
    await Promise.all((await listBlocks(sandbox.repo)).map(async block => removeBlock(sandbox.repo, block)))
    const { code, stdout } = await sandbox.run(['repair', '--offline', '--json'])
    expect(code).toBe(1)
    expect(stdout.toString()).toContain(tree)
    await ok(sandbox, 'add', '-Q', '--no-cache', 'in')
    await ok(sandbox, 'verify', tree)
  },
  'originals, du and histories': async sandbox => {
    await ok(sandbox, 'originals', 'index')
    await ok(sandbox, 'add', '--base', 'latest', 'in/a')
    await ok(sandbox, 'log', 'a')
    expect(await json(sandbox, 'du')).not.toEqual([])
  }
}

describe.concurrent.each(LAYOUTS)('a repo of %s', layout => {
  it.for(Object.keys(OPERATIONS))('works with %s', async (operation, { sandbox }) => {
    await ok(sandbox, 'init', '--layout', layout)
    await makeTree(join(sandbox.directory, 'in'), { a: text(100_000), 'b/c': noise(1_500_000), 'b/d': text(300, 2) })
    await sandbox.add(text(50_000, 7), '--link')
    const tree = (await ok(sandbox, 'add', '-Q', 'in')).toString().trim()

    await OPERATIONS[operation](sandbox, tree)
  })
})

async function ok (sandbox: Sandbox, ...args: string[]): Promise<Buffer> {
  const result = await sandbox.run(args)
  expect(result.code, `${args.join(' ')}: ${result.stderr}`).toBe(0)

  return result.stdout
}

async function json (sandbox: Sandbox, ...args: string[]): Promise<Array<Record<string, unknown>>> {
  const result = await sandbox.run(['--json', ...args])
  expectSuccess(result)

  return parseLines(result.stdout)
}
