import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { holdFile, isHeld, removeUnlessHeld, resultCode } from '../src/kernel-lock.ts'

const MODULE = fileURLToPath(new URL('../src/kernel-lock.ts', import.meta.url))

async function makeFile (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-kernel-lock-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })

  return join(directory, 'lock')
}

/** Run a line of code in another process, and wait for its first output. */
async function otherProcess (line: string): Promise<{ said: string, end: (signal: NodeJS.Signals) => Promise<void> }> {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { holdFile, isHeld } from ${JSON.stringify(MODULE)}; ${line}; setInterval(() => {}, 1e6)`
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] }
  )
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode == null && child.signalCode == null) {
      child.kill(signal)
      await once(child, 'close')
    }
  }
  onTestFinished(async () => end('SIGKILL'))
  const [said] = await once(child.stdout, 'data') as [Buffer]

  return { said: said.toString().trim(), end }
}

describe('a lock file', () => {
  it('has one holder at a time, and is free after its release', async () => {
    const file = await makeFile()
    const release = holdFile(file)

    expect(release).toBeDefined()
    expect(isHeld(file)).toBe(true)
    expect(holdFile(file)).toBeUndefined()
    expect(await removeUnlessHeld(file)).toBe(false)
    release?.()
    release?.()

    expect(isHeld(file)).toBe(false)
    expect(await removeUnlessHeld(file)).toBe(true)
    await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('stays held when its own process checks it, and creates no other files', async () => {
    const file = await makeFile()
    const release = holdFile(file)

    // a POSIX lock would end when the first descriptor is closed
    expect([1, 2, 3].map(() => isHeld(file))).toEqual([true, true, true])
    const { said } = await otherProcess(`console.log(isHeld(${JSON.stringify(file)}))`)

    expect(said).toBe('true')
    expect(await readdir(join(file, '..'))).toEqual(['lock'])
    release?.()
  })

  it.each(
    ['SIGTERM', 'SIGKILL'] as const
  )('is free once %s has ended its holder, and not before', async signal => {
    const file = await makeFile()
    const { said, end } = await otherProcess(`console.log(holdFile(${JSON.stringify(file)}) != null)`)

    expect(said).toBe('true')
    expect(isHeld(file)).toBe(true)
    await end(signal)

    expect(isHeld(file)).toBe(false)
    expect(await readdir(join(file, '..'))).toEqual(['lock'])
  })

  it('stays held while its holder is stopped by SIGSTOP', async () => {
    const file = await makeFile()
    const stopped = `holdFile(${JSON.stringify(file)}); console.log('held'); process.kill(process.pid, 'SIGSTOP')`

    await otherProcess(stopped)

    expect(isHeld(file)).toBe(true)
  })

  it('stays held after its release function is garbage collected', async () => {
    const file = await makeFile()
    const { said } = await otherProcess(`
      import { setFlagsFromString } from 'node:v8'
      setFlagsFromString('--expose-gc')
      const { runInNewContext } = await import('node:vm')
      holdFile(${JSON.stringify(file)})
      for (let i = 0; i < 5; i++) { runInNewContext('gc')(); await new Promise(setImmediate) }
      console.log(isHeld(${JSON.stringify(file)}))
    `)

    expect(said).toBe('true')
    expect(isHeld(file)).toBe(true)
  })

  it('causes no warning about SQLite on stderr', async () => {
    const file = await makeFile()
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { holdFile } from ${JSON.stringify(MODULE)}; holdFile(${JSON.stringify(file)})`
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] }
    )
    const stderr: Buffer[] = []
    child.stderr.on('data', (bytes: Buffer) => { stderr.push(bytes) })
    await once(child, 'close')

    expect(Buffer.concat(stderr).toString()).toBe('')
  })

  it('is free when it is missing or no process holds it, whatever it contains', async () => {
    const file = await makeFile()

    expect(isHeld(file)).toBe(false)
    expect(await removeUnlessHeld(file)).toBe(true)

    for (const content of ['', 'text', 'SQLite format 3\0', `SQLite format 3\0${'\xff'.repeat(5000)}`]) {
      await writeFile(file, content, 'latin1')
      expect(isHeld(file)).toBe(false)
      expect(await removeUnlessHeld(file)).toBe(true)
      await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' })
    }
  })

  it('is refused, with its path, when it cannot be locked', async () => {
    const file = await makeFile()
    await mkdir(file)

    for (const look of [isHeld, holdFile]) {
      expect(() => look(file))
        .toThrow(expect.objectContaining({ name: 'FileLockError', message: expect.stringContaining(file) }))
    }

    await expect(removeUnlessHeld(file)).rejects.toMatchObject({ name: 'FileLockError' })
    expect(() => holdFile(join(file, 'none', 'lock'))).toThrow(expect.objectContaining({ name: 'FileLockError' }))
    await symlink('loop', join(file, 'loop'))
    // a symlink to itself leads to no file, so no process can hold it
    expect(isHeld(join(file, 'loop'))).toBe(false)
  })
})

describe('resultCode', () => {
  it.each([
    ['held by another', 5, async (path: string) => { onTestFinished(holdFile(path) as () => void) }],
    ['missing', 14, async () => {}],
    ['no database', 26, async (path: string) => writeFile(path, 'no database, and long enough to be one'.repeat(100))]
  ])('finds the code of a file that is %s, even if the error has only a message, as in Deno', async (_, code, make) => {
    const path = await makeFile()
    await make(path)
    let error = new Error('no error')

    try {
      const db = new DatabaseSync(path, { readOnly: true })
      onTestFinished(() => { db.close() })
      db.exec('BEGIN; SELECT 1 FROM sqlite_schema')
    } catch (err) {
      error = err as Error
    }

    expect(resultCode(error)).toBe(code)
    expect(resultCode(new Error(error.message))).toBe(code)
  })

  it('is undefined for other errors', () => {
    expect(resultCode(new Error('disk I/O error'))).toBeUndefined()
  })
})
