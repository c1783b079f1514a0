import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { getContent } from '../src/get/index.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import type { NodeEvents } from '../src/index.ts'

it('deletes what it has written of a directory when it is interrupted, and reports that as a step', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-interrupted-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })
  const [tree, out, path] = ['tree', 'out', 'repo'].map(name => join(directory, name))
  await Promise.all([mkdir(join(tree, 'below'), { recursive: true }), mkdir(out)])
  await Promise.all(['a', 'below/b'].map(async name => writeFile(join(tree, name), `${name}, `.repeat(10_000))))
  const repo = await openRepo(path)
  const { cid } = await repo.addFile(tree).finally(async () => repo.close())
  const controller = new AbortController()
  const steps: string[] = []

  const onProgress = ({ type, detail }: NodeEvents): void => {
    if (type === 'ipfsz:step:begin' || type === 'ipfsz:step:end') {
      steps.push(`${detail.task} ${type.slice('ipfsz:step:'.length)}`)
    } else if (type === 'ipfsz:step:progress' && detail.step.task === 'write') {
      controller.abort()
    }
  }

  await expect(getContent(
    { repo: path, signal: controller.signal, bootstrap: [], network: { offline: true }, onProgress },
    cid.toString(),
    { output: join(out, 'copy') }
  )).rejects.toMatchObject({ name: 'AbortError' })

  expect(steps.slice(steps.indexOf('write begin'))).toEqual(['write begin', 'write end', 'remove begin', 'remove end'])
  expect(await readdir(out)).toEqual([])
})
