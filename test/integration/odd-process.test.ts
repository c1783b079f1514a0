/** @module-tag long */
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { waitForFiles } from './repo.ts'
import { expectFailure, expectSuccess, finish, it } from './run-cli.ts'

describe.concurrent('the command with a directory as stdin', () => {
  it.for(['ipfsz add - < .', 'ipfsz car import - < .'])('refuses %s, and keeps nothing', async (line, { sandbox }) => {
    const result = await sandbox.shell(line)

    expectFailure(result, 2)
    expect(result.stderr).toMatch(/^ipfsz: stdin is a directory/)
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toBe('')
  })
})

describe.concurrent('a named pipe', () => {
  it.for(['add pipe', 'add -w pipe', 'car import pipe'])(
    'does not keep ipfsz %s from ending with exit code 130 at a signal while no writer has opened it',
    async (line, { sandbox }) => {
      expectSuccess(await sandbox.shell('mkfifo pipe'))
      const child = sandbox.start(line.split(' '))
      const result = finish(child)
      await waitForFiles(join(sandbox.repo, 'datastore'), 1)
      child.kill('SIGINT')

      expectFailure(await result, 130)
    }
  )

  it('is read to its end by add when its writer comes later', async ({ sandbox }) => {
    const bytes = text(300_000)
    expectSuccess(await sandbox.shell('mkfifo pipe'))
    const result = finish(sandbox.start(['add', '-Q', 'pipe']))
    await waitForFiles(join(sandbox.repo, 'datastore'), 1)
    await writeFile(join(sandbox.directory, 'pipe'), bytes)

    const { stdout, ...end } = await result
    expect(end).toEqual({ code: 0, signal: null, stderr: '' })
    expect((await sandbox.run(['cat', stdout.toString().trim()])).stdout.equals(bytes)).toBe(true)
  })

  it('is read to its end by add as /dev/stdin, whether its writer has ended or not', async ({ sandbox }) => {
    const bytes = text(30_000)
    await sandbox.write('file', bytes)
    const { stdout, ...end } = await sandbox.shell('cat file | ipfsz add -Q /dev/stdin')

    expect(end).toEqual({ code: 0, signal: null, stderr: '' })
    expect((await sandbox.run(['cat', stdout.toString().trim()])).stdout.equals(bytes)).toBe(true)
  })
})

describe.concurrent('a path that cannot be read', () => {
  it.for(['add', 'add -w', 'car import'])('is refused by ipfsz %s if it is a socket', async (
    command,
    { sandbox, onTestFinished }
  ) => {
    const server = createServer().listen(join(sandbox.directory, 'socket'))
    onTestFinished(() => { server.close() })
    await once(server, 'listening')
    const result = await sandbox.run([...command.split(' '), join(sandbox.directory, 'socket'), '--json'])

    expect(result.code).toBe(1)
    expect(JSON.parse(result.stderr)).toMatchObject({ name: 'TreeEntryError' })
  })

  it.for(['add', 'car import'])('is refused by ipfsz %s if it is empty', async (command, { sandbox }) => {
    const result = await sandbox.run([...command.split(' '), '', '--json'])

    expect(result.code).toBe(2)
    expect(JSON.parse(result.stderr)).toMatchObject({ name: 'UsageError' })
  })

  it('is refused with the reason if its name is not UTF-8', async ({ sandbox }) => {
    const result = await sandbox.shell('printf x > "$(printf "bad\\377")"; ipfsz add bad* --json')

    expect(result.code).toBe(1)
    expect(JSON.parse(result.stderr)).toMatchObject({ name: 'TreeEntryError' })
  })
})

describe.concurrent('a deleted working directory', () => {
  it('does not matter to help and to absolute paths', async ({ sandbox }) => {
    await sandbox.write('file', text(1000))

    expectSuccess(await sandbox.shell(inDeleted('ipfsz --help')))
    expectSuccess(await sandbox.shell(inDeleted(`ipfsz add "${sandbox.directory}/file"`)))
    expectSuccess(await sandbox.shell(inDeleted('ipfsz pin ls')))
  })

  it.for(['add file', 'pin ls --repo repo'])('is named by ipfsz %s', async (line, { sandbox }) => {
    const result = await sandbox.shell(inDeleted(`ipfsz ${line} --json`))

    expect(result.code).toBe(1)
    expect(JSON.parse(result.stderr)).toMatchObject({ name: 'WorkingDirectoryError' })
    expect(result.stderr).toContain('The working directory was deleted')
  })
})

describe.concurrent('without a home directory', () => {
  it.for(['', 'relative'])('the command makes no repo with HOME=%j, but uses one that is named', async (
    HOME,
    { sandbox }
  ) => {
    await sandbox.write('file', text(1000))
    const env = { HOME, IPFSZ_PATH: '' }
    const result = await sandbox.spawn(['add', 'file', '--json'], { env })

    expect(result.code).toBe(1)
    expect(JSON.parse(result.stderr)).toMatchObject({ name: 'RepoError' })
    expect(await readdir(sandbox.directory)).toEqual(['file'])
    expectSuccess(await sandbox.spawn(['add', 'file', '--repo', 'named'], { env }))
    expectSuccess(await sandbox.spawn(['codecs'], { env }))
  })
})

describe.concurrent('a repo whose path is a file', () => {
  it.for(['add file', 'pin ls', 'gc', 'init'])('is refused by ipfsz %s', async (line, { sandbox }) => {
    const file = await sandbox.write('file', text(1000))
    const result = await sandbox.run([...line.split(' '), '--repo', file])

    expectFailure(result, 1)
    expect(result.stderr).toContain(`${file} is a file, not a directory`)
  })
})

/** A line of sh that runs in a directory that is gone. */
function inDeleted (line: string): string {
  return `mkdir gone && cd gone && rmdir ../gone && ${line}`
}

describe.skipIf(process.platform === 'win32')('a gateway that npx runs', () => {
  it('ends with the shell in between, which passes no signal on', async ({ sandbox }) => {
    await sandbox.add(text(1000))

    // the loop ends when no process has the pipe open any more
    const { code, stderr } = await sandbox.shell(`
      export npm_lifecycle_event=npx npm_lifecycle_script="'ipfsz'"
      mkfifo printed
      sh -c '"$NODE" "$CLI" gateway --listen 127.0.0.1:0 --json > printed; :' &
      while read -r line; do case $line in *'"event":"ready"'*) kill $!;; esac; done < printed
    `)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})
