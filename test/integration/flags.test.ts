/** Flags of which one would be ignored where the other is given. */
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
    ['--no-sync of a Kubo', ['add', 'file', '--kubo', 'http://127.0.0.1:1', '--no-sync']],
    ['--link of a Kubo', ['add', 'file', '--kubo', 'http://127.0.0.1:1', '--link']],
    ['a level of no codec', ['add', 'file', '--codec', 'none', '--level', '3']],
    ['frames of no codec', ['add', 'file', '--codec', 'none', '--frame-size', '1MiB']],
    ['to compress at any rate without a codec', ['add', 'file', '--codec', 'none', '--no-detect']],
    ['what auto is to make small where it does not choose', ['add', 'file', '--optimize', 'size']],
    ['a peer that is not to be asked', ['cat', PLAIN, '--offline', '--peer', PEER]],
    ['to wait for nobody', ['get', PLAIN, '--offline', '--timeout', '10s']],
    ['--offline for the providers of a CID', ['providers', PLAIN, '--offline']],
    ['--offline for publishing a name', ['name', 'publish', PLAIN, '--offline']],
    ['--offline for resolving a name', ['name', 'resolve', 'x', '--offline']],
    ['a window of what is not decompressed', ['cat', PLAIN, '--raw', '--max-window', '16MiB']],
    ['a window of what is not read', ['link', 'add', PLAIN, MARKED, '--unchecked', '--max-window', '16MiB']],
    ['to compress again with nothing', ['blockstore', 'convert', '--codec', 'none', '--again']],
    ['peers to begin with, and none', ['daemon', '--bootstrap', 'none', '--bootstrap', PEER]]
  ])('refuses %s', async ([, args], { sandbox }) => {
    await sandbox.write('file', text(100))

    expectFailure(await sandbox.run(args), 2)
    await expect(access(sandbox.repo)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
