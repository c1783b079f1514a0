/** @module-tag nightly */
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
  ['blockstore-fs', 'blockstore-fs', 'NotFoundError, not listed', 'GetFailedError, listed'],
  ['helia-bitswap', '@helia/bitswap', '0', '1'],
  ['helia-bitswap-every-peer', '@helia/bitswap', '3 100000', '1 100000'],
  ['helia-bitswap-one-stream', '@helia/bitswap', '1', '2'],
  ['helia-verified-fetch', '@helia/verified-fetch', '500', '400'],
  ['helia-utils', '@helia/utils', 'UnknownCodecError 1', 'UnknownCodecError 0'],
  ['helia', 'helia', 'false', 'true'],
  ['ipfs-unixfs-exporter', 'ipfs-unixfs-exporter', '151', '10'],
  ['ipfs-unixfs-importer-directories', 'ipfs-unixfs-importer', '13 of 23 files', '23 of 23 files'],
  ['libp2p-yamux', '@libp2p/yamux', 'ReceiveWindowExceededError', '1048576'],
  ['libp2p', 'libp2p', '3', '2'],
  ['protons-runtime', 'protons-runtime', '0', '2147483648']
] as const)('the patch %s mends %s', async ([name, directory, before, after]) => {
  expect(await lastLine(name)).toBe(before)
  expect(await lastLine(name, { package: directory })).toBe(after)
})

it.concurrent.for([
  ['blockstore-s3', 'false, GetFailedError'],
  ['fzstd', '600'],
  ['helia-bitswap-again', '1'],
  ['helia-bitswap-repeated', '1'],
  ['helia-car', 'false'],
  ['helia-codecs', 'undefined 0'],
  ['helia-storage', 'has, get'],
  ['helia-unixfs', 'CID(bafkreicl6ujc6ncfktctxxroxognfn7d2fqavvrryoc2lv6m4i6hpbkfti)'],
  ['helia-unixfs-directories', 'false'],
  ['http-parser', 'reads the same bytes for ever'],
  ['ipfs-unixfs-importer', '13n'],
  ['ipld-car', '16 MiB taken'],
  ['kubo-rpc-client', '16777216'],
  ['libp2p-first', '/test'],
  ['libp2p-muxer', '0'],
  ['libp2p-negotiate', 'UnsupportedProtocolError'],
  ['libp2p-tcp', 'true'],
  ['lz4js', '5'],
  ['verified-fetch-head', '404, 200, 304'],
  ['verified-fetch-plugins', '200, 406, 500'],
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
