import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unmark } from '@ipfsz/core'
import { CarReader, CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha512 } from 'multiformats/hashes/sha2'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { blockFiles, listBlocks, removeBlock, writeBlock } from '../support/stored-blocks.ts'
import { makeTree, PRESERVE, readTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

async function addTree (sandbox: Sandbox): Promise<string> {
  await makeTree(
    join(sandbox.directory, 'in'),
    { 'a/b': text(100_000), c: longText(9_000_000), d: noise(10_000), link: { link: 'c' }, empty: null }
  )

  return (await sandbox.run(['add', '-Q', ...PRESERVE, 'in'])).stdout.toString().trim()
}

const OTHER = ['--repo', 'other']

describe.concurrent('a CAR', () => {
  it('carries a tree to another repo, where it is pinned', async ({ sandbox }) => {
    const cid = await addTree(sandbox)
    const plainCid = unmark(CID.parse(cid)).toString()

    const exported = await sandbox.run(['car', 'export', cid, '-o', 'x.car', '--json'])
    const imported = await sandbox.run(['car', 'import', 'x.car', '--json', ...OTHER])

    expectSuccess(exported)
    expectSuccess(imported)
    expect(parseLines(exported.stdout)).toMatchObject([{ plainCid, markedCid: cid }])
    expect(parseLines(imported.stdout)).toEqual([{ cid, plainCid, markedCid: cid }])
    expect(parseLines((await sandbox.run(['pin', 'ls', '--json', ...OTHER])).stdout)).toMatchObject([{ cid }])
    expectSuccess(await sandbox.run(['gc', ...OTHER]))
    expectSuccess(await sandbox.run(['get', cid, '-o', 'out', ...OTHER]))
    expect(await readTree(join(sandbox.directory, 'out'))).toEqual(await readTree(join(sandbox.directory, 'in')))
  })

  it('has the plain root and every block once', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(9_000_000))
    const bytes = text(3_000_000)
    await sandbox.add(Buffer.concat([bytes, bytes]), '--codec', 'none')

    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'x.car']))
    const reader = await CarReader.fromBytes(await readFile(join(sandbox.directory, 'x.car')))
    const cids = (await Array.fromAsync(reader.cids())).map(String)

    expect((await reader.getRoots()).map(String)).toEqual([unmark(CID.parse(cid)).toString()])
    expect(new Set(cids).size).toBe(cids.length)
    expect(cids).toHaveLength(Number(parseLines((await sandbox.run(['stat', cid, '--json'])).stdout)[0].blocks))
  })

  it('of files shows the marked CIDs on import even if it was exported by plain CIDs', async ({ sandbox }) => {
    const marked = await sandbox.add(text(100_000), '--codec', 'brotli')
    const plain = unmark(CID.parse(marked)).toString()
    const raw = await sandbox.add(noise(1000))

    expectSuccess(await sandbox.run(['car', 'export', plain, raw, '-o', 'x.car']))
    const imported = await sandbox.run(['car', 'import', 'x.car', ...OTHER])

    expectSuccess(imported)
    expect(imported.stdout.toString()).toBe(`${plain}\t${marked}\n${raw}\t-\n`)
  })

  it('replaces a file only with --force, as get does', async ({ sandbox }) => {
    const cid = await sandbox.add(text(100_000))
    const path = await sandbox.write('x.car', noise(10))

    const refused = await sandbox.run(['car', 'export', cid, '-o', 'x.car'])
    expectFailure(refused, 1)
    expect(refused.stderr).toContain('--force')
    expect(await readFile(path)).toEqual(Buffer.from(noise(10)))

    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'x.car', '--force']))
    expect((await CarReader.fromBytes(await readFile(path))).version).toBe(1)
    expectFailure(await sandbox.run(['car', 'export', cid, '-o', '-', '--force']), 2)
  })

  it('is exported to stdout and imported from stdin', async ({ sandbox }) => {
    const cid = await sandbox.add(text(100_000))

    const result = await sandbox.shell(`ipfsz car export ${cid} -o - | ipfsz car import - --repo other`)

    expect(result.code).toBe(0)
    expect(result.stdout.toString()).toBe(`${unmark(CID.parse(cid))}\t${cid}\n`)
    expect(result.stderr).toContain(cid)
  })

  it('that is cut short anywhere is refused, and files that were added before stay', { tags: 'slow' }, async ({
    sandbox
  }) => {
    const kept = await sandbox.add(text(1000), ...OTHER)
    const cid = await sandbox.add(longText(5_000_000))
    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'x.car']))
    const bytes = await readFile(join(sandbox.directory, 'x.car'))
    const reader = await CarReader.fromBytes(bytes)
    const [first] = await Array.fromAsync(reader.blocks())
    const header = bytes.indexOf(first.bytes) + first.bytes.byteLength

    for (const length of [0, 1, 30, header - 1, header, header + 1, bytes.byteLength - 1]) {
      await sandbox.write('cut.car', bytes.subarray(0, length))
      expectFailure(await sandbox.run(['car', 'import', 'cut.car', ...OTHER]), 1)
    }

    expect(parseLines((await sandbox.run(['pin', 'ls', '--json', ...OTHER])).stdout)).toMatchObject([{ cid: kept }])
    expectSuccess(await sandbox.run(['gc', ...OTHER]))
    expect((await sandbox.run(['cat', kept, ...OTHER])).stdout.equals(text(1000))).toBe(true)
  })

  it('with a block that does not match its hash is refused', async ({ sandbox }) => {
    const cid = await sandbox.add(noise(100_000))
    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'x.car']))
    const bytes = await readFile(join(sandbox.directory, 'x.car'))
    bytes[bytes.byteLength - 1] ^= 1
    await sandbox.write('bad.car', bytes)

    const result = await sandbox.run(['car', 'import', 'bad.car', ...OTHER])

    expectFailure(result, 1)
    expect(result.stderr).toContain(cid)
    expect(await listBlocks(join(sandbox.directory, 'other'))).toEqual([])
  })

  it('without its last block is refused as truncated', async ({ sandbox }) => {
    const bytes = noise(3_000_000)
    const cid = await sandbox.add(bytes)
    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'x.car']))
    const car = await readFile(join(sandbox.directory, 'x.car'))
    const blocks = await Array.fromAsync((await CarReader.fromBytes(car)).blocks())
    const last = blocks[blocks.length - 1]
    // the length of the section takes three bytes
    await sandbox.write(
      'bad.car',
      car.subarray(0, car.byteLength - last.bytes.byteLength - last.cid.bytes.byteLength - 3)
    )

    const result = await sandbox.run(['car', 'import', 'bad.car', ...OTHER])

    expectFailure(result, 1)
    expect(result.stderr).toContain('bad.car is truncated')
  })

  it('with sha2-512 blocks is kept and collected like any other', async ({ sandbox }) => {
    const { writer, out } = CarWriter.create([CID.createV1(raw.code, await sha512.digest(noise(1000)))])
    const car = Array.fromAsync(out)
    await writer.put({ cid: CID.createV1(raw.code, await sha512.digest(noise(1000))), bytes: noise(1000) })
    await writer.close()
    await sandbox.write('x.car', Buffer.concat(await car))
    await sandbox.write('kept', text(1000))
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))

    const imported = await sandbox.run(['car', 'import', 'x.car'])
    expectSuccess(imported)
    const cid = imported.stdout.toString().split('\t')[0]
    await sandbox.shell('ipfsz add kept && mkdir repo/blocks/ZZ && touch repo/blocks/ZZ/stray.data')
    expect(parseLines((await sandbox.run(['gc', '--json'])).stdout)).toMatchObject([{ removed: 0, kept: 2 }])
    expectSuccess(await sandbox.run(['verify', cid]))
    expectSuccess(await sandbox.run(['pin', 'rm', cid]))
    expect(parseLines((await sandbox.run(['gc', '--json'])).stdout)).toMatchObject([{ removed: 1, kept: 1 }])
    expect(await blockFiles(sandbox.repo)).toContainEqual(expect.stringContaining('stray.data'))
  })

  it('replaces a damaged block of the repo', async ({ sandbox }) => {
    const cid = await sandbox.add(noise(100_000))
    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'x.car']))
    const [file] = await listBlocks(sandbox.repo)
    await writeBlock(sandbox.repo, file, noise(10))

    expectFailure(await sandbox.run(['verify', cid]), 1)
    expectSuccess(await sandbox.run(['car', 'import', 'x.car']))
    expectSuccess(await sandbox.run(['verify', cid]))
  })

  it.for<[string, Uint8Array]>([['text', text(1000)], [
    'an empty file',
    new Uint8Array(0)
  ]])('is refused when it is %s', async ([, bytes], { sandbox }) => {
    await sandbox.write('x.car', bytes)

    expectFailure(await sandbox.run(['car', 'import', 'x.car']), 1)
    expectFailure(await sandbox.run(['car', 'import', 'missing.car']), 1)
  })

  it.for(['a pipe', 'a device', 'a directory'])('is not written over %s', async (output, { sandbox }) => {
    const cid = await sandbox.add(text(1000))
    expectSuccess(await sandbox.shell('mkfifo "a pipe" && ln -s /dev/null "a device" && mkdir "a directory"'))

    expectFailure(await sandbox.run(['car', 'export', cid, '-o', output]), output === 'a directory' ? 1 : 2)
    expectSuccess(await sandbox.shell('test -p "a pipe" && test -c "a device" && test -d "a directory"'))
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['a device', 'a directory', 'a pipe', 'repo'])
  })

  it('is not written when one of its blocks is missing', async ({ sandbox }) => {
    const cid = await sandbox.add(noise(3_000_000))
    const [file] = await listBlocks(sandbox.repo)
    await removeBlock(sandbox.repo, file)

    expectFailure(await sandbox.run(['car', 'export', cid, '-o', 'x.car']), 1)
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })
})
