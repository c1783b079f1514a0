import { execFile } from 'node:child_process'
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
  ['helia-utils', '@helia/utils', 'UnknownCodecError 1', 'UnknownCodecError 0'],
  ['helia', 'helia', 'false', 'true'],
  ['libp2p-yamux', '@libp2p/yamux', 'ReceiveWindowExceededError', '1048576'],
  ['libp2p', 'libp2p', '3', '2'],
  ['protons-runtime', 'protons-runtime', '0', '2147483648']
] as const)('the patch %s mends %s', async ([name, directory, before, after]) => {
  expect(await lastLine(name)).toBe(before)
  expect(await lastLine(name, { package: directory })).toBe(after)
})
