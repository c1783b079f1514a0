import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect } from 'vitest'
import { openRepo } from '../../packages/node/dist/repo/repo.js'
import { text } from '../support/data.ts'
import { expectFailure, it, parseLines } from './run-cli.ts'

/** Commands that take a CID, with what stands for it. */
const COMMANDS = (target: string, file: string): string[][] => [
  ['stat', target], ['ls', target], ['du', target], ['verify', target], ['diff', target, target], ['repair', target],
  ['cid', 'plain', target], ['car', 'export', target, '-o', '-'], ['get', file, '-o', '-'], ['pin', 'add', target],
  ['cat', file], ['stat', file], ['ls', file], ['pin', 'rm', target]
]

describe('the name of a pin', () => {
  it('stands for its CID in every command that takes one', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'photos'))
    await sandbox.write('photos/a.txt', text(1000))
    const added = await sandbox.run(['add', '-Q', 'photos'])
    const cid = added.stdout.toString().trim()
    const named = COMMANDS('photos', 'photos/a.txt')

    for (const [i, args] of COMMANDS(cid, `${cid}/a.txt`).entries()) {
      const expected = await sandbox.run(args)
      expect([args, expected.code]).toEqual([args, 0])

      if (args[1] === 'rm') {
        await sandbox.run(['add', 'photos'])
      }

      const result = await sandbox.run(named[i])
      // `du` prints what was typed
      const [printed, wanted] = [result, expected].map(({ stdout }) => stdout.toString().replaceAll('photos', cid))
      expect([named[i], result.code, printed]).toEqual([named[i], 0, wanted])
    }

    const listed = await sandbox.run(['ls', `${cid}/a.txt`])
    expect(listed.stdout.toString().trimEnd().split('\t').at(-1)).toBe('a.txt')
  })

  it('is refused if several pins have it, with their CIDs, and one that none has, with names that are near', async (
    { sandbox }
  ) => {
    await sandbox.write('notes', text(1000))
    const first = (await sandbox.run(['add', '-Q', 'notes'])).stdout.toString().trim()
    await sandbox.write('notes', text(2000))
    const second = (await sandbox.run(['add', '-Q', 'notes'])).stdout.toString().trim()

    for (const command of ['stat', 'du', 'verify']) {
      const several = await sandbox.run([command, 'notes'])
      expectFailure(several, 2)
      expect(several.stderr).toContain(first)
      expect(several.stderr).toContain(second)

      const near = await sandbox.run([command, 'ntoes/x'])
      expectFailure(near, 2)
      expect(near.stderr).toContain('did you mean "notes"?')

      const far = await sandbox.run([command, 'something'])
      expectFailure(far, 2)
      expect(far.stderr).toContain('is not a CID')
    }
  })
})

describe('a document', () => {
  it.for([
    ['dag-cbor', 0x71, Uint8Array.of(0xa1, 0x61, 0x61, 0x01)],
    ['dag-json', 0x0129, Buffer.from('{"a":1}')],
    ['0x200', 0x0200, Buffer.from('{"a":1}')],
    ['0x999999', 0x999999, Buffer.from('a')]
  ] as const)('%s is refused with NotUnixFSError', async ([name, code, block], { sandbox }) => {
    await sandbox.add(text(10))
    const repo = await openRepo(sandbox.repo)
    const cid = CID.createV1(code, await sha256.digest(block))
    await repo.blockstore.put(cid, block)
    await repo.close()

    for (const args of [
      ['ls'], ['cat'], ['stat'], ['get', '-o', '-'], ['verify'], ['du'], ['tree'], ['find', '*'], ['pin', 'add'],
      ['repair'], ['car', 'export', '-o', '-']
    ]) {
      const result = await sandbox.run(['--json', ...args, cid.toString()])
      expect({ args, code: result.code, stdout: result.stdout.toString() }).toEqual({ args, code: 1, stdout: '' })
      expect([args, parseLines(Buffer.from(result.stderr))])
        .toEqual([args, expect.arrayContaining([expect.objectContaining({ name: 'NotUnixFSError' })])])
      expect(result.stderr).toContain(name)
      expect(result.stderr).not.toContain('this is a directory')
    }
  })
})
