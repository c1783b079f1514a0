/** Flags that the command would ignore because of another flag. */
import { access } from 'node:fs/promises'
import { CODES } from '@ipfsz/codecs'
import { mark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, it } from './run-cli.ts'

const PLAIN = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
const MARKED = mark(CID.parse(PLAIN), CODES.zstd).toString()
const PEER = '/ip4/127.0.0.1/tcp/1'

describe.concurrent('the command', () => {
  it.for<[string, string[]]>([
    ['--no-sync with --kubo', ['add', 'file', '--kubo', 'http://127.0.0.1:1', '--no-sync']],
    ['--link with --kubo', ['add', 'file', '--kubo', 'http://127.0.0.1:1', '--link']],
    ['--level with --codec none', ['add', 'file', '--codec', 'none', '--level', '3']],
    ['--frame-size with --codec none', ['add', 'file', '--codec', 'none', '--frame-size', '1MiB']],
    ['--no-detect with --codec none', ['add', 'file', '--codec', 'none', '--no-detect']],
    ['--optimize without --codec auto', ['add', 'file', '--optimize', 'size']],
    ['--optimize ranges with --codec none', ['add', 'file', '--codec', 'none', '--optimize', 'ranges']],
    ['cat --peer with --offline', ['cat', PLAIN, '--offline', '--peer', PEER]],
    ['get --timeout with --offline', ['get', PLAIN, '--offline', '--timeout', '10s']],
    ['providers with --offline', ['providers', PLAIN, '--offline']],
    ['name publish with --offline', ['name', 'publish', PLAIN, '--offline']],
    ['name resolve with --offline', ['name', 'resolve', 'x', '--offline']],
    ['cat --max-window with --raw', ['cat', PLAIN, '--raw', '--max-window', '16MiB']],
    ['link add --max-window with --unchecked', ['link', 'add', PLAIN, MARKED, '--unchecked', '--max-window', '16MiB']],
    ['blockstore convert --again with --codec none', ['blockstore', 'convert', '--codec', 'none', '--again']],
    ['--bootstrap none with a bootstrap peer', ['daemon', '--bootstrap', 'none', '--bootstrap', PEER]]
  ])('refuses %s', async ([, args], { sandbox }) => {
    await sandbox.write('file', text(100))

    expectFailure(await sandbox.run(args), 2)
    await expect(access(sandbox.repo)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
