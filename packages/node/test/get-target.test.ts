import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { getTarget } from '../src/disk/get-target.ts'

const cid = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')

it.each(['a:b', 'nul', 'a.', 'C:a'])('refuses to write what is named %s under its own name on Windows', async name => {
  const asked = { cid, path: `directory/${name}`, text: '' }

  await expect(getTarget(undefined, asked, { cwd: '/' }, 'win32')).rejects.toMatchObject({ name: 'UsageError' })
  expect(await getTarget('other', asked, { cwd: '/' }, 'win32')).toBe('/other')
  expect(await getTarget(undefined, asked, { cwd: '/' }, 'linux')).toBe(`/${name}`)
})
