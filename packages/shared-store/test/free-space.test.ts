import { describe, expect, it } from 'vitest'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { PackStorage } from '../src/packs/pack-storage.ts'
import { FreeSpace } from '../src/storage/free-space.ts'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'

const MIB = 1024 * 1024
const MANY_INODES = { files: 1e9, ffree: 1e9 }

interface Disk { bsize: number, blocks: number, bavail: number, files: number, ffree: number }

/** A room on a disk, whose free space each write takes. */
function roomOn (disk: Disk): { write (size: number): Promise<void>, looks: () => number } {
  let looks = 0
  const room = new FreeSpace('/store', async () => {
    looks++

    return { ...disk }
  })

  return {
    looks: () => looks,
    write: async size => room.write(size, async () => {
      disk.bavail -= size / disk.bsize
      disk.ffree--
    })
  }
}

async function fill (write: (size: number) => Promise<void>, size: number): Promise<unknown> {
  try {
    for (;;) {
      await write(size)
    }
  } catch (err) {
    return err
  }
}

describe('the room of a store', () => {
  it.for([
    { all: 100 * MIB, left: MIB },
    { all: 1024 * 1024 * MIB, left: 64 * MIB }
  ])('leaves $left of $all bytes for garbage collections', async ({ all, left }) => {
    const disk = { bsize: 4096, blocks: all / 4096, bavail: (left + 20 * MIB) / 4096, ...MANY_INODES }

    expect(await fill(roomOn(disk).write, MIB / 2)).toMatchObject({
      name: 'StoreError', message: expect.stringContaining('The disk of the store /store is full') as string
    })
    expect(disk.bavail * 4096).toBeGreaterThanOrEqual(left)
    expect(disk.bavail * 4096).toBeLessThan(left + MIB)
  })

  it('counts in the blocks of the disk, not in those that are best to write', async () => {
    const blocks = { blocks: 1024 * 1024 * MIB / 4096, bavail: 32 * MIB / 4096 }
    const room = new FreeSpace('/store', async () => ({ bsize: 128 * 1024, frsize: 4096, ...blocks, ...MANY_INODES }))

    await expect(room.write(100, async () => {})).rejects.toMatchObject({ name: 'StoreError' })
  })

  it('leaves inodes too', async () => {
    const disk = { bsize: 4096, blocks: 1e9, bavail: 1e9, files: 100_000, ffree: 3000 }

    expect(await fill(roomOn(disk).write, 100)).toMatchObject({ name: 'StoreError' })
    expect(disk.ffree).toBe(1000)
  })

  it('leaves as much if many packs are written at a time', async () => {
    const disk = { bsize: 4096, blocks: 100 * MIB / 4096, bavail: 4 * MIB / 4096, ...MANY_INODES }
    const { write } = roomOn(disk)
    const results = await Promise.allSettled(Array.from({ length: 16 }, async () => write(MIB)))

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(disk.bavail * 4096).toBe(MIB)
  })

  it('looks seldom, and soon enough to see what others have written', async () => {
    const disk = { bsize: 4096, blocks: 1e9, bavail: 1e9, ...MANY_INODES }
    const { write, looks } = roomOn(disk)

    for (let i = 0; i < 1000; i++) {
      await write(MIB / 16)
    }

    expect(looks()).toBeLessThan(20)
    disk.bavail = 0
    await expect((async () => {
      for (let i = 0; i < 4; i++) {
        await write(MIB)
      }
    })()).rejects.toMatchObject({ name: 'StoreError' })
  })

  it('is there again once something was deleted', async () => {
    const disk = { bsize: 4096, blocks: 100 * MIB / 4096, bavail: 0, ...MANY_INODES }
    const { write } = roomOn(disk)

    await expect(write(MIB)).rejects.toMatchObject({ name: 'StoreError' })
    disk.bavail = disk.blocks

    await expect(write(MIB)).resolves.toBeUndefined()
  })

  it('is left by packs that are added, and not by those that a collection copies', async () => {
    const objects = new MemoryObjects()
    const freeSpace = new FreeSpace('/store', async () => ({ bsize: 4096, blocks: 1000, bavail: 0, ...MANY_INODES }))
    const { writer, copier } = new PackStorage({ objects, freeSpace })
    const bytes = new Uint8Array(10)
    const cid = CID.createV1(raw.code, await sha256.digest(bytes))

    await writer.put(cid, bytes)
    await expect(writer.sync()).rejects.toMatchObject({ name: 'StoreError', problem: 'full' })
    expect(objects.keys()).toEqual([])
    await copier.put(cid, bytes)
    await copier.sync()
    expect(objects.keys('packs/')).toHaveLength(1)
  })

  it.for([
    { title: 'has no numbers', ask: async () => ({ bsize: 0, blocks: 0, bavail: 0, files: 0, ffree: 0 }) },
    { title: 'cannot be asked', ask: async () => { throw new Error('ENOSYS') } }
  ])('has no end if the file system $title', async ({ ask }) => {
    expect(await new FreeSpace('/store', ask).write(MIB, async () => 'written')).toBe('written')
  })
})
