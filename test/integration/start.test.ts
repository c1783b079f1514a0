import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { expectSuccess, it } from './run-cli.ts'

describe('a start', () => {
  it('keeps the compiled code in the user\'s cache directory', async ({ sandbox }) => {
    const env = { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: join(sandbox.directory, 'cache') }
    expectSuccess(await sandbox.spawn(['codecs'], { env }))

    expect(await readdir(join(sandbox.directory, 'cache'))).toEqual(['ipfsz'])
    expect(await readdir(join(sandbox.directory, 'cache', 'ipfsz'))).toHaveLength(1)
  })

  it('loads modules of Node when they are needed', async ({ sandbox }) => {
    const { code, stderr } = await sandbox.spawn(['codecs'], { preload: 'print-builtins.ts' })
    expect(code).toBe(0)
    expect(stderr).toMatch(/^NativeModule os$/m)
    expect(stderr).not.toMatch(/^NativeModule (child_process|tls|v8)$/m)
  })

  it('works for a user without a home directory', async ({ sandbox }) => {
    const file = await sandbox.write('file.txt', new TextEncoder().encode('some text '.repeat(1000)))

    expectSuccess(await sandbox.spawn(['add', file], { preload: 'no-home.ts' }))
  })
})
