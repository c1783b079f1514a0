/** @module-tag long */
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { expectSuccess, it } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

/** Run a command that keeps compiled code below a directory, and return the directory of this version of Node. */
async function startWithCache (sandbox: Sandbox, ...args: string[]): Promise<{ code: number | null, cache: string }> {
  const directory = join(sandbox.directory, 'cache')
  const { code } = await sandbox.spawn(args, { env: { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: directory } })
  const [version] = await readdir(join(directory, 'ipfsz'))

  return { code, cache: join(directory, 'ipfsz', version) }
}

/** Run a command, and list the modules of Node and the files that it loads. */
async function listLoaded (sandbox: Sandbox, ...args: string[]): Promise<{ loaded: string[], stdout: string }> {
  const file = join(sandbox.directory, 'loaded')
  const outcome = await sandbox.spawn(args, { preload: 'list-loaded.ts', env: { LOADED_FILE: file } })
  expectSuccess(outcome)

  return { loaded: (await readFile(file, 'utf8')).split('\n'), stdout: String(outcome.stdout) }
}

describe('an end', () => {
  it('before the work is done is an error', async ({ sandbox }) => {
    const file = join(sandbox.directory, 'file')
    await writeFile(file, 'content')
    const { code, stdout, stderr } = await sandbox.spawn(['add', file], { preload: 'lost-promise.ts' })

    expect(code).toBe(1)
    expect(String(stdout)).toBe('')
    expect(String(stderr)).toContain('exited before its work was done')
  })
})

describe('a start', () => {
  it('keeps the compiled code in the user\'s cache directory', async ({ sandbox }) => {
    const env = { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: join(sandbox.directory, 'cache') }
    expectSuccess(await sandbox.spawn(['codecs'], { env }))

    expect(await readdir(join(sandbox.directory, 'cache'))).toEqual(['ipfsz'])
    expect(await readdir(join(sandbox.directory, 'cache', 'ipfsz'))).toHaveLength(1)
  })

  it('keeps the functions that a command compiled, and runs them the next time', async ({ sandbox }) => {
    const { cache } = await startWithCache(sandbox, 'codecs')
    const file = join(cache, 'ipfsz-codecs')
    const { ino } = await stat(file)
    expect((await startWithCache(sandbox, 'codecs')).code).toBe(0)

    // it would have been replaced if V8 had refused it
    expect((await stat(file)).ino).toBe(ino)
  })

  it('keeps what the help of a command compiled apart from what the command does', async ({ sandbox }) => {
    const { cache } = await startWithCache(sandbox, 'codecs', '--help')
    await startWithCache(sandbox, 'add', '-h')

    expect((await readdir(cache)).filter(name => name.startsWith('ipfsz-'))).toEqual(['ipfsz-help'])
  })

  it('refuses damaged code, and replaces it', async ({ sandbox }) => {
    const { cache } = await startWithCache(sandbox, 'codecs')
    const file = join(cache, 'ipfsz-codecs')
    const code = await readFile(file)
    const damaged = Buffer.from(code).fill(0xff, code.byteLength / 2, code.byteLength / 2 + 64)
    await writeFile(file, damaged)
    expect((await startWithCache(sandbox, 'codecs')).code).toBe(0)
    expect((await readFile(file)).equals(damaged)).toBe(false)

    await writeFile(file, code.subarray(0, 5))
    expect((await startWithCache(sandbox, 'codecs')).code).toBe(0)
    expect((await readFile(file)).byteLength).toBeGreaterThan(5)
  })

  it('deletes what killed processes left behind of code an hour ago, and nothing else', async ({ sandbox }) => {
    const { cache } = await startWithCache(sandbox, 'codecs')
    const old = new Date(Date.now() - 2 * 60 * 60 * 1000)

    for (const name of ['ipfsz-add.123', 'ipfsz-cat.4567890', 'ipfsz-add', 'notes.123', 'ipfsz-notes.txt']) {
      await writeFile(join(cache, name), 'half')
      await utimes(join(cache, name), old, old)
    }

    // another process may be writing it
    await writeFile(join(cache, 'ipfsz-ls.99'), 'half')
    expect((await startWithCache(sandbox, 'init')).code).toBe(0)

    const left = await readdir(cache)
    expect(left).toContain('ipfsz-init')
    expect(left.filter(name => /123|456|notes|ls|add/.test(name)).toSorted())
      .toEqual(['ipfsz-add', 'ipfsz-ls.99', 'ipfsz-notes.txt', 'notes.123'])
  })

  it('keeps nothing of a command that failed', async ({ sandbox }) => {
    const { code, cache } = await startWithCache(sandbox, 'nonsense')
    expect(code).toBe(2)
    expect(await readdir(cache)).not.toContain('ipfsz-nonsense')
  })

  it('keeps none where others may write, and runs none from there', async ({ sandbox }) => {
    const directory = join(sandbox.directory, 'cache')
    const env = { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: directory }
    await mkdir(directory)

    for (const path of [directory, join(directory, 'ipfsz')]) {
      await chmod(directory, 0o700)
      await chmod(path, 0o777)
      expectSuccess(await sandbox.spawn(['codecs'], { env }))

      // Windows has no such modes
      expect(await readdir(join(directory, 'ipfsz'))).toHaveLength(process.getuid == null ? 1 : 0)
    }
  })

  it('loads modules of Node when they are needed', async ({ sandbox }) => {
    const { loaded } = await listLoaded(sandbox, 'codecs')

    expect(loaded).toContain('NativeModule os')
    expect(loaded.filter(name => /^NativeModule (child_process|tls|tty|v8)$/.test(name))).toEqual([])
  })

  it('loads one chunk of the bundle to add a file and to read it', async ({ sandbox }) => {
    const file = await sandbox.write('file.txt', new TextEncoder().encode('some text '.repeat(1000)))
    const added = await listLoaded(sandbox, 'add', '-Q', file)
    const read = await listLoaded(sandbox, 'cat', added.stdout.trim())

    for (const { loaded } of [added, read]) {
      const chunks = loaded
        .filter(path => basename(dirname(path)) === 'bundle')
        .map(path => basename(path).replace(/-[\w-]{8}\.cjs$/, '.cjs'))

      // the runtime is what rolldown adds, and run-process.cjs only forwards
      expect(chunks.toSorted()).toEqual(['rolldown-runtime.cjs', 'run-process.cjs', 'start.cjs'])
    }
  })

  it('runs no code from the working directory if HOME is empty', async ({ sandbox }) => {
    const env = { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: undefined, HOME: '' }
    expectSuccess(await sandbox.spawn(['codecs'], { env }))

    expect(await readdir(sandbox.directory)).not.toContain('.cache')
  })

  it('works for a user without a home directory', async ({ sandbox }) => {
    const file = await sandbox.write('file.txt', new TextEncoder().encode('some text '.repeat(1000)))

    expectSuccess(await sandbox.spawn(['add', file], { preload: 'no-home.ts' }))
  })
})
