/**
 * Runs a Node program, such as `ipfsz`, and counts what it prints. `runOverLink` starts it in a process of its own,
 * which ends with its parent: the link is in the benchmark's process, and could not pass bytes on while that reads
 * others.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { atExit } from '../at-exit.ts'
import type { CommandRun } from './messages.ts'
import type { Socket } from 'node:net'

process.on('disconnect', () => { process.exit() })

/** Bytes that are read at a time. */
const READ_SIZE = 256 * 1024

const now = (): number => performance.timeOrigin + performance.now()
let size = 0
let first = 0

// what Node would make for the child, but read into one buffer: the new memory for each 64 KiB took more of the two
// cores that the command is measured on than all of the copying
const path = join(tmpdir(), `ipfsz-bench-${process.pid}.sock`)
const server = createServer({ pauseOnConnect: true }).listen(path)
await once(server, 'listening')

const stdout = connect({
  path,
  onread: {
    buffer: Buffer.allocUnsafeSlow(READ_SIZE),
    callback: length => {
      first ||= now()
      size += length

      return true
    }
  }
})
const ended = once(stdout, 'close')
const [end] = await once(server, 'connection') as [Socket]
server.close()
rmSync(path, { force: true })

const args = JSON.parse(process.argv[2]) as string[]
const child = spawn(process.execPath, args, {
  env: { ...process.env, IPFSZ_BOOTSTRAP: 'none' },
  stdio: ['ignore', end, 'pipe']
})
child.once('exit', atExit(() => { child.kill('SIGKILL') }))
end.destroy()

const exit = once(child, 'close') as Promise<[number | null]>
const stderr = text(child.stderr)
const [[code]] = await Promise.all([exit, ended])

process.send?.({ good: code === 0, size, first, end: now(), stderr: await stderr } satisfies CommandRun, () => {
  process.exit()
})
