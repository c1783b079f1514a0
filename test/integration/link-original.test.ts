import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { largestBlock, removeBlock } from '../support/stored-blocks.ts'
import { makeTree } from './tree-files.ts'
import type { AddOptions } from '@helia/unixfs'

/** The CID that Helia's importer gives these bytes. */
async function originalOf (bytes: Uint8Array, options?: Partial<AddOptions>): Promise<string> {
  return (await unixfs({ blockstore: new MemoryBlockstore() }).addBytes(bytes, options)).toString()
}

/** A chunker that makes leaves of this size. */
function cutting (leafSize: number): AddOptions['chunker'] {
  return async function * (source) {
    for await (const piece of source) {
      for (let start = 0; start < piece.byteLength; start += leafSize) {
        yield piece.subarray(start, start + leafSize)
      }
    }
  }
}

const bytes = text(1_000_000)
const other = text(1_000_000, 2)

describe.concurrent('ipfsz link add', () => {
  it('refuses a file whose bytes have another CID, and links nothing', async ({ sandbox }) => {
    const [good, bad] = [await originalOf(bytes), await sandbox.add(other)]

    const refused = await sandbox.run(['link', 'add', good, bad])

    expectFailure(refused, 1)
    expect(refused.stderr).toContain(await originalOf(other))
    expect((await sandbox.run(['link', 'ls'])).stdout.toString()).toBe('')
  })

  it('accepts an original with the defaults of Kubo, and cat reads any range by it', async ({ sandbox }) => {
    const cid = await sandbox.add(bytes, '--link')
    const original = await originalOf(bytes, { cidVersion: 0, rawLeaves: false, chunker: cutting(262_144) })

    expectSuccess(await sandbox.run(['link', 'add', original, cid]))

    expect(original).toMatch(/^Qm/)
    const read = await sandbox.run(['cat', original, '--offset', '5', '--length', '10'])
    expectSuccess(read)
    expect(read.stdout.equals(bytes.subarray(5, 15))).toBe(true)
    expectSuccess(await sandbox.run(['verify', original]))
  })

  it('with --unchecked accepts an original of other settings, and reading warns of it', async ({ sandbox }) => {
    const cid = await sandbox.add(bytes)
    const original = await originalOf(bytes, { chunker: cutting(70_000) })
    expectFailure(await sandbox.run(['link', 'add', original, cid]), 1)

    expectSuccess(await sandbox.run(['link', 'add', '--unchecked', original, cid]))

    expect((await sandbox.run(['link', 'ls'])).stdout.toString()).toBe(`${original}\t${cid}\tunchecked\n`)
    expect(parseLines((await sandbox.run(['link', 'ls', '--json'])).stdout))
      .toEqual([{ original, compressed: cid, checked: false }])
    const read = await sandbox.run(['cat', original])
    expect({ ...read, stdout: read.stdout.equals(bytes) })
      .toMatchObject({ code: 0, stdout: true, stderr: expect.stringContaining('unchecked') })
    expect(await sandbox.run(['get', original, '-o', 'out']))
      .toMatchObject({ code: 0, stderr: expect.stringContaining('unchecked') })
    expect((await readFile(join(sandbox.directory, 'out'))).equals(bytes)).toBe(true)
    expectFailure(await sandbox.run(['cat', original, '--length', '1']), 1)
    expectFailure(await sandbox.run(['verify', original]), 1)
  })

  it('with --unchecked accepts a directory, and get writes its original files', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { 'a/b': bytes })
    const tree = (await sandbox.run(['add', '-Q', 'in'])).stdout.toString().trim()
    const original = await originalOf(bytes, { chunker: cutting(262_144) })
    expectFailure(await sandbox.run(['link', 'add', original, tree]), 1)
    expectSuccess(await sandbox.run(['link', 'add', '--unchecked', original, tree]))

    expect(await sandbox.run(['get', original, '-o', 'out']))
      .toMatchObject({ code: 0, stderr: expect.stringContaining('unchecked') })
    expect((await readFile(join(sandbox.directory, 'out/a/b'))).equals(bytes)).toBe(true)
    expect(await sandbox.run(['ls', `${original}/a`]))
      .toMatchObject({ code: 0, stderr: expect.stringContaining('unchecked') })
  })
})

