import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { atExit } from '../at-exit.ts'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Provider } from './messages.ts'

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/ipfsz.js', import.meta.url))

/** How a run of the command went. */
export interface Run {
  /** Whether it did what it should. */
  good: boolean
  /** What it printed: how many bytes, and their SHA-256 in hex. */
  size: number
  sha256: string
  /** When the first byte was printed, on the clock of `performance`. */
  first: number
  stderr: string
}

/** Start `ipfsz`, which knows nobody that it is not told of. */
function start (args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, IPFSZ_BOOTSTRAP: 'none' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  // at once: it must not write into a directory again that has been removed
  child.once('exit', atExit(() => { child.kill('SIGKILL') }))

  return child
}

/** Run `ipfsz` to its end. */
export async function runCommand (args: readonly string[]): Promise<Run> {
  const child = start(args)
  const exit = once(child, 'close') as Promise<[number | null]>
  const stderr = text(child.stderr)
  const hash = createHash('sha256')
  let size = 0
  let first = 0

  for await (const chunk of child.stdout) {
    first ||= performance.now()
    hash.update(chunk as Buffer)
    size += (chunk as Buffer).byteLength
  }

  const [code] = await exit

  return { good: code === 0, size, sha256: hash.digest('hex'), first, stderr: await stderr }
}

/** Run `ipfsz` to its end, and return the lines that it printed. */
export async function printedBy (args: readonly string[]): Promise<string[]> {
  const child = start(args)
  const exit = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit])

  if (code !== 0) {
    throw new Error(`ipfsz ${args.join(' ')} failed: ${stderr}`)
  }

  return stdout.trim().split('\n')
}

/** Add a file to a repo, and count the bytes of its blocks. */
export async function addByCommand (repo: string, file: string): Promise<{ cid: string, stored: number }> {
  const [cid] = await printedBy(['add', '-Q', '--repo', repo, file])
  const { storedSize: stored } = JSON.parse((await printedBy(['stat', '--json', '--repo', repo, cid]))[0]) as {
    storedSize: number
  }

  return { cid, stored }
}

/** A daemon of the command, on a free port of loopback. */
export async function startCommandDaemon (repo: string): Promise<Provider & { stop: () => Promise<void> }> {
  const child = start(['daemon', '--json', '--repo', repo, '--listen', '/ip4/127.0.0.1/tcp/0'])
  const exit = once(child, 'close')
  child.stderr.resume()

  for await (const line of createInterface(child.stdout)) {
    const { event, peerId, addresses } = JSON.parse(line) as { event: string, peerId: string, addresses: string[] }

    if (event === 'started') {
      return {
        peer: peerId,
        port: Number(addresses[0].split('/')[4]),
        stop: async () => {
          child.kill()
          await exit
        }
      }
    }
  }

  throw new Error(`ipfsz daemon did not start: it ended with ${child.exitCode}`)
}
