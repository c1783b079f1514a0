import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectSuccess, it } from './run-cli.ts'

async function mode (path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

describe('the directory of a repo', () => {
  it.for([['add', '-'], ['init'], ['init', '--blockstore-codec', 'zstd'], [
    'link',
    'ls'
  ]])('is for its owner alone where ipfsz %s makes it, and those above are as the system makes them', async (
    args,
    { sandbox }
  ) => {
    const path = join(sandbox.directory, 'a', 'b', 'repo')
    await mkdir(join(sandbox.directory, 'usual'))

    await sandbox.run(['--repo', path, ...args], { stdin: text(1000) })

    // what only reads makes none
    const made = await readdir(path).then(() => true, () => false)
    expect(made).toBe(args[0] !== 'link')

    if (made) {
      expect(await mode(path)).toBe(0o700)
      expect(await mode(join(sandbox.directory, 'a', 'b'))).toBe(await mode(join(sandbox.directory, 'usual')))
    }
  })

  it('keeps the mode that it has', async ({ sandbox }) => {
    await mkdir(sandbox.repo)
    await chmod(sandbox.repo, 0o755)

    expectSuccess(await sandbox.run(['init']))
    await sandbox.add(text(1000))

    expect(await mode(sandbox.repo)).toBe(0o755)
  })
})
