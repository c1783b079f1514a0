import { gzipSync, zstdCompressSync } from 'node:zlib'
import { CODES } from '@ipfsz/codecs'
import { ipfsz, mark, MARKERS, TREE_CODE } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, openBlocks } from '../support/stored-blocks.ts'
import type { Sandbox } from './run-cli.ts'

const MISSING = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const MISSING_MARKED = mark(
  CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'),
  CODES.zstd
).toString()

describe.concurrent('ipfsz add with an invalid option', () => {
  it.for<[string, string[]]>([
    ['an unknown codec', ['--codec', 'lzma']],
    ['a codec that is only a marker', ['--codec', 'tree']],
    ['a level of zstd above 19', ['--level', '20']],
    ['a level of zstd below 1', ['--level', '0']],
    ['a level of gzip above 9', ['--codec', 'gzip', '--level', '10']],
    ['a level of gzip below 1', ['--codec', 'gzip', '--level', '0']],
    ['a level of lz4 other than 1', ['--codec', 'lz4', '--level', '2']],
    ['a level of brotli above 11', ['--codec', 'brotli', '--level', '12']],
    ['a level of snappy other than 1', ['--codec', 'snappy', '--level', '0']],
    ['a negative level', ['--level=-1']],
    ['a level that is not a number', ['--level', 'high']],
    ['a level that is not an integer', ['--level', '1.5']],
    ['frames below 64 KiB', ['--frame-size', '65535']],
    ['frames above 16 MiB', ['--frame-size', '16777217']],
    ['frames of 0 bytes', ['--frame-size', '0']],
    ['frames of a negative size', ['--frame-size=-65536']],
    ['a frame size that is not a size', ['--frame-size', 'large']],
    ['a frame size with an unknown unit', ['--frame-size', '4 furlongs']],
    ['a frame size with a fraction of a byte', ['--frame-size', '65536.5']],
    ['an empty frame size', ['--frame-size', '']]
  ])('refuses %s', async ([, args], { sandbox }) => {
    await sandbox.write('a', text(10_000))

    expectFailure(await sandbox.run(['add', ...args, 'a']), 2)
    expect(await listBlocks(sandbox.repo)).toEqual([])
  })

  it('refuses a level out of range for several files', async ({ sandbox }) => {
    await sandbox.write('a', text(10_000))

    expectFailure(await sandbox.run(['add', '--level', '99', 'a', 'a']), 2)
  })

  it('refuses a frame size out of range for several files', async ({ sandbox }) => {
    await sandbox.write('a', text(10_000))

    expectFailure(await sandbox.run(['add', '--frame-size', '1', 'a', 'a']), 2)
  })
})

describe.concurrent('ipfsz cat of a stream of another tool', () => {
  it.for<[what: string, change: (stream: Buffer) => unknown, told: string]>([
    // the first bits of the descriptor are the length of a dictionary ID
    ['needs a dictionary', stream => { stream[4] |= 1 }, 'that dictionary'],
    ['is damaged', stream => { stream[0] ^= 1 }, 'written incorrectly']
  ])('says what to do if it %s', async ([, change, told], { sandbox }) => {
    const stream = zstdCompressSync(text(10_000))
    change(stream)
    await sandbox.write('a.zst', stream)
    // with an mtime, even a small file has a node whose CID can be marked
    const { stdout } = await sandbox.run(['add', '-Q', '--codec', 'none', '--preserve-mtime', 'a.zst'])
    const plain = CID.parse(stdout.toString().trim())
    const result = await sandbox.run(['cat', mark(plain, CODES.zstd).toString(), '--json'])

    expect(result.code).toBe(1)
    expect(JSON.parse(result.stderr)).toMatchObject({
      name: 'CorruptFrameError',
      message: expect.stringContaining(told)
    })
  })
})

describe.concurrent('ipfsz add with a path that cannot be read', () => {
  it.for<[string, string, number]>([
    ['a missing file', 'missing', 1],
    ['a path through a file', 'file/below', 1],
    ['an empty name', '', 2]
  ])('refuses %s', async ([, path, code], { sandbox }) => {
    await sandbox.write('file', text(10))

    expectFailure(await sandbox.run(['add', path]), code)
  })

  it('adds the other files when one of several fails', async ({ sandbox }) => {
    await sandbox.write('a', text(10_000, 1))
    await sandbox.write('c', text(10_000, 2))

    const result = await sandbox.run(['add', '--json', 'a', 'missing', 'c'])
    const added = parseLines(result.stdout)

    expect(result.code).toBe(1)
    expect(added).toMatchObject([{ name: 'a' }, { name: 'c' }])
    expect(result.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^{"name":.*missing/),
      expect.stringMatching(/^{"name":"IncompleteError"/)
    ])
    expect((await sandbox.run(['cat', String(added[1].cid)])).stdout.equals(text(10_000, 2))).toBe(true)
  })
})

