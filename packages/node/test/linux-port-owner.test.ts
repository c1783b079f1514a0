import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { linuxPortOwner } from '../src/ports/linux-port-owner.ts'
import { portOwner } from '../src/ports/port-owner.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'

const PORT = 8080

interface FakeSocket {
  inode: number
  /** In hexadecimal, with the port. */
  local?: string
  state?: string
  table?: string
}

/** A directory like /proc, of a kernel that has some sockets, and of processes that have some of them open. */
async function fakeProc (
  sockets: readonly FakeSocket[],
  processes: Record<string, readonly number[]>
): Promise<string> {
  const proc = await mkdtemp(join(tmpdir(), 'ipfsz-proc-'))
  onTestFinished(async () => { await rm(proc, { recursive: true }) })
  await mkdir(join(proc, 'net'))

  for (const table of ['tcp', 'tcp6', 'udp', 'udp6']) {
    const lines = sockets.filter(socket => (socket.table ?? 'tcp') === table).map(
      ({ inode, local = '0100007F:1F90', state = '0A' }, i) =>
        `   ${i}: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 1000 0 ${inode} 1 0`
    )

    await writeFile(join(proc, 'net', table), `  sl  local_address rem_address   st ...\n${lines.join('\n')}\n`)
  }

  for (const [pid, inodes] of Object.entries(processes)) {
    await mkdir(join(proc, pid, 'fd'), { recursive: true })
    await writeFile(join(proc, pid, 'cmdline'), `node\0/bin/ipfsz\0gateway\0${'x'.repeat(10_000)}`)
    await symlink('/dev/null', join(proc, pid, 'fd', '0'))

    for (const [i, inode] of inodes.entries()) {
      await symlink(`socket:[${inode}]`, join(proc, pid, 'fd', `${i + 3}`))
    }
  }

  return proc
}

describe('the owner of a port on Linux', () => {
  it('is the process that has the socket which listens', async () => {
    const proc = await fakeProc(
      [
        { inode: 1, local: '0100007F:1F91' },
        { inode: 2, state: '01' },
        { inode: 3 },
        { inode: 4, table: 'udp', state: '07' },
        { inode: 5, table: 'tcp6', local: '00000000000000000000000000000000:1F90' }
      ],
      { 11: [1, 2], 12: [3, 5], 13: [4] }
    )

    await expect(linuxPortOwner('tcp', PORT, proc))
      .resolves.toEqual({ pid: 12, command: `node ipfsz gateway ${'x'.repeat(41)}...` })
    await expect(linuxPortOwner('udp', PORT, proc)).resolves.toMatchObject({ pid: 13 })
    await expect(linuxPortOwner('tcp', 1, proc)).resolves.toBeUndefined()
  })

  it.for<[string, FakeSocket[], Record<string, number[]>]>([
    ['one socket belongs to a process of another user', [{ inode: 1 }, { inode: 2 }], { 11: [1] }],
    ['several processes share the socket', [{ inode: 1 }], { 11: [1], 12: [1] }],
    ['two processes listen on two addresses', [{ inode: 1 }, { inode: 2 }], { 11: [1], 12: [2] }],
    ['no socket listens', [{ inode: 1, state: '06' }], { 11: [1] }]
  ])('is not guessed if %s', async ([, sockets, processes]) => {
    await expect(linuxPortOwner('tcp', PORT, await fakeProc(sockets, processes))).resolves.toBeUndefined()
  })

  it('is not known where the kernel does not say', async () => {
    await expect(linuxPortOwner('tcp', PORT, '/nonexistent')).resolves.toBeUndefined()
  })

  it.runIf(process.platform === 'linux')('is found on this machine', async () => {
    const program = 'const s = require("net").createServer()' +
      '.listen(0, "127.0.0.1", () => { console.log(s.address().port) })'
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => { child.kill() })
    const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()

    await expect(portOwner('tcp', Number(value))).resolves.toMatchObject({ pid: child.pid })

    await expect(portOwner('tcp', await listenInTest(createServer()))).resolves.toBeUndefined()
  })
})