describe.concurrent('an original that is linked unchecked', () => {
  it.for(['stat', 'ls', 'cat', 'cat --raw', 'get -o out'])('is read with one warning by ipfsz %s', async (
    command,
    { sandbox }
  ) => {
    const cid = await sandbox.add(bytes)
    const original = await originalOf(bytes, { chunker: cutting(70_000) })
    expectSuccess(await sandbox.run(['link', 'add', '--unchecked', original, cid]))

    const result = await sandbox.run([...command.split(' '), original])

    expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(/^ipfsz: [^\n]*unchecked[^\n]*\n$/) })
    expect(result.stderr).toContain(original)
  })

  it.for(['stat', 'ls', 'get'])('to a directory is read with one warning by ipfsz %s', async (command, { sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { 'a/b': bytes })
    const tree = (await sandbox.run(['add', '-Q', 'in'])).stdout.toString().trim()
    const original = await originalOf(bytes, { chunker: cutting(262_144) })
    expectSuccess(await sandbox.run(['link', 'add', '--unchecked', original, tree]))

    expect(await sandbox.run([command, original]))
      .toMatchObject({ code: 0, stderr: expect.stringMatching(/^ipfsz: [^\n]*unchecked[^\n]*\n$/) })
  })

  it('is read without a warning when a comparison proves the link right', async ({ sandbox }) => {
    const cid = await sandbox.add(bytes)
    const original = await originalOf(bytes)
    expectSuccess(await sandbox.run(['link', 'add', '--unchecked', original, cid]))

    expectSuccess(await sandbox.run(['cat', original]))
    expectSuccess(await sandbox.run(['get', original, '-o', 'out']))
  })

  it('is found by stat through its link, without asking a peer', async ({ sandbox }) => {
    const small = text(1000)
    const cid = await sandbox.add(small)
    const raw = await originalOf(small, { chunker: cutting(300) })
    expectSuccess(await sandbox.run(['link', 'add', '--unchecked', raw, cid]))

    // no peer listens at this address
    const result = await sandbox.run([
      'stat',
      raw,
      '--json',
      '--peer',
      '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
    ])
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining('unchecked') })
    expect(parseLines(result.stdout)).toMatchObject([{ markedCid: cid, size: 1000 }])
  })
})

describe.concurrent('an original that has lost a block', () => {
  it('is read from its compressed file by cat and get, with one warning', async ({ sandbox }) => {
    const long = text(3_000_000)
    const original = await sandbox.add(long, '--codec', 'none')
    const largest = await largestBlock(sandbox.repo)
    await sandbox.add(long, '--link')
    await removeBlock(sandbox.repo, largest)

    const [read, part, got] = [
      await sandbox.run(['cat', original]),
      await sandbox.run(['cat', original, '--offset', '5']),
      await sandbox.run(['get', original, '-o', 'out'])
    ]

    expect(read).toMatchObject({ code: 0, stderr: expect.stringMatching(/^ipfsz: [^\n]*ipfsz repair[^\n]*\n$/) })
    expect(read.stdout.equals(long)).toBe(true)
    expect(part.stdout.equals(long.subarray(5))).toBe(true)
    expect(got).toMatchObject({ code: 0, stderr: read.stderr })
    expect((await readFile(join(sandbox.directory, 'out'))).equals(long)).toBe(true)
  })
})

describe.concurrent('the stored bytes of a linked original', () => {
  it('are those of the compressed file, whole and in part', async ({ sandbox }) => {
    const original = await originalOf(bytes)
    const cid = await sandbox.add(bytes, '--link')
    const stored = (await sandbox.run(['cat', '--raw', cid])).stdout

    const read = await sandbox.run(['cat', '--raw', original])
    const part = await sandbox.run(['cat', '--raw', original, '--offset', '3', '--length', '5'])

    expectSuccess(read)
    expectSuccess(part)
    expect(read.stdout.equals(stored)).toBe(true)
    expect(zstdDecompressSync(read.stdout).equals(bytes)).toBe(true)
    expect(part.stdout.equals(stored.subarray(3, 8))).toBe(true)
  })

  it('are its own when the repo has its blocks', async ({ sandbox }) => {
    const original = await sandbox.add(bytes, '--codec', 'none')
    await sandbox.add(bytes, '--link')

    const read = await sandbox.run(['cat', '--raw', original])

    expectSuccess(read)
    expect(read.stdout.equals(bytes)).toBe(true)
  })

  it('are refused when the header names another content CID', async ({ sandbox }) => {
    const original = await originalOf(bytes, { chunker: cutting(262_144) })
    expectSuccess(await sandbox.run(['link', 'add', '--unchecked', original, await sandbox.add(other, '--link')]))

    expectFailure(await sandbox.run(['cat', '--raw', original]), 1)
  })
})

describe.concurrent('an original that is linked to other bytes', () => {
  it('is refused by link add --unchecked if its CID is the hash of its bytes', async ({ sandbox }) => {
    const bad = await sandbox.add(other)
    const original = await originalOf(bytes)

    const result = await sandbox.run(['link', 'add', '--unchecked', original, bad])
    expectFailure(result, 1)
    expect(result.stderr).toContain(original)
    expect((await sandbox.run(['link', 'ls'])).stdout.toString()).toBe('')
    expectFailure(await sandbox.run(['cat', original]), 1)
  })

  it('is refused before its first byte when the header names another content CID', async ({ sandbox }) => {
    const bad = await sandbox.add(other, '--link', '--frame-size', '64KiB')
    const original = await originalOf(bytes, { chunker: cutting(262_144) })
    expectSuccess(await sandbox.run(['link', 'add', '--unchecked', original, bad]))

    for (
      const args of [
        ['cat', original],
        ['cat', '--length', '1', original],
        ['get', original],
        ['stat', original],
        ['ls', original],
        ['verify', original]
      ]
    ) {
      expectFailure(await sandbox.run(args), 1)
    }
  })
})
