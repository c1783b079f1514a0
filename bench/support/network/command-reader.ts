/**
 * Runs `ipfsz`, and counts what it prints. `runOverLink` starts it in a process of its own, which ends with its parent:
 * the link is in the benchmark's process, and could not pass bytes on while that reads others.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { atExit } from '../at-exit.ts'
import { COMMAND } from './command.ts'
import type { CommandRun } from './messages.ts'

process.on('disconnect', () => { process.exit() })

const args = JSON.parse(process.argv[2]) as string[]
const child = spawn(process.execPath, [COMMAND, ...args], {
  env: { ...process.env, IPFSZ_BOOTSTRAP: 'none' },
  stdio: ['ignore', 'pipe', 'pipe']
})
child.once('exit', atExit(() => { child.kill('SIGKILL') }))

const now = (): number => performance.timeOrigin + performance.now()
const exit = once(child, 'close') as Promise<[number | null]>
const stderr = text(child.stderr)
let size = 0
let first = 0

child.stdout.on('data', (chunk: Buffer) => {
  first ||= now()
  size += chunk.byteLength
})

const [code] = await exit

process.send?.({ good: code === 0, size, first, end: now(), stderr: await stderr } satisfies CommandRun, () => {
  process.exit()
})
