import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findContent, walkContent } from '../src/find/index.ts'
import { matchesPattern } from '../src/find/name-pattern.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import type { FindContentOptions } from '../src/find/index.ts'
import type { NodeContext } from '../src/session.ts'
import type { OpenRepo } from '../src/index.ts'
import type { CID } from 'multiformats/cid'

async function makeRepo (): Promise<{ repo: OpenRepo, cid: CID, context: NodeContext }> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-find-'))
  const repo = await openRepo(join(directory, 'repo'))
  onTestFinished(async () => {
    await repo.close()
    await rm(directory, { recursive: true, force: true })
  })
  await mkdir(join(directory, 'tree/b/c'), { recursive: true })
  await mkdir(join(directory, 'tree/empty'))
  await writeFile(join(directory, 'tree/a.txt'), 'a')
  await writeFile(join(directory, 'tree/b/c/a.txt'), 'another')
  await writeFile(join(directory, 'tree/b/d.csv'), 'd')
  await symlink('a.txt', join(directory, 'tree/link.txt'))
  const { cid } = await repo.addDirectory(join(directory, 'tree'))

  return { repo, cid, context: { repo: repo.path, signal: AbortSignal.timeout(60_000), bootstrap: [] } }
}

async function found (
  context: NodeContext,
  pattern: string,
  targets: string[] = [],
  options: FindContentOptions = {}
): Promise<string[]> {
  const paths: string[] = []
  await findContent(context, pattern, targets, { ...options, onFound ({ path }) { paths.push(path) } })

  return paths
}

describe('walkContent', () => {
  it('lists each directory before what is in it, with its level, and knows the last of each', async () => {
    const { repo, cid } = await makeRepo()
    const walked = await Array.fromAsync(walkContent({ cid, path: '' }, repo.files, {}))

    expect(walked.map(({ path, depth, isLast }) => [path, depth, isLast])).toEqual([
      ['a.txt', 1, false],
      ['b', 1, false],
      ['b/c', 2, false],
      ['b/c/a.txt', 3, true],
      ['b/d.csv', 2, true],
      ['empty', 1, false],
      ['link.txt', 1, true]
    ])
  })

  it('begins at a path, and stops at a depth', async () => {
    const { repo, cid } = await makeRepo()
    const pathsOf = async (path: string, depth?: number): Promise<string[]> =>
      (await Array.fromAsync(walkContent({ cid, path }, repo.files, { depth }))).map(({ path }) => path)

    expect(await pathsOf('', 1)).toEqual(['a.txt', 'b', 'empty', 'link.txt'])
    expect(await pathsOf('b')).toEqual(['c', 'c/a.txt', 'd.csv'])
    expect(await pathsOf('b/d.csv')).toEqual([''])
    expect(await pathsOf('empty')).toEqual([])
  })

  it('ends when it is told to', async () => {
    const { repo, cid } = await makeRepo()
    const controller = new AbortController()
    const walk = walkContent({ cid, path: '' }, repo.files, { signal: controller.signal })
    await walk.next()
    controller.abort()

    await expect(walk.next()).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('findContent', () => {
  it('finds by name and by path, in targets and in all pins, what other calls can read', async () => {
    const { repo, cid, context } = await makeRepo()

    expect(await found(context, 'a.txt', [`${cid}/`])).toEqual([`${cid}/a.txt`, `${cid}/b/c/a.txt`])
    expect(await found(context, 'b/*.txt')).toEqual([`${cid}/b/c/a.txt`])
    expect(await found(context, '?', ['tree/b'])).toEqual(['tree/b/c'])
    expect(await found(context, '*', [`${cid}`], { type: 'directory' }))
      .toEqual(['b', 'b/c', 'empty'].map(name => `${cid}/${name}`))
    expect(await found(context, '*.txt', [`${cid}`], { type: 'symlink' })).toEqual([`${cid}/link.txt`])
    expect(await found(context, 'nothing')).toEqual([])

    // a pinned file is found by the name of its pin
    const file = await repo.add(new TextEncoder().encode('x'.repeat(100)), { name: 'notes' })
    expect(await found(context, 'notes')).toEqual([file.cid.toString()])
  })

  it('goes on after one of several targets that is missing, and throws for a single one', async () => {
    const { cid, context } = await makeRepo()
    const missing = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
    const failed: string[] = []
    const offline = { ...context, network: { offline: true } }

    expect(await found(offline, 'd.csv', [missing, `${cid}`], { onFailed (target) { failed.push(target) } }))
      .toEqual([`${cid}/b/d.csv`])
    expect(failed).toEqual([missing])
    await expect(findContent(offline, 'd.csv', [missing])).rejects.toMatchObject({ name: 'NotFoundError' })
  })
})

describe('matchesPattern', () => {
  it('agrees with a regular expression', () => {
    // a character of two UTF-16 code units, and each half of it alone
    const units = ['a', 'b', '.', '/', '\u{1f600}', '\ud83d', '\ude00']
    // what stands in the pattern for a part of the path: most patterns would match nothing if they were independent
    const part = fc.tuple(fc.constantFrom(...units, ''), fc.constantFrom(undefined, undefined, '*', '?', '', ...units))

    fc.assert(fc.property(fc.array(part, { maxLength: 12 }), parts => {
      const path = parts.map(([text]) => text).join('')
      const pattern = parts.map(([text, other]) => other ?? text).join('')
      const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
      const compared = pattern.includes('/') ? path : path.split('/').at(-1) ?? ''

      expect(matchesPattern(pattern, path)).toBe(new RegExp(`^${source}$`, 'su').test(compared))
    }), { numRuns: 1000 })
  })

  it('takes a character outside of the basic plane for one, as GNU find does in UTF-8', () => {
    const names = ['\u{1f600}.txt', 'é.txt', 'e\u0301.txt', 'ab.txt']
    const matched = (pattern: string): string[] => names.filter(name => matchesPattern(pattern, name))

    expect(matched('?.txt')).toEqual(['\u{1f600}.txt', 'é.txt'])
    expect(matched('??.txt')).toEqual(['e\u0301.txt', 'ab.txt'])
    expect(matched('*\u{1f600}*')).toEqual(['\u{1f600}.txt'])
    expect(matchesPattern('?/?', '\u{1f600}/\u{1f600}')).toBe(true)
    // these have one half in common
    expect(matchesPattern('\u{1f601}', '\u{1f600}')).toBe(false)
    expect(matchesPattern('*\ude00', '\u{1fa00}')).toBe(false)
  })

  it('takes no more steps than the product of the lengths', () => {
    expect(matchesPattern(`${'*a'.repeat(20)}b`, 'a'.repeat(100_000))).toBe(false)
  })
})
