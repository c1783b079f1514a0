import { MemoryDatastore } from 'datastore-core'
import { Key } from 'interface-datastore'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, TREE_CODE, unmark } from '../src/index.ts'
import { CountingBlockstore, noise } from './fixtures.ts'
import { cidOf, countEntries, files, linksOn, listed, mortal, originals, RAW, toV0 } from './link-fixtures.ts'

describe('a link', () => {
  it('is found by its original and by its file, marked or plain, CIDv0 or CIDv1', async () => {
    const links = linksOn(new MemoryDatastore())
    await links.add(originals[1], files[1])

    expect(await links.get(originals[1])).toEqual(files[1])
    expect(await links.get(toV0(originals[1]))).toEqual(files[1])
    expect(await links.get(files[1])).toEqual(originals[1])
    expect(await links.get(unmark(files[1]))).toEqual(originals[1])
    expect(await links.get(toV0(files[1]))).toEqual(originals[1])
    expect(await links.get(originals[2])).toBeUndefined()
    expect(await links.get(files[2])).toBeUndefined()
  })

  it('returns its CIDs exactly as given', async () => {
    const links = linksOn(new MemoryDatastore())
    const original = toV0(originals[1])
    await links.add(original, files[0])

    expect(await links.get(files[0])).toEqual(original)
    expect(await Array.fromAsync(links.list())).toEqual([{ original, compressed: files[0], checked: false }])
  })

  it("does not apply to a raw CID with the root's hash", async () => {
    const links = linksOn(new MemoryDatastore())
    await links.add(originals[1], files[1])

    expect(await links.get(CID.createV1(RAW, originals[1].multihash))).toBeUndefined()
  })

  it('may lead to a tree', async () => {
    const links = linksOn(new MemoryDatastore())
    const tree = await cidOf(50, TREE_CODE)
    await links.add(originals[1], tree)

    expect(await links.get(originals[1])).toEqual(tree)
  })

  it('survives a restart', async () => {
    const datastore = new MemoryDatastore()
    await linksOn(datastore).add(originals[0], files[0])

    expect(await linksOn(datastore).get(files[0])).toEqual(originals[0])
  })

  it('to another file replaces the earlier one', async () => {
    const datastore = new MemoryDatastore()
    const links = linksOn(datastore)
    await links.add(originals[0], files[0])
    await links.add(originals[0], files[1])

    expect(await links.get(originals[0])).toEqual(files[1])
    expect(await links.get(files[0])).toBeUndefined()
    expect(await links.get(files[1])).toEqual(originals[0])
    expect(await Array.fromAsync(datastore.query({}))).toHaveLength(2)
  })

  it('may share its file with other links, and the file leads to the newest original', async () => {
    const links = linksOn(new MemoryDatastore())
    await links.add(originals[0], files[0])
    await links.add(originals[1], files[0])

    expect(
      await Promise.all([originals[0], originals[1], files[0]].map(async cid => links.get(cid)))
    ).toEqual([files[0], files[0], originals[1]])
    await links.delete(originals[1])
    expect(await links.get(files[0])).toEqual(originals[0])
  })

  it.each([
    ['its original', originals[0]],
    ['its file', files[0]],
    ['the plain CID of its file', unmark(files[0])]
  ])('is deleted by %s, in both directions', async (_, cid) => {
    const datastore = new MemoryDatastore()
    const links = linksOn(datastore)
    await links.add(originals[0], files[0])
    await links.delete(cid)

    expect(await links.get(originals[0])).toBeUndefined()
    expect(await links.get(files[0])).toBeUndefined()
    expect(await Array.fromAsync(datastore.query({}))).toEqual([])
  })

  it('is deleted by its file together with all other links of that file', async () => {
    const datastore = new MemoryDatastore()
    const links = linksOn(datastore)
    await links.add(originals[0], files[0])
    await links.add(originals[1], files[0])
    await links.delete(files[0])

    expect(await Array.fromAsync(datastore.query({}))).toEqual([])
  })

  it('survives concurrent changes, also by several instances', async () => {
    const datastore = new MemoryDatastore()
    await Promise.all(originals.map(async original => linksOn(datastore).add(original, files[0])))
    await Promise.all(originals.map(async (original, i) => linksOn(datastore).add(original, files[i % 2])))
    const links = linksOn(datastore)

    expect(await listed(links)).toHaveLength(originals.length)
    await Promise.all([links.delete(files[0]), links.delete(files[1])])
    expect(await Array.fromAsync(datastore.query({}))).toEqual([])
  })
})

