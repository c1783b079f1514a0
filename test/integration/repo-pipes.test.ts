/** @module-tag long */
import { execFileSync } from 'node:child_process'
import { access, constants, mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { waitForFiles } from './repo.ts'
import { expectFailure, expectSuccess, finish, it } from './run-cli.ts'

/* The kill keeps a test that fails from waiting for ever. */
const LIMIT = 'timeout -s KILL 60'

const NOT_REGULAR = /is not a regular file/

describe.skipIf(process.platform === 'win32').concurrent('a named pipe in the place of a file of the repo', () => {
  it.for<[file: string, command: string, said: RegExp | undefined]>([
    ['blockstore.json', 'ipfsz add f', NOT_REGULAR],
    ['store.json', 'ipfsz add f', NOT_REGULAR],
    ['daemon.json', 'ipfsz add f', undefined],
    ['gateway.json', 'ipfsz site add site', undefined],
    ['locks/add-1-61-00000000-0000-4000-8000-000000000000', 'ipfsz gc', NOT_REGULAR],
    ['links/CURRENT', 'ipfsz link ls', NOT_REGULAR],
    ['links/LOCK', 'ipfsz link ls', NOT_REGULAR],
    ['originals.db', 'ipfsz originals index', NOT_REGULAR],
    ['keys/self', 'ipfsz daemon', NOT_REGULAR],
    ['datastore/version.data', 'ipfsz add f', NOT_REGULAR]
  ])('is refused, or is as good as no file: %s', async ([file, command, said], { sandbox }) => {
    await sandbox.write('f', text(300_000))
    await mkdir(join(sandbox.directory, 'site'))
    await sandbox.write('site/index.html', Buffer.from('<title>Site</title>'))
    expectSuccess(await sandbox.shell('ipfsz add --link f'))
    const path = join(sandbox.repo, file)
    await mkdir(dirname(path), { recursive: true })
    await rm(path, { force: true })
    execFileSync('mkfifo', [path])

    const { code, stderr } = await sandbox.shell(`${LIMIT} ${command}`)

    expect({ code, stderr }).toEqual(said == null
      ? { code: 0, stderr: expect.any(String) }
      : { code: 1, stderr: expect.stringMatching(said) })
  })
})

/** As another user could plant them in a repo that is not all ours. */
it.skipIf(process.platform === 'win32').for<[file: string, command: string]>([
  ['links/LOG', 'ipfsz link ls'],
  ['links/000003.log', 'ipfsz link ls'],
  ['originals.db', 'ipfsz originals index'],
  ['gateway-cache/index.db', 'ipfsz gateway --fetch --gateway http://127.0.0.1:1 --listen 127.0.0.1:0']
])('a symlink in the place of the file %s does not make or cut a file where it leads', async (
  [file, command],
  { sandbox }
) => {
  await sandbox.write('f', text(300_000))
  await sandbox.write('victim', Buffer.from('kept'))
  expectSuccess(await sandbox.shell('ipfsz add --link f'))
  const path = join(sandbox.repo, file)
  await mkdir(dirname(path), { recursive: true })
  await rm(path, { force: true })
  await symlink(join(sandbox.directory, 'victim'), path)

  const { code } = await sandbox.shell(`${LIMIT} ${command}`)

  expect(code).toBe(1)
  expect(await readFile(join(sandbox.directory, 'victim'), 'utf8')).toBe('kept')
})

/** It waits for the next message of the kernel. */
const WAITS = '/proc/kmsg'
const canRead = await access(WAITS, constants.R_OK).then(() => true, () => false) && process.getuid?.() === 0

it.runIf(canRead)('a file that waits for bytes does not keep add from ending at a signal', async ({ sandbox }) => {
  const child = sandbox.start(['add', WAITS])
  const result = finish(child)
  await waitForFiles(join(sandbox.repo, 'datastore'), 1)
  child.kill('SIGTERM')

  expectFailure(await result, 130)
})
