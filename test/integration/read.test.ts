import { mkdir, readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'

describe.concurrent('ipfsz cat', () => {
  it('writes the range given by --offset and --length', async ({ sandbox }) => {
    const bytes = longText(10_000_000)
    const cid = await sandbox.add(bytes, '--frame-size', '1MiB')
    const ranges = [
      [0, 1],
      [1_048_570, 20],
      [3_000_000, 4_000_000],
      [9_999_999, 1],
      [10_000_000, 5],
      [5, 0],
      [9_000_000, 99_000_000]
    ]

    for (const [offset, length] of ranges) {
      const result = await sandbox.run(['cat', cid, '--offset', String(offset), '--length', String(length)])

      expectSuccess(result)
      expect(result.stdout.equals(bytes.subarray(offset, offset + length)), `${offset}, ${length}`).toBe(true)
    }
  })

  it('reads to the end without --length, and from the beginning without --offset', async ({ sandbox }) => {
    const bytes = text(200_000)
    const cid = await sandbox.add(bytes)

    expect((await sandbox.run(['cat', cid, '--offset', '150000'])).stdout.equals(bytes.subarray(150_000))).toBe(true)
    expect((await sandbox.run(['cat', cid, '--length', '150000'])).stdout.equals(bytes.subarray(0, 150_000))).toBe(true)
  })

  it('writes the stored bytes with --raw', async ({ sandbox }) => {
    const bytes = text(200_000)
    const cid = await sandbox.add(bytes)

    const result = await sandbox.run(['cat', '--raw', cid])

    expectSuccess(result)
    expect(zstdDecompressSync(result.stdout).equals(bytes)).toBe(true)
  })

  it('writes a range of the stored bytes with --raw, --offset and --length', async ({ sandbox }) => {
    const cid = await sandbox.add(text(200_000))

    const whole = await sandbox.run(['cat', '--raw', cid])
    const part = await sandbox.run(['cat', '--raw', cid, '--offset', '100', '--length', '1000'])

    expect(part.stdout.equals(whole.stdout.subarray(100, 1100))).toBe(true)
  })

  it('writes the stored bytes of a plain CID', async ({ sandbox }) => {
    const cid = await sandbox.add(text(200_000))

    const plain = await sandbox.run(['cid', 'plain', cid])
    const [raw, stored] = await Promise.all([
      sandbox.run(['cat', '--raw', cid]),
      sandbox.run(['cat', plain.stdout.toString().trim()])
    ])

    expectSuccess(stored)
    expect(stored.stdout.equals(raw.stdout)).toBe(true)
  })

  it.for<[string, string[], number]>([
    ['an offset past the end', ['--offset', '10001'], 1],
    ['a negative offset', ['--offset=-1'], 2],
    ['an offset that is not an integer', ['--offset', '1.5'], 2],
    ['a length that is not a number', ['--length', 'many'], 2]
  ])('refuses %s', async ([, args, code], { sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    expectFailure(await sandbox.run(['cat', cid, ...args]), code)
  })
})

describe.concurrent('reading', () => {
  it('does not create a missing repo', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))
    const nowhere = join(sandbox.directory, 'nowhere')

    for (const args of [['cat', cid], ['stat', cid], ['get', cid]]) {
      expect(await sandbox.run([...args, '--repo', nowhere]))
        .toMatchObject({ code: 1, stderr: expect.stringContaining('There is no repo') })
    }

    await expect(stat(nowhere)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('changes nothing in the repo', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))
    const before = await readdir(sandbox.repo, { recursive: true })

    expectSuccess(await sandbox.run(['cat', cid]))
    expect(await readdir(sandbox.repo, { recursive: true })).toEqual(before)
  })

  it('accepts a CID as an /ipfs/ path or an ipfs:// URL', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    for (const form of [`/ipfs/${cid}`, `ipfs://${cid}`]) {
      expect(Buffer.compare((await sandbox.run(['cat', form])).stdout, text(10_000))).toBe(0)
    }
  })
})

