import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
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
