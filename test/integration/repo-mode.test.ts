import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it } from './run-cli.ts'

const CID = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

async function mode (path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

describe('the directory of a repo', () => {
  it.for([['add', '-'], ['init'], ['init', '--blockstore-codec', 'zstd'], [
    'link',
    'ls'
  ]])('is open only to its owner when ipfsz %s creates it, and its parents have the usual mode', async (
    args,
    { sandbox }
  ) => {
    const path = join(sandbox.directory, 'a', 'b', 'repo')
    await mkdir(join(sandbox.directory, 'usual'))

    await sandbox.run(['--repo', path, ...args], { stdin: text(1000) })

    // a command that only reads creates no repo
    const made = await readdir(path).then(() => true, () => false)
    expect(made).toBe(args[0] !== 'link')

    if (made) {
      expect(await mode(path)).toBe(0o700)
      expect(await mode(join(sandbox.directory, 'a', 'b'))).toBe(await mode(join(sandbox.directory, 'usual')))
    }
  })

  // Node would try for ever to make the parents of such a directory
  it.for([['add', '-'], ['init'], ['daemon'], ['gateway'], ['name', 'publish', CID], ['get', CID]])(
    'is refused by ipfsz %s below /proc, where there can be none',
    async (args, { sandbox }) => {
      expectFailure(await sandbox.run(['--repo', '/proc/ipfsz/repo', ...args], { stdin: text(1000) }), 1)
    }
  )

  it('keeps its mode when it already exists', async ({ sandbox }) => {
    await mkdir(sandbox.repo)
    await chmod(sandbox.repo, 0o755)

    expectSuccess(await sandbox.run(['init']))
    await sandbox.add(text(1000))

    expect(await mode(sandbox.repo)).toBe(0o755)
  })

  it.for([['add', '-'], ['init'], ['ls', CID], ['gc'], ['gateway', '--listen', '127.0.0.1:0']])(
    'is refused by ipfsz %s where every user could replace it, unless it is named as safe',
    async (args, { sandbox }) => {
      await chmod(sandbox.directory, 0o777)
      const refused = await sandbox.run(args, { stdin: text(1000) })

      expectFailure(refused, 1)
      expect(refused.stderr).toContain('IPFSZ_SAFE_DIRECTORY')
      expect(await readdir(sandbox.directory)).not.toContain('repo')

      if (args[0] === 'add') {
        expectSuccess(await sandbox.run(args, { stdin: text(1000), env: { IPFSZ_SAFE_DIRECTORY: sandbox.repo } }))
      }
    }
  )
})
