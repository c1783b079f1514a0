import { describe, expect, it } from 'vitest'
import { ask, directory, file, symlink, unpack } from './tar-fixtures.ts'
import { store } from './dag-fixtures.ts'
import { drain } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

describe('names in a tar', () => {
  it('refuses those that lead out of it, before the first byte', async () => {
    const here = store()
    const inside = await file(here, 'inside')

    for (const name of ['../foo', '..', '.', '', '/etc/passwd', 'a/b', '../../x', 'a/../b']) {
      const root = await directory(here, [['bar', inside], [name, inside]].toSorted() as Array<[string, CID]>)
      await expect(ask(here, root)).rejects.toMatchObject({ name: 'InvalidDagError' })
    }
  })

  it('follows those that stay in it', async () => {
    const here = store()
    const inner = await directory(here, [['../file', await file(here, 'Hello')]])
    const root = await directory(here, [['foobar', await directory(here, [['directory', inner]])]])

    expect(await unpack(await ask(here, root))).toEqual([
      [`${root}/`, 'directory '],
      [`${root}/foobar/`, 'directory '],
      [`${root}/foobar/directory/`, 'directory '],
      [`${root}/foobar/file`, 'Hello']
    ])
  })

  it('cuts the body at others that are invalid', async () => {
    const here = store()
    const inner = await directory(here, [['../../file', await file(here, 'Hello')]])
    const root = await directory(here, [['a', inner]])

    const zero = await directory(here, [['a', await file(here, 'Hello')], ['b\0', await file(here, 'Hello')]])

    for (const cid of [root, zero]) {
      await expect(drain(await ask(here, cid))).rejects.toMatchObject({ name: 'InvalidDagError' })
    }
  })

  it('refuses to write through a symlink', async () => {
    const here = store()
    const link = await symlink(here, '/etc')
    const evil = await directory(here, [['../x', await file(here, 'evil')]])
    const before = await directory(here, [['a', link], ['b', evil]])
    const itself = await directory(here, [['b', await directory(here, [['../x', link]])], ['x', evil]])

    await expect(drain(await ask(here, before))).rejects.toMatchObject({ name: 'InvalidDagError' })
    await expect(drain(await ask(here, itself))).rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it('refuses a tree that is too deep', async () => {
    const here = store()
    let root = await directory(here, [])

    for (let i = 0; i < 130; i++) {
      root = await directory(here, [['d', root]])
    }

    await expect(drain(await ask(here, root))).rejects.toMatchObject({ name: 'InvalidDagError' })
  })
})
