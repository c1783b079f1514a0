import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env, execPath } from 'node:process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** What a program of docs/upstream prints last, with the installed package or with its patch. */
async function lastLine (name: string, patched?: { package: string }): Promise<string | undefined> {
  const preload = ['--no-warnings', '--import', join(import.meta.dirname, 'with-patch.ts')]
  const { stdout } = await promisify(execFile)(
    execPath,
    [...patched == null ? [] : preload, join(ROOT, `docs/upstream/programs/${name}.mjs`)],
    {
      env: {
        ...env,
        NODE_OPTIONS: '',
        ...patched == null
          ? {}
          : {
            PATCH: join(ROOT, `docs/upstream/${name}.patch`),
            PACKAGE: join(ROOT, 'node_modules', patched.package)
          }
      }
    }
  )

  return stdout.trim().split('\n').at(-1)
}

// what a patch is for is read in docs/upstream/README.md. A new version of the package may need another
it.concurrent.for([
  ['helia-bitswap', '@helia/bitswap', '0', '1'],
  ['helia-verified-fetch', '@helia/verified-fetch', '500', '400'],
  ['helia-utils', '@helia/utils', 'UnknownCodecError 1', 'UnknownCodecError 0'],
  ['helia', 'helia', 'false', 'true'],
  ['libp2p-yamux', '@libp2p/yamux', 'ReceiveWindowExceededError', '1048576'],
  ['libp2p', 'libp2p', '3', '2'],
  ['protons-runtime', 'protons-runtime', '0', '2147483648']
] as const)('the patch %s mends %s', async ([name, directory, before, after]) => {
  expect(await lastLine(name)).toBe(before)
  expect(await lastLine(name, { package: directory })).toBe(after)
})

it.concurrent.for([
  ['fzstd', '600'],
  ['helia-unixfs', 'CID(bafkreicl6ujc6ncfktctxxroxognfn7d2fqavvrryoc2lv6m4i6hpbkfti)'],
  ['http-parser', 'reads the same bytes for ever'],
  ['ipfs-unixfs-importer', '13n'],
  // the bug is one of Bun: scripts/other-runtimes.ts
  ['libp2p-noise', '2016']
] as const)('the program %s shows what a package does', async ([name, line]) => {
  expect(await lastLine(name)).toBe(line)
})

it('has a program here, or a type that npm run check compares, for each that is in the folder', () => {
  const source = readFileSync(import.meta.filename, 'utf8')

  expect(globSync('*.mjs', { cwd: join(ROOT, 'docs/upstream/programs') })
    .filter(file => !source.includes(`['${file.replace('.mjs', '')}', `))).toEqual([])
})
