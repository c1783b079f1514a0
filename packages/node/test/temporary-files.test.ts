import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOf } from '../src/disk/process-state.ts'
import { holdDirectory } from '../src/disk/held-directory.ts'
import { sweep, sweepTemporaries, temporaryFor } from '../src/disk/temporary-files.ts'

const TWO_DAYS = 2 * 24 * 60 * 60 * 1000
const IS_ROOT = process.getuid?.() === 0
const NOBODY = 65534

describe.skipIf(process.platform === 'win32')('sweepTemporaries', () => {
  let directory: string

  beforeEach(async () => { directory = await mkdtemp(join(tmpdir(), 'ipfsz-sweep-')) })
  afterEach(async () => rm(directory, { recursive: true }))

  it('deletes files and trees of a process that has ended', async () => {
    await writeFile(join(directory, ofDead('file')), 'half')
    await makeTree(join(directory, ofDead('tree')))

    await sweepTemporaries(directory, Date.now())

    expect(await readdir(directory)).toEqual([])
  })

  it('deletes files, and keeps trees, where nobody knows who owns them', async () => {
    const tree = ofDead('tree')
    await writeFile(join(directory, ofDead('file')), 'half')
    await makeTree(join(directory, tree))
    const held = await holdDirectory(directory)

    await sweep(held, undefined, Date.now()).finally(async () => held.close())

    expect(await readdir(directory)).toEqual([tree])
  })

  it('keeps files and trees of a running process, however old they are', async () => {
    const [file, tree] = ['file', 'tree'].map(name => temporaryFor(join(directory, name)))
    await writeFile(file, 'half')
    await makeTree(tree)

    await sweepTemporaries(directory, Date.now() + TWO_DAYS)

    expect(await readdir(directory)).toHaveLength(2)
  })

  it('keeps files and trees of other machines and containers for a day, then deletes them', async () => {
    await writeFile(join(directory, elsewhere(ofDead('file'))), 'half')
    await makeTree(join(directory, elsewhere(ofDead('tree'))))

    await sweepTemporaries(directory, Date.now())
    expect(await readdir(directory)).toHaveLength(2)

    await sweepTemporaries(directory, Date.now() + TWO_DAYS)
    expect(await readdir(directory)).toEqual([])
  })

  it('keeps everything that has another name', async () => {
    const dead = ofDead('file')
    const names = [
      'file',
      '.file.tmp',
      dead.slice(1),
      `${dead}.txt`,
      dead.replace('ipfsz-', 'other-'),
      `.file.${dead.slice(-40)}`,
      dead.replace(/-\d+-/, '-x-')
    ]
    await Promise.all(names.map(async name => writeFile(join(directory, name), 'kept')))

    await sweepTemporaries(directory, Date.now() + TWO_DAYS)

    expect((await readdir(directory)).toSorted()).toEqual(names.toSorted())
  })

  it('keeps a symlink with a temporary name, and its target', async () => {
    const victim = join(directory, 'victim')
    await makeTree(victim)
    await symlink(victim, join(directory, ofDead('link')))

    await sweepTemporaries(directory, Date.now())

    expect(await readdir(directory)).toHaveLength(2)
    expect(await readdir(victim)).toHaveLength(1)
  })

  it('deletes a symlink in a tree, but not its target', async () => {
    const victim = join(directory, 'victim')
    await writeFile(victim, 'kept')
    const tree = join(directory, ofDead('tree'))
    await makeTree(tree)
    await symlink(victim, join(tree, 'link'))
    await symlink(directory, join(tree, 'all'))

    await sweepTemporaries(directory, Date.now())

    expect(await readdir(directory)).toEqual(['victim'])
    expect(await readFile(victim, 'utf8')).toBe('kept')
  })

  it.runIf(IS_ROOT)('keeps what belongs to another user', async () => {
    const [file, tree] = ['file', 'tree'].map(name => join(directory, ofDead(name)))
    await writeFile(file, 'theirs')
    await makeTree(tree)
    await Promise.all([file, tree].map(async path => chown(path, NOBODY, NOBODY)))

    await sweepTemporaries(directory, Date.now())

    expect(await readdir(directory)).toHaveLength(2)
  })

  it.for([0o777, 0o770])('keeps a directory that other users may have renamed (mode %i)', async mode => {
    await makeTree(join(directory, ofDead('thesis')))
    await chmod(directory, mode)

    await sweepTemporaries(directory, Date.now())

    expect(await readdir(directory)).toHaveLength(1)
  })

  it.runIf(IS_ROOT)('keeps a directory below one that belongs to another user', async () => {
    const below = join(directory, 'below')
    await makeTree(join(below, ofDead('thesis')))
    await chown(directory, NOBODY, NOBODY)

    await sweepTemporaries(below, Date.now())

    expect(await readdir(below)).toHaveLength(1)
  })

  it('deletes a tree in a directory that all may write to, if it has the sticky bit', async () => {
    await makeTree(join(directory, ofDead('tree')))
    await chmod(directory, 0o1777)

    await sweepTemporaries(directory, Date.now())

    expect(await readdir(directory)).toEqual([])
  })

  it('does nothing in a missing directory', async () => {
    await expect(sweepTemporaries(join(directory, 'none'), Date.now())).resolves.toBeUndefined()
  })
})

/** A temporary name made by a process that has ended. */
function ofDead (name: string): string {
  const { pid } = spawnSync(process.execPath, ['--version'])

  return basename(temporaryFor(name)).replace(`-${process.pid}-${startOf(process.pid)}-`, `-${pid}-1-`)
}

function elsewhere (name: string): string {
  return name.replace(/ipfsz-[0-9a-f]{16}/, 'ipfsz-0123456789abcdef')
}

/** A tree with a read-only directory. */
async function makeTree (path: string): Promise<void> {
  await mkdir(join(path, 'sub'), { recursive: true })
  await writeFile(join(path, 'sub', 'file'), 'half')
  await chmod(join(path, 'sub'), 0o555)
}
