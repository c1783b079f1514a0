/** File systems that cannot sync directories, and such that fail to. */
import { describe, expect, vi } from 'vitest'
import { present } from './check.ts'
import { it, nameOf, putAll } from './fixtures.ts'
import { texts } from './texts.ts'
import type * as Fs from 'node:fs'

const said = vi.hoisted(() => ({ code: 'EINVAL' }))

vi.mock('node:fs', async importOriginal => {
  const fs = await importOriginal<typeof Fs>()

  return {
    ...fs,
    default: fs,
    fsync (fd: number, done: (err: Error | null) => void) {
      if (fs.fstatSync(fd).isDirectory()) {
        done(Object.assign(new Error('fsync of a directory'), { code: said.code }))
      } else {
        fs.fsync(fd, done)
      }
    }
  }
})

describe('a store on a file system that', () => {
  it.for(['EINVAL', 'ENOTSUP', 'EISDIR'])('cannot sync directories, and says %s, keeps all blocks', async (code, {
    open
  }) => {
    said.code = code
    const blocks = texts(6)
    const store = await open()
    await putAll(store, blocks)
    await store.delete(blocks[0].cid)
    await store.repack({ maxUnused: 0 })
    await store.close()

    expect(await present(await open(), blocks)).toEqual([1, 2, 3, 4, 5])
  })

  it('fails to sync a directory acknowledges nothing', async ({ open }) => {
    said.code = 'EIO'

    expect(await nameOf(putAll(await open(), texts(1)))).not.toBe('no error')
  })
})
