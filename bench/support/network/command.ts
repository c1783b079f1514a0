import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { atExit } from '../at-exit.ts'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { ShapedProxy } from '../shaped-proxy.ts'
import type { CommandRun, Provider } from './messages.ts'

export const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/ipfsz.js', import.meta.url))

/** Start `ipfsz`, without bootstrap peers. */
function start (args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, IPFSZ_BOOTSTRAP: 'none' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  // kill it at once, so that it does not write into a removed directory
  child.once('exit', atExit(() => { child.kill('SIGKILL') }))

  return child
}

/**
 * Run `ipfsz` over a link. Others are connected before they are measured, but the command has to dial, so its times
 * begin with the first byte on the link. Both are in milliseconds.
 */
export async function runOverLink (
  args: readonly string[],
  link: Pick<ShapedProxy, 'firstByte'>
): Promise<CommandRun & { wall: number }> {
  const start = performance.now()
  const file = fileURLToPath(new URL('command-reader.ts', import.meta.url))
  const reader = fork(file, [JSON.stringify([COMMAND, ...args])])
  const ended = once(reader, 'exit').then(([code]) => { throw new Error(`command-reader.ts ended with ${code}`) })
  // it exits after it has reported, when nothing waits for that any more
  ended.catch(() => {})
  const [run] = await Promise.race([once(reader, 'message'), ended]) as [CommandRun]
  const dialled = performance.timeOrigin + (link.firstByte() ?? start)

  return { ...run, first: run.first - dialled, wall: run.end - dialled }
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

/** Start `ipfsz gateway` on a free port of loopback. */
export async function startCommandGateway (
  repo: string
): Promise<{ url: string, pid: number, stop: () => Promise<void> }> {
  const child = start(['gateway', '--json', '--repo', repo, '--listen', '127.0.0.1:0'])
  const exit = once(child, 'close')
  let url = ''
  child.stderr.resume()

  for await (const line of createInterface(child.stdout)) {
    const event = JSON.parse(line) as { event: string, url: string }

    if (event.event === 'ready') {
      return {
        url,
        pid: child.pid as number,
        stop: async () => {
          child.kill()
          await exit
        }
      }
    }

    url = event.url
  }

  throw new Error(`ipfsz gateway did not start: it ended with ${child.exitCode}`)
}

/** Start `ipfsz daemon` on a free port of loopback. */
export async function startCommandDaemon (
  repo: string
): Promise<Provider & { pid: number, stop: () => Promise<void> }> {
  const child = start(['daemon', '--json', '--repo', repo, '--listen', '/ip4/127.0.0.1/tcp/0'])
  const exit = once(child, 'close')
  child.stderr.resume()

  for await (const line of createInterface(child.stdout)) {
    const { event, peerId, addresses } = JSON.parse(line) as { event: string, peerId: string, addresses: string[] }

    if (event === 'started') {
      return {
        peer: peerId,
        port: Number(addresses[0].split('/')[4]),
        pid: child.pid as number,
        stop: async () => {
          child.kill()
          await exit
        }
      }
    }
  }

  throw new Error(`ipfsz daemon did not start: it ended with ${child.exitCode}`)
}
