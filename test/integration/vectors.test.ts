/** @module-tag long */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { ipfsz, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { makeVectors, statFields } from '../../scripts/vectors/make-vectors.ts'
import { fromCar } from '../support/recording-blockstore.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { Original } from '../../scripts/vectors/vector.ts'

const FOLDER = join(import.meta.dirname, '../../vectors')
const NAMES = (await readdir(FOLDER)).filter(name => name.endsWith('.json')).map(name => basename(name, '.json'))

interface Vector extends Partial<Original> {
  marked: string
  plain: string
  stat?: object
  error?: string
  rule?: string
  path?: string
  listing?: boolean
  atRest?: boolean
  entries?: Array<{ path: string } & Original>
}

async function bytesOf (fs: Ipfsz, cid: CID, options: Parameters<Ipfsz['cat']>[1]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(fs.cat(cid, options)))
}

async function expectOriginal (fs: Ipfsz, cid: CID, original: Original, path?: string): Promise<void> {
  const { size, sha256, ranges, verify } = original
  expect((await fs.stat(cid, { path, extended: true })).size).toBe(BigInt(size))

  for (const { offset, length, hex } of ranges) {
    expect((await bytesOf(fs, cid, { path, offset, length })).toString('hex')).toBe(hex)
  }

  if (sha256 != null) {
    expect(createHash('sha256').update(await bytesOf(fs, cid, { path })).digest('hex')).toBe(sha256)
  }

  if (verify != null) {
    await expect(fs.verify(cid)).rejects.toMatchObject({ name: verify })
  } else if (sha256 != null) {
    await fs.verify(cid)
  }
}

describe('the conformance vectors', () => {
  it.each(NAMES)('are read, or refused with the error that they name: %s', async name => {
    const vector = JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8')) as Vector
    const stored = await fromCar(await readFile(join(FOLDER, `${name}.car`)))
    const fs = ipfsz({ blockstore: vector.atRest === true ? new CompressedBlockstore(stored) : stored })
    const cid = CID.parse(vector.marked)
    expect(unmark(cid).toString()).toBe(vector.plain)

    if (vector.error != null) {
      const { error, rule, path, listing } = vector
      const reading = listing === true ? Array.fromAsync(fs.ls(cid)) : bytesOf(fs, cid, { path })
      await expect(reading).rejects.toMatchObject({ name: error, ...rule == null ? {} : { rule } })
    } else if (vector.entries != null) {
      for (const { path, ...original } of vector.entries) {
        await expectOriginal(fs, cid, original, path)
      }
    } else {
      if (vector.stat != null) {
        expect(JSON.parse(JSON.stringify(statFields(await fs.stat(cid))))).toEqual(vector.stat)
      }

      await expectOriginal(fs, cid, vector as Original)
    }
  })

  it('are what their script makes', async () => {
    const names: string[] = []

    for await (const [name, bytes] of makeVectors()) {
      names.push(name)
      expect(Buffer.compare(await readFile(join(FOLDER, name)), bytes), name).toBe(0)
    }

    expect(names.toSorted()).toEqual((await readdir(FOLDER)).filter(name => name !== 'README.md').toSorted())
  })
})
