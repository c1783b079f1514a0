/** @module-tag slow */
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { it } from './run-cli.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

/** Addons are still those of this system. */
const LIKE_WINDOWS = { preload: 'like-windows.ts', env: { npm_config_platform: process.platform } }

/** Run the command on a file system that refuses what Windows does. */
async function onWindows (sandbox: Sandbox, ...args: string[]): Promise<RunResult> {
  return sandbox.spawn(args, LIKE_WINDOWS)
}

/** The same, for a command that has to succeed. Returns what it prints. */
async function run (sandbox: Sandbox, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await onWindows(sandbox, ...args)
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })

  return stdout.toString().trim()
}

describe('a file system that refuses what Windows does', () => {
  it.for(['packs', 'files'])('adds, reads, converts and collects with blocks in %s', async (layout, { sandbox }) => {
    const { directory, repo } = sandbox
    const tree = join(directory, 'tree')
    const large = text(3_000_000)

    await mkdir(join(tree, 'below'), { recursive: true })
    await writeFile(join(tree, 'large'), large)
    await writeFile(join(tree, 'below', 'small.txt'), text(5000))
    await writeFile(join(tree, 'run.sh'), 'true')
    await chmod(join(tree, 'run.sh'), 0o555)

    await run(sandbox, 'init', '--layout', layout)
    const cid = await run(sandbox, 'add', '-Q', '--preserve-mode', '--preserve-mtime', tree)
    expect(await run(sandbox, 'add', '-Q', '--preserve-mode', '--preserve-mtime', tree)).toBe(cid)
    await run(sandbox, 'get', '-o', 'copy', cid)
    expect(await readFile(join(directory, 'copy', 'large'))).toEqual(Buffer.from(large))
    await run(sandbox, 'get', '-o', 'run.sh', `${cid}/run.sh`)
    // a file that was read-only could not be replaced
    await run(sandbox, 'get', '--force', '-o', 'run.sh', `${cid}/run.sh`)
    await run(sandbox, 'config', 'set', 'add.codec', 'zstd')
    await run(sandbox, 'config', 'set', 'add.codec', 'brotli')
    await run(sandbox, 'blockstore', 'convert', '--layout', layout === 'packs' ? 'files' : 'packs')
    await run(sandbox, 'verify', '--all')
    await run(sandbox, 'rm', cid)
    await run(sandbox, 'gc', '--force')
    expect((await onWindows(sandbox, 'cat', '--offline', `${cid}/large`)).code).not.toBe(0)
    // locks are gone with the processes that held them
    expect(await readdir(join(repo, 'locks'))).toEqual(['config'])
  })

  it('adds beside a daemon and another add, and ends the daemon', async ({ sandbox }) => {
    await run(sandbox, 'init')
    const daemon = sandbox.start(['daemon', '--listen', '/ip4/127.0.0.1/tcp/0'], LIKE_WINDOWS)
    let said = ''

    for await (const bytes of daemon.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if ((said += bytes.toString()).includes('ready')) {
        break
      }
    }

    expect(said).toContain('ready')
    const files = await Promise.all([1, 2, 3].map(async i => sandbox.write(`file-${i}`, text(200_000 + i))))
    const cids = await Promise.all(files.map(async file => run(sandbox, 'add', '-Q', file)))

    for (const [i, cid] of cids.entries()) {
      expect(await run(sandbox, 'cat', cid)).toBe(Buffer.from(text(200_001 + i)).toString().trim())
    }

    const ended = new Promise(resolve => daemon.once('close', resolve))
    daemon.kill('SIGINT')
    expect(await ended).toBe(0)
    await run(sandbox, 'gc')
  })

  it('says what symlinks need', async ({ sandbox }) => {
    const tree = join(sandbox.directory, 'tree')
    await mkdir(tree)
    await writeFile(join(tree, 'file'), 'text')
    await symlink('file', join(tree, 'link'))
    const cid = await run(sandbox, 'add', '-Q', tree)
    const { code, stderr } = await onWindows(sandbox, 'get', '-o', 'copy', cid)

    expect(code).toBe(1)
    expect(stderr).toContain('developer mode')
    expect(await stat(join(sandbox.directory, 'copy')).catch(() => 'nothing')).toBe('nothing')
  })
})
