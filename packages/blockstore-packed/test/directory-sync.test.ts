/** File systems that cannot sync directories, and such that fail to. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { present } from './check.ts'
import { it, nameOf, putAll } from './fixtures.ts'
import { texts } from './texts.ts'

let code = 'EINVAL'

// of the module itself: test files share the modules that have imported it
beforeAll(() => {
  const { fsync } = fs

  vi.spyOn(fs, 'fsync').mockImplementation((fd, done) => {
    if (fs.fstatSync(fd).isDirectory()) {
      done(Object.assign(new Error('fsync of a directory'), { code }))
    } else {
      fsync(fd, done)
    }
  })
  syncBuiltinESMExports()
})

afterAll(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

describe('a store on a file system that', () => {
  it.for(['EINVAL', 'ENOTSUP', 'EISDIR'])('cannot sync directories, and says %s, keeps all blocks', async (said, {
    open
  }) => {
    code = said
    const blocks = texts(6)
    const store = await open()
    await putAll(store, blocks)
    await store.delete(blocks[0].cid)
    await store.repack({ maxUnused: 0 })
    await store.close()

    expect(await present(await open(), blocks)).toEqual([1, 2, 3, 4, 5])
  })

  it('fails to sync a directory acknowledges nothing', async ({ open }) => {
    code = 'EIO'

    expect(await nameOf(putAll(await open(), texts(1)))).not.toBe('no error')
  })
})
