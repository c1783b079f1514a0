import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unmark } from '@ipfsz/core'
import { CarReader } from '@ipld/car'
import { FsDatastore } from 'datastore-fs'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { describe, expect } from 'vitest'
import { noise } from '../support/data.ts'
import { carOf, directoryOf } from './cars.ts'
import { openBlocks, readBlock } from '../support/stored-blocks.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import type { Helia } from 'helia'
import type { Sandbox } from './run-cli.ts'

/** Enough that one of them is walked after its twin, whatever the order of the pins. */
const FILES = 5

/** The bytes of a file's root block. */
async function rootBytes (cid: string, sandbox: Sandbox): Promise<Uint8Array> {
  return readBlock(sandbox.repo, unmark(CID.parse(cid)).toString())
}

async function addFiles (sandbox: Sandbox): Promise<string[]> {
  const cids: string[] = []

  for (let i = 0; i < FILES; i++) {
    // a root and two leaves
    cids.push(await sandbox.add(noise(1_100_000, i + 1)))
  }

  return cids
}

async function expectAllThere (cids: readonly string[], sandbox: Sandbox): Promise<void> {
  const collected = await sandbox.run(['gc', '--json'])
  expectSuccess(collected)
  expect(parseLines(collected.stdout)).toMatchObject([{ removed: 0 }])

  for (const [i, cid] of cids.entries()) {
    const { code, stdout } = await sandbox.run(['cat', cid])
    expect({ code, same: stdout.equals(noise(1_100_000, i + 1)) }).toEqual({ code: 0, same: true })
  }
}

async function heliaOn ({ repo }: Sandbox): Promise<Helia> {
  return createHeliaLight({
    blockstore: await openBlocks(repo),
    datastore: new FsDatastore(join(repo, 'datastore'))
  })
}

describe.concurrent('a block with CIDs of two codecs', () => {
  it('keeps the blocks below it when its bytes are also added as a file', async ({ sandbox }) => {
    const cids = await addFiles(sandbox)

    for (const cid of cids) {
      const twin = CID.parse(await sandbox.add(await rootBytes(cid, sandbox), '--codec', 'none'))
      expect(twin.equals(CID.createV1(raw.code, CID.parse(cid).multihash))).toBe(true)
    }

    await expectAllThere(cids, sandbox)
  })

  it('keeps the blocks below it when an imported CAR links to its raw CID', async ({ sandbox }) => {
    const cids = await addFiles(sandbox)
    const twins = await Promise.all(
      cids.map(
        async cid => ({ cid: CID.createV1(raw.code, CID.parse(cid).multihash), bytes: await rootBytes(cid, sandbox) })
      )
    )
    const roots = await Promise.all(
      twins.flatMap(({ cid }) => [0, 1, 2].map(async i => directoryOf({ [`readme-${i}`]: cid })))
    )
    await sandbox.write('x.car', carOf(roots.map(({ cid }) => cid), [...twins, ...roots]))

    expectSuccess(await sandbox.run(['car', 'import', 'x.car']))
    await expectAllThere(cids, sandbox)
  })

  it('is exported once, with all blocks below it', async ({ sandbox }) => {
    const cid = CID.parse(await sandbox.add(noise(1_100_000)))
    const twin = CID.parse(await sandbox.add(await rootBytes(cid.toString(), sandbox), '--codec', 'none'))
    const directory = await directoryOf({ a: twin, b: cid, c: twin })
    await sandbox.write('in.car', carOf([directory.cid], [directory]))
    expectSuccess(await sandbox.run(['car', 'import', 'in.car']))

    expectSuccess(await sandbox.run(['car', 'export', directory.cid.toString(), '-o', 'out.car']))

    const held = await Array.fromAsync(
      (await CarReader.fromBytes(await readFile(join(sandbox.directory, 'out.car')))).cids()
    )
    expect(held).toHaveLength(4)
    expectSuccess(await sandbox.run(['car', 'import', 'out.car', '--repo', 'other']))
    expect((await sandbox.run(['cat', `${directory.cid}/b`, '--repo', 'other'])).stdout.equals(noise(1_100_000)))
      .toBe(true)
  })

  it('is not pinned when blocks below it are missing', async ({ sandbox }) => {
    const other = ['--repo', 'other']
    const cid = CID.parse(await sandbox.add(noise(1_100_000)))
    const twin = CID.parse(await sandbox.add(await rootBytes(cid.toString(), sandbox), '--codec', 'none', ...other))
    const directory = await directoryOf({ a: twin, b: cid, c: twin })
    await sandbox.write('in.car', carOf([directory.cid], [directory]))

    expectFailure(await sandbox.run(['car', 'import', 'in.car', ...other]), 1)
    expectFailure(await sandbox.run(['pin', 'add', directory.cid.toString(), ...other]), 1)
  })
})

describe.concurrent('a Helia pin of limited depth', () => {
  it('keeps exactly its levels, even beside a recursive pin of the same blocks', async ({ sandbox }) => {
    const cids = await addFiles(sandbox)
    const deep = (await Promise.all(cids.map(async cid => directoryOf({ file: unmark(CID.parse(cid)) }))))
    const helia = (await heliaOn(sandbox))

    for (const { cid, bytes } of deep) {
      await helia.blockstore.put(cid, bytes)
      await Array.fromAsync(helia.pins.add(cid, { depth: 1 }))
    }

    await expectAllThere(cids, sandbox)

    for (const cid of cids) {
      expectSuccess(await sandbox.run(['pin', 'rm', cid]))
    }

    // keeps directories and roots, removes both leaves of each file
    expect(parseLines((await sandbox.run(['gc', '--json'])).stdout))
      .toMatchObject([{ kept: 2 * FILES, removed: 2 * FILES }])
  })

  it('becomes recursive when ipfsz pins the CID again', async ({ sandbox }) => {
    const cid = await sandbox.add(noise(1_100_000), '--no-pin')
    await Array.fromAsync((await heliaOn(sandbox)).pins.add(unmark(CID.parse(cid)), { depth: 0 }))

    expectSuccess(await sandbox.run(['pin', 'add', cid]))

    expect(parseLines((await sandbox.run(['gc', '--json'])).stdout)).toMatchObject([{ kept: 3, removed: 0 }])
  })
})
