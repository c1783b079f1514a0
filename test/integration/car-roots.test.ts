/** CARs with many roots: each root is pinned and reported on its own, even if others fail. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { carOf, directoryBytes, leafOf } from './cars.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import type { CarBlock } from './cars.ts'
import type { Sandbox } from './run-cli.ts'

async function leaves (count: number, first = 1): Promise<CarBlock[]> {
  return Promise.all(Array.from({ length: count }, async (_, i) => leafOf(text(100 + i, first + i))))
}

async function directoryOf (blocks: readonly CarBlock[]): Promise<CarBlock> {
  const bytes = directoryBytes(Object.fromEntries(blocks.map(({ cid }, i) => [`${i}`, cid])))

  return { cid: CID.createV1(dagPb.code, await sha256.digest(bytes)), bytes }
}

async function pinned (sandbox: Sandbox): Promise<unknown[]> {
  return parseLines((await sandbox.run(['pin', 'ls', '--json'])).stdout).map(({ plainCid }) => plainCid).toSorted()
}

function plainCids (stdout: Buffer): unknown[] {
  return parseLines(stdout).map(({ plainCid }) => plainCid)
}

function textsOf (blocks: readonly CarBlock[]): string[] {
  return blocks.map(({ cid }) => cid.toString())
}

describe('a CAR with many roots', () => {
  it('has its complete roots pinned and printed, and the others reported', async ({ sandbox }) => {
    const [shared, missing, ...others] = await leaves(6)
    const broken = await Promise.all([[shared, missing], [missing, others[0]]].map(directoryOf))
    const whole = await Promise.all([[shared, others[0]], [others[1]]].map(directoryOf))
    const roots = [broken[0], whole[0], others[2], broken[1], whole[1], others[3]]
    const good = [whole[0], others[2], whole[1], others[3]]
    await sandbox.write('x.car', carOf(roots.map(({ cid }) => cid), [shared, ...others, ...broken, ...whole]))

    const result = await sandbox.run(['car', 'import', '--json', 'x.car'])

    expect(result.code).toBe(1)
    expect(plainCids(result.stdout)).toEqual(textsOf(good))
    expect(await pinned(sandbox)).toEqual(textsOf(good).toSorted())
    const lines = result.stderr.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    broken.forEach(({ cid }, i) => { expect(lines[i]).toContain(cid.toString()) })

    expectSuccess(await sandbox.run(['gc']))
    expectSuccess(await sandbox.run(['verify', ...textsOf(good)]))
  })

  it('is given up after 100 incomplete roots', async ({ sandbox }) => {
    const [missing, ...others] = await leaves(200)
    const broken = await Promise.all(others.slice(0, 150).map(async other => directoryOf([other, missing])))
    const roots = [others[0], ...broken, others[1]]
    await sandbox.write('x.car', carOf(roots.map(({ cid }) => cid), [...others, ...broken]))

    const result = await sandbox.run(['car', 'import', '--json', 'x.car'])

    expect(result.code).toBe(1)
    expect(plainCids(result.stdout)).toEqual(textsOf([others[0]]))
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(101)
  })

  it('is refused in one line when its only root is incomplete', async ({ sandbox }) => {
    const [missing, other] = await leaves(2)
    const broken = await directoryOf([other, missing])
    await sandbox.write('x.car', carOf([broken.cid], [other, broken]))

    const result = await sandbox.run(['car', 'import', 'x.car'])

    expectFailure(result, 1)
    expect(result.stderr).toContain(broken.cid.toString())
  })

  it('keeps the marked CID and counts both pins of twin roots, and pins no inline root', async ({ sandbox }) => {
    const marked = CID.parse(await sandbox.add(text(100_000)))
    const [leaf] = await leaves(1)
    expectSuccess(await sandbox.run(['car', 'export', marked.toString(), '-o', 'one.car']))
    const plain = CID.parse(
      String(parseLines((await sandbox.run(['stat', marked.toString(), '--json'])).stdout)[0].plainCid)
    )
    const inline = CID.createV1(raw.code, identity.digest(Buffer.from('inline')))
    const twin = CID.createV1(raw.code, plain.multihash)
    // the repo already has the blocks of the file
    await sandbox.write('x.car', carOf([marked, inline, plain, leaf.cid, twin], [leaf]))

    const imported = await sandbox.run(['car', 'import', 'x.car', '--json'])
    expectSuccess(imported)
    expect(parseLines(imported.stdout)).toMatchObject([
      { cid: marked.toString() },
      { cid: inline.toString() },
      { cid: marked.toString() },
      { cid: leaf.cid.toString() },
      { cid: twin.toString() }
    ])
    expect(parseLines((await sandbox.run(['pin', 'ls', '--json'])).stdout).map(({ cid }) => cid).toSorted()).toEqual(
      [marked, leaf.cid, twin].map(String).toSorted()
    )

    // the file of a count is deleted with the last pin that it counts
    const counts = async (): Promise<number> => (await readdir(join(sandbox.repo, 'datastore', 'pinned-block'))).length
    expect(await counts()).toBe(2)
    expectSuccess(await sandbox.run(['pin', 'rm', twin.toString()]))
    expect(await counts()).toBe(2)
    expectSuccess(await sandbox.run(['pin', 'rm', plain.toString()]))
    expect(await counts()).toBe(1)
  })
})