describe.concurrent.each(['cat', 'get', 'stat'])('ipfsz %s', (command) => {
  it.for([['hello'], [''], ['/ipfs/bafy'], [
    'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQ'
  ]])('refuses "%s", which is not a CID', async ([cid], { sandbox }) => {
    expectFailure(await sandbox.run([command, cid]), 2)
  })

  it.for([['raw', MISSING], ['marked', MISSING_MARKED]])('refuses a %s CID whose block is missing', async (
    [, cid],
    { sandbox }
  ) => {
    await sandbox.add(text(10_000))
    const result = await sandbox.run([command, cid])

    expectFailure(result, 1)
    expect(result.stderr).toContain('not in this repo')
  })

  it('refuses a marked CID whose root has the header of another codec', async ({ sandbox }) => {
    const zstd = await sandbox.add(text(2_000_000))
    const plain = (await sandbox.run(['cid', 'plain', zstd])).stdout.toString().trim()
    const gzip = await markedTwin(sandbox, plain, 'gzip')

    expectFailure(await sandbox.run([command, gzip]), 1)
  })

  it('refuses a file that is marked as a tree', async ({ sandbox }) => {
    const plain = await sandbox.add(text(2_000_000), '--codec', 'none')
    const tree = await markedTwin(sandbox, plain, 'tree')

    expectFailure(await sandbox.run([command, tree]), 1)
  })
})

describe.concurrent('a stream from another tool', () => {
  it.for(['cat', 'get'])('is refused by ipfsz %s when its codec is not that of its mark', async (
    command,
    { sandbox }
  ) => {
    const plain = await sandbox.add(text(2_000_000), '--codec', 'none')
    const marked = await markedTwin(sandbox, plain, 'zstd')
    const result = await sandbox.run([command, marked])

    expectFailure(result, 1)
    expect(result.stderr).toContain('zstd')
  })

  it('is read by its marked CID', async ({ sandbox }) => {
    const bytes = text(6_000_000)
    const plain = await sandbox.add(gzipSync(bytes), '--codec', 'none')
    const marked = await markedTwin(sandbox, plain, 'gzip')

    for (
      const [range, expected] of [[[], bytes], [
        ['--offset', '1000000', '--length', '9'],
        bytes.subarray(1_000_000, 1_000_009)
      ]] as const
    ) {
      const result = await sandbox.run(['cat', ...range, marked])

      expectSuccess(result)
      expect(Buffer.compare(result.stdout, expected)).toBe(0)
    }
  })
})

describe.concurrent('a directory', () => {
  it.for<[string, number]>([['plain', 0x70], [
    'marked as a tree',
    TREE_CODE
  ]])('is refused by ipfsz cat when its CID is %s', async ([, code], { sandbox }) => {
    const { multihash } = await addDirectory(sandbox)

    expectFailure(await sandbox.run(['cat', CID.createV1(code, multihash).toString()]), 1)
  })

  it.for(['cat', 'get'])('is refused by ipfsz %s when it is marked as a file', async (command, { sandbox }) => {
    const { multihash } = await addDirectory(sandbox)

    expectFailure(await sandbox.run([command, CID.createV1(MARKERS.zstd, multihash).toString()]), 1)
  })
})

describe.concurrent('a marked file without a header', () => {
  it('is read as stored with --raw', async ({ sandbox }) => {
    const plain = await sandbox.add(text(2_000_000), '--codec', 'none')

    const result = await sandbox.run(['cat', '--raw', await markedTwin(sandbox, plain, 'zstd')])

    expectSuccess(result)
    expect(result.stdout.equals(text(2_000_000))).toBe(true)
  })
})

describe.concurrent('a repo', () => {
  it('is refused when its version is unknown', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))
    await sandbox.write('repo/datastore/version.data', Buffer.from('2'))

    for (const args of [['cat', cid], ['stat', cid], ['get', cid], ['add', 'a']]) {
      const result = await sandbox.run(args)

      expectFailure(result, 1)
      expect(result.stderr).toContain('version 2')
    }
  })

  it('is refused when it is a file', async ({ sandbox }) => {
    await sandbox.write('repo', text(10))

    const result = await sandbox.run(['cat', MISSING])

    expectFailure(result, 1)
    expect(result.stderr).toContain(sandbox.repo)
  })
})

async function markedTwin (sandbox: Sandbox, plain: string, codec: string): Promise<string> {
  const result = await sandbox.run(['cid', 'mark', plain, '--codec', codec])
  expectSuccess(result)

  return result.stdout.toString().trim()
}

/** A directory with a compressed file in it, written by the library. */
async function addDirectory (sandbox: Sandbox): Promise<CID> {
  const blockstore = await openBlocks(sandbox.repo)

  return ipfsz({ blockstore }).addFile({ path: 'a.txt', content: text(100_000) })
}
