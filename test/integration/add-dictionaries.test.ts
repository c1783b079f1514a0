import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { openRepo } from '../../packages/node/dist/repo/repo.js'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

const SHARED = Buffer.from(noise(2000)).toString('hex')
const FILES = Array.from({ length: 8 }, (_, i) =>
  Buffer.concat([Buffer.from(SHARED.slice(0, 3000)), text(300, i + 1), Buffer.from(SHARED.slice(3000))]))

async function writeTree (sandbox: Sandbox): Promise<void> {
  await mkdir(join(sandbox.directory, 'tree/sub'), { recursive: true })

  for (const [i, bytes] of FILES.entries()) {
    await sandbox.write(`tree/sub/${i}.html`, bytes)
  }
}

describe.concurrent('ipfsz add --dictionaries', () => {
  it('counts a dictionary once, and reads, verifies and keeps files that have it', async ({ sandbox }) => {
    await writeTree(sandbox)
    const added = await sandbox.run(['add', '--json', '--dictionaries', 'tree'])
    expectSuccess(added)
    const lines = added.stdout.toString().trim().split('\n').map(line => JSON.parse(line))
    const tree = lines.find(({ name }) => name === 'tree')
    const files = lines.filter(({ name }) => name.endsWith('.html'))
    // an empty directory, which is none of it
    expectSuccess(await sandbox.run(['gc']))
    const { stdout } = await sandbox.run(['stats', '--json'])
    const { size } = JSON.parse(stdout.toString().trim().split('\n')[0])

    // what is printed is what the repo holds
    expect(tree.storedSize).toBe(size)
    expect(files).toHaveLength(8)

    const shown = JSON.parse((await sandbox.run(['stat', '--json', tree.cid])).stdout.toString())
    expect(shown).toMatchObject({ storedSize: size, fetchSize: size })

    for (const file of files) {
      expect(file.storedSize).toBeLessThan(1000)
    }

    expectSuccess(await sandbox.run(['verify', tree.cid]))
    expect((await sandbox.run(['cat', `${tree.cid}/sub/3.html`])).stdout.equals(FILES[3])).toBe(true)
    expect((await sandbox.run(['stat', `${tree.cid}/sub/3.html`])).stdout.toString()).toMatch(/^Base\tbafy/mu)
  })

  it('says which block is missing, and how to get it, when the dictionary is not there', async ({ sandbox }) => {
    await writeTree(sandbox)
    const tree = (await sandbox.run(['add', '-Q', '--dictionaries', 'tree'])).stdout.toString().trim()
    const file = `${tree}/sub/3.html`
    const [, base] = /^Base\t(\S+)/m.exec((await sandbox.run(['stat', file])).stdout.toString()) ?? []
    const { storage } = await openRepo(sandbox.repo)
    await storage.delete(unmark(CID.parse(base)))

    for (const args of [['cat', file], ['cat', '--length', '5', file], ['get', file, '-o', 'out'], ['verify', tree]]) {
      const { code, stderr } = await sandbox.run(args)

      expect({ args, code }).toEqual({ args, code: 1 })
      expect(stderr).toMatch(/needs its base bafy\w+, which cannot be read: The block bafy\w+ was not found/)
      expect(stderr).toContain('ipfsz repair')
      expect(stderr).not.toMatch(/\.data|written incorrectly/)
    }
  })

  it('computes the same CID with --only-hash', async ({ sandbox }) => {
    await writeTree(sandbox)
    const args = ['-Q', '--dictionaries', 'tree']
    const hashed = await sandbox.run(['add', '--only-hash', ...args])
    const stored = await sandbox.run(['add', ...args])

    expectSuccess(stored)
    expect(hashed.stdout.toString()).toBe(stored.stdout.toString())
  })

  it('refuses what excludes dictionaries', async ({ sandbox }) => {
    await writeTree(sandbox)

    for (const args of [['--codec', 'lz4'], ['--codec', 'none'], ['--cut', 'content'], ['--base', 'bafyx']]) {
      const result = await sandbox.run(['add', '--dictionaries', ...args, 'tree'])
      expectFailure(result, 2)
      expect(result.stderr).toContain('--dictionaries')
    }
  })
})