describe('links', () => {
  it('are pruned if their file is gone, as are leftovers of killed processes', async () => {
    const datastore = new MemoryDatastore()
    const links = linksOn(datastore)
    await links.add(originals[0], files[0])
    await links.add(originals[1], files[0])
    await links.add(originals[2], files[1])
    await expect(linksOn(mortal(datastore, 1)).add(originals[3], files[2])).rejects.toThrow('killed')
    const asked: string[] = []

    expect(
      await links.prune({ has: cid => { asked.push(cid.toString()); return cid.equals(unmark(files[1])) } })
    ).toBe(2)
    expect(await Array.fromAsync(links.list())).toEqual(
      [{ original: originals[2], compressed: files[1], checked: false }]
    )
    expect(await countEntries(datastore)).toBe(2)
    expect(new Set(asked)).toEqual(new Set([files[0], files[1]].map(cid => unmark(cid).toString())))
  })

  it('leave other entries of the datastore alone when pruned', async () => {
    const datastore = new MemoryDatastore()
    const key = new Key('/pin/1')
    await datastore.put(key, Uint8Array.of(1))
    const links = linksOn(datastore)
    await links.add(originals[0], files[0])
    await links.prune({ has: () => false })

    expect(await Array.fromAsync(datastore.queryKeys({}))).toEqual([key])
  })

  it('reject every call if the signal is aborted', async () => {
    const links = linksOn(new MemoryDatastore())
    const options = { signal: AbortSignal.abort() }
    const asked = [
      links.add(originals[0], files[0], options),
      links.get(originals[0], options),
      links.delete(files[0], options),
      links.prune(options),
      Array.fromAsync(links.list(options))
    ]

    for (const promise of asked) {
      await expect(promise).rejects.toMatchObject({ name: 'AbortError' })
    }
  })
})

describe('the links interface', () => {
  it('refuses every call without a datastore', async () => {
    const links = linksOn()
    const asked = [
      links.add(originals[0], files[0]),
      links.get(originals[0]),
      links.delete(files[0]),
      links.prune(),
      Array.fromAsync(links.list())
    ]

    for (const promise of asked) {
      await expect(promise).rejects.toMatchObject({ name: 'LinksUnavailableError' })
    }
  })

  it('refuses a file that is not stored locally, and keeps the earlier link', async () => {
    const datastore = new MemoryDatastore()
    await linksOn(datastore).add(originals[0], files[0])
    const { links } = ipfsz({ blockstore: new CountingBlockstore(), datastore })

    await expect(links.add(originals[0], files[1])).rejects.toMatchObject(
      { name: 'LinkedFileMissingError', original: originals[0], compressed: files[1] }
    )
    expect(await links.get(originals[0])).toEqual(files[0])
    expect(await links.get(files[0])).toEqual(originals[0])
  })

  it('refuses a wrong marker on either side, and the same file on both', async () => {
    const links = linksOn(new MemoryDatastore())
    const pairs = [
      [originals[0], unmark(files[0])],
      [files[0], files[1]],
      [files[0], originals[0]],
      [unmark(files[0]), files[0]],
      [toV0(files[0]), files[0]]
    ]

    for (const [original, compressed] of pairs) {
      await expect(links.add(original, compressed)).rejects.toMatchObject({ name: 'InvalidParametersError' })
    }

    expect(await listed(links)).toEqual([])
  })

  it('refuses any damaged entry of the datastore with InvalidLinkError, and keeps it', async () => {
    const datastore = new MemoryDatastore()
    const links = linksOn(datastore)
    await links.add(originals[0], files[0])
    const [{ key, value }] = await Array.fromAsync(datastore.query({ prefix: '/ipfsz/links/original' }))

    for (const damaged of [
      new Uint8Array(0),
      value.subarray(0, -1),
      value.subarray(0, files[0].bytes.byteLength),
      noise(70),
      Uint8Array.of(1, 0x80)
    ]) {
      await datastore.put(key, damaged)

      for (const promise of [
        links.get(originals[0]),
        links.add(originals[0], files[1]),
        links.delete(originals[0]),
        links.prune({ has: () => false }),
        Array.fromAsync(links.list())
      ]) {
        await expect(promise).rejects.toMatchObject({ name: 'InvalidLinkError', key: key.toString() })
      }
    }

    await datastore.put(key, value)
    expect(await links.get(files[0])).toEqual(originals[0])
  })
})