describe.concurrent('ipfsz get', () => {
  it('writes the bytes that were added', async ({ sandbox }) => {
    const bytes = longText(9_000_000)
    const cid = await sandbox.add(bytes)

    const result = await sandbox.run(['get', cid, '-o', 'out.txt'])

    expectSuccess(result)
    expect((await readFile(join(sandbox.directory, 'out.txt'))).equals(bytes)).toBe(true)
    expect(await readdir(sandbox.directory)).toEqual(['out.txt', 'repo'])
  })

  it('names the file after its CID when no name is given', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    const result = await sandbox.run(['get', cid, '--json'])

    expectSuccess(result)
    expect(parseLines(result.stdout)).toEqual([{ cid, path: join(sandbox.directory, cid), size: 10_000 }])
    expect((await stat(join(sandbox.directory, cid))).size).toBe(10_000)
  })

  it('writes an empty file', async ({ sandbox }) => {
    const cid = await sandbox.add(new Uint8Array(0))

    expectSuccess(await sandbox.run(['get', cid, '-o', 'empty']))
    expect((await stat(join(sandbox.directory, 'empty'))).size).toBe(0)
  })

  it('refuses to overwrite a file, and replaces it with --force', async ({ sandbox }) => {
    await sandbox.write('out', noise(50_000))
    const cid = await sandbox.add(text(10_000))
    const refused = await sandbox.run(['get', cid, '-o', 'out'])

    expectFailure(refused, 1)
    expect(refused.stderr).toContain('--force')
    expect((await readFile(join(sandbox.directory, 'out'))).equals(noise(50_000))).toBe(true)
    expectSuccess(await sandbox.run(['get', cid, '-o', 'out', '--force']))
    expect((await readFile(join(sandbox.directory, 'out'))).equals(text(10_000))).toBe(true)
  })

  it('reads by the URL of a gateway', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))
    const { stdout } = await sandbox.run(['cat', `https://example.com/ipfs/${cid}?download=true`])

    expect(stdout.equals(text(10_000))).toBe(true)
  })

  it('refuses a target that is a directory', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'out'))
    const cid = await sandbox.add(text(10_000))

    expectFailure(await sandbox.run(['get', cid, '-o', 'out']), 1)
    expect(await readdir(sandbox.directory)).toEqual(['out', 'repo'])
  })

  it('refuses a target in a missing directory and names that directory', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    const result = await sandbox.run(['get', cid, '-o', 'none/out'])

    expectFailure(result, 1)
    expect(result.stderr).toContain(join(sandbox.directory, 'none'))
    expect(result.stderr).not.toContain('.tmp')
  })

  it('writes to a named pipe without replacing it', async ({ sandbox }) => {
    const cid = await sandbox.add(text(1000))

    // fd 3 holds both ends open, so that opening the pipe never blocks
    await sandbox.shell(`mkfifo pipe && exec 3<>pipe && ipfsz get ${cid} -o pipe`)

    expect((await stat(join(sandbox.directory, 'pipe'))).isFIFO()).toBe(true)
  })
})

describe.concurrent('ipfsz stat', () => {
  it('shows both CIDs, codec, sizes, ratio, frames and blocks', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(9_000_000))

    const [{ plainCid, ...rest }] = parseLines((await sandbox.run(['stat', cid, '--json'])).stdout)
    const text = (await sandbox.run(['stat', cid])).stdout.toString()

    expect(rest).toEqual({
      markedCid: cid,
      type: 'file',
      codec: 'zstd',
      size: 9_000_000,
      storedSize: expect.any(Number),
      fetchSize: rest.storedSize,
      ratio: Number(rest.storedSize) / 9_000_000,
      frames: 3,
      frameSize: 4 * 1024 * 1024,
      blocks: expect.any(Number)
    })
    expect(text.trimEnd().split('\n').map(line => line.split('\t'))).toEqual([
      ['Plain CID', plainCid],
      ['Marked CID', cid],
      ['Type', 'file'],
      ['Codec', 'zstd'],
      ['Original', '9000000'],
      ['Stored', String(rest.storedSize)],
      ['Ratio', Number(rest.ratio).toFixed(3)],
      ['Frames', '3', '4194304'],
      ['Others', 'zstd -dc'],
      ['Blocks', String(rest.blocks)]
    ])
  })

  it('shows the marked CID of a plain CID', async ({ sandbox }) => {
    const cid = await sandbox.add(text(100_000), '--codec', 'gzip')
    const plain = (await sandbox.run(['cid', 'plain', cid])).stdout.toString().trim()

    const result = await sandbox.run(['stat', plain, '--json'])

    expectSuccess(result)
    expect(parseLines(result.stdout)).toMatchObject([{ plainCid: plain, markedCid: cid, codec: 'none', frames: 0 }])
  })

  it('shows that a file is not compressed', async ({ sandbox }) => {
    const cid = await sandbox.add(noise(100_000))

    const result = await sandbox.run(['stat', cid, '--json'])

    expectSuccess(result)
    expect(parseLines(result.stdout)).toEqual([{
      plainCid: cid,
      type: 'raw',
      codec: 'none',
      size: 100_000,
      storedSize: 100_000,
      fetchSize: 100_000,
      ratio: 1,
      frames: 0,
      blocks: 1
    }])
  })
})
