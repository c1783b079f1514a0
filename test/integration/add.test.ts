import { CODES } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'

const CODECS = allCodecs().map(({ name, code }) => [name, code] as const)

describe.concurrent('ipfsz add', () => {
  it('prints a line with CID, name, original size, stored size and ratio', async ({ sandbox }) => {
    await sandbox.write('a.txt', text(100_000))

    const result = await sandbox.run(['add', 'a.txt'])

    expectSuccess(result)
    expect(result.stdout.toString()).toMatch(/^bagc3j7ib\w+\ta\.txt\t100000\t\d+\t0\.\d{3}\n$/)
  })

  it('prints one line per file, in the order of the arguments', async ({ sandbox }) => {
    await Promise.all(['a', 'b', 'c'].map((name, i) => sandbox.write(name, text(10_000, i + 1))))

    const result = await sandbox.run(['add', 'c', 'a', 'b'])

    expectSuccess(result)
    expect(result.stdout.toString().trimEnd().split('\n').map(line => line.split('\t')[1])).toEqual(['c', 'a', 'b'])
  })

  it('adds stdin for -', async ({ sandbox }) => {
    await sandbox.write('a', text(100_000))

    const file = await sandbox.run(['add', '-Q', 'a'])
    const stdin = await sandbox.run(['add', '-Q', '-'], { stdin: text(100_000) })

    expectSuccess(stdin)
    expect(stdin.stdout.toString()).toBe(file.stdout.toString())
  })

  it('refuses to add stdin twice', async ({ sandbox }) => {
    expect((await sandbox.run(['add', '-', '-'], { stdin: text(10) })).code).toBe(2)
  })

  it('escapes control characters in a printed name', async ({ sandbox }) => {
    await sandbox.write('a\nb\tc\u001b[1m', text(10_000))

    const plain = await sandbox.run(['add', 'a\nb\tc\u001b[1m'])
    const json = await sandbox.run(['add', '--json', 'a\nb\tc\u001b[1m'])

    expectSuccess(plain)
    expect(plain.stdout.toString().split('\t')[1]).toBe('a\\x0ab\\x09c\\x1b[1m')
    expect(parseLines(json.stdout)).toMatchObject([{ name: 'a\nb\tc\u001b[1m' }])
  })

  it('adds stdin and files in one call', async ({ sandbox }) => {
    await sandbox.write('a', text(10_000, 1))

    const result = await sandbox.run(['add', '--json', 'a', '-'], { stdin: text(20_000, 2) })

    expectSuccess(result)
    expect(parseLines(result.stdout)).toMatchObject([{ name: 'a', size: 10_000 }, { name: '-', size: 20_000 }])
  })

  it('prints only the CID with -Q', async ({ sandbox }) => {
    await sandbox.write('a', text(10_000))

    const result = await sandbox.run(['add', '-Q', 'a', 'a'])

    expectSuccess(result)
    const [first, second] = result.stdout.toString().trimEnd().split('\n')
    expect(CID.parse(first).code).toBe(CODES.zstd)
    expect(second).toBe(first)
  })

  it.for<[string, string[]]>([
    ['before the command', ['--json', 'add', 'a', 'b']],
    ['after the command', ['add', 'a', 'b', '--json']]
  ])('prints one JSON object per line with --json %s', async ([, args], { sandbox }) => {
    await sandbox.write('a', text(100_000))
    await sandbox.write('b', noise(100_000))

    const result = await sandbox.run(args)

    expectSuccess(result)
    const [a, b] = parseLines(result.stdout)
    expect(a).toEqual({
      cid: expect.any(String),
      plainCid: expect.any(String),
      name: 'a',
      size: 100_000,
      storedSize: expect.any(Number),
      ratio: Number(a.storedSize) / 100_000,
      codec: 'zstd',
      readableWith: 'zstd -dc'
    })
    expect(CID.parse(String(a.cid)).multihash.bytes).toEqual(CID.parse(String(a.plainCid)).multihash.bytes)
    expect(b).toMatchObject({ name: 'b', size: 100_000, codec: 'none' })
    expect(b.cid).toBe(b.plainCid)
  })

  it.for(CODECS)('marks the CID with the code of --codec %s', async ([codec, code], { sandbox }) => {
    const bytes = text(300_000)

    const cid = await sandbox.add(bytes, '--codec', codec)
    const back = await sandbox.run(['cat', cid])

    expect(CID.parse(cid).code).toBe(code)
    expectSuccess(back)
    expect(back.stdout.equals(bytes)).toBe(true)
  })

  it('stores a file uncompressed with --codec none', async ({ sandbox }) => {
    const bytes = text(300_000)

    const cid = await sandbox.add(bytes, '--codec', 'none')

    expect(CID.parse(cid).code).toBe(0x55)
    expect((await sandbox.run(['cat', cid])).stdout.equals(bytes)).toBe(true)
  })

  it('chooses a codec with --codec auto', async ({ sandbox }) => {
    const bytes = text(300_000)

    for (const args of [[], ['--optimize', 'size'], ['--optimize', 'balanced'], ['--optimize', 'speed']]) {
      const cid = await sandbox.add(bytes, '--codec', 'auto', ...args)

      expect(Object.values(CODES)).toContain(CID.parse(cid).code)
      expect((await sandbox.run(['cat', cid])).stdout.equals(bytes)).toBe(true)
    }
  })

  it('makes small frames with --optimize ranges', async ({ sandbox }) => {
    const bytes = text(300_000)

    for (const args of [[], ['--codec', 'auto'], ['--codec', 'lz4']]) {
      const cid = await sandbox.add(bytes, '--optimize', 'ranges', ...args)
      const { stdout } = await sandbox.run(['stat', cid, '--json'])

      expect(JSON.parse(stdout.toString())).toMatchObject({ frameSize: 65_536, frames: 5 })
    }
  })

  it('refuses --optimize without --codec auto', async ({ sandbox }) => {
    expectFailure(await sandbox.run(['add', '--optimize', 'size', '-'], { stdin: text(10) }), 2)
    expectFailure(await sandbox.run(['add', '--codec', 'auto', '--optimize', 'fun', '-'], { stdin: text(10) }), 2)
  })

  it('stores a file uncompressed when it would not shrink', async ({ sandbox }) => {
    expect(CID.parse(await sandbox.add(noise(300_000))).code).toBe(0x55)
  })

  it('compresses even a file that would not shrink, with --no-detect', async ({ sandbox }) => {
    const bytes = noise(300_000)

    const cid = await sandbox.add(bytes, '--no-detect')

    expect(CID.parse(cid).code).toBe(CODES.zstd)
    expect((await sandbox.run(['cat', cid])).stdout.equals(bytes)).toBe(true)
  })

  it.for([
    ['zstd', '1', '19'],
    ['gzip', '1', '9'],
    ['brotli', '0', '11']
  ])('stores fewer bytes with the highest --level of %s than with the lowest', async (
    [codec, low, high],
    { sandbox }
  ) => {
    await sandbox.write('a', text(200_000))

    const sizes = await Promise.all([low, high].map(async level => {
      const { stdout } = await sandbox.run(['add', '--json', '--codec', codec, '--level', level, 'a'])

      return Number(parseLines(stdout)[0].storedSize)
    }))

    expect(sizes[1]).toBeLessThan(sizes[0])
  })

  it.for<[string, number, number]>([
    ['65536', 65_536, 16],
    ['64KiB', 65_536, 16],
    ['0.5 MiB', 524_288, 2],
    ['100KB', 100_000, 11],
    ['16MiB', 16_777_216, 1]
  ])('cuts a file into frames of --frame-size %s', async ([size, frameSize, frames], { sandbox }) => {
    const cid = await sandbox.add(text(1024 * 1024), '--frame-size', size)

    const result = await sandbox.run(['stat', '--json', cid])

    expect(parseLines(result.stdout)).toMatchObject([{ frameSize, frames }])
  })

  it('gives the same CID in every repo', async ({ sandbox }) => {
    const bytes = text(5_000_000)

    expect(await sandbox.add(bytes, '--repo', 'one')).toBe(await sandbox.add(bytes, '--repo', 'other'))
  })

  it('does not use the network, nor does cat', async ({ sandbox }) => {
    const added = await sandbox.spawn(['add', '-Q', '-'], { stdin: text(100_000), preload: 'no-network.ts' })
    const read = await sandbox.spawn(['cat', added.stdout.toString().trim()], { preload: 'no-network.ts' })

    expectSuccess(added)
    expectSuccess(read)
  })
})
