/** Which process has a port on systems that say so only through a tool: macOS and Windows. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { shorten } from './owner.ts'
import type { PortOwner, Protocol } from './owner.ts'

/** Runs a program, and returns what it prints. */
export type RunTool = (file: string, args: readonly string[]) => Promise<string>

/** How long a tool may take, in milliseconds, and how much it may print, in bytes. */
const TIMEOUT = 5000
const MAX_OUTPUT = 8 * 1024 * 1024

/** By their paths: a program of the same name in the working directory or on the PATH may be anything. */
const LSOF = '/usr/sbin/lsof'
const PS = '/bin/ps'

/** @returns undefined if it is another user's, or if there may be several */
export async function macPortOwner (
  protocol: Protocol,
  port: number,
  run: RunTool = runTool
): Promise<PortOwner | undefined> {
  const listed = await run(LSOF, [
    '-nP', `-i${protocol.toUpperCase()}:${port}`, ...protocol === 'tcp' ? ['-sTCP:LISTEN'] : [], '-Fpn'
  ])
  const pid = only(lsofPids(listed, port))

  if (pid == null) {
    return undefined
  }

  const command = await run(PS, ['-o', 'command=', '-p', `${pid}`])

  return { pid, command: shorten(command.trim().split(/\s+/)) }
}

/** @returns undefined if there may be several */
export async function windowsPortOwner (
  protocol: Protocol,
  port: number,
  run: RunTool = runTool
): Promise<PortOwner | undefined> {
  const tools = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32')
  const pid = only(netstatPids(await run(join(tools, 'netstat.exe'), ['-ano']), protocol, port))

  if (pid == null) {
    return undefined
  }

  const tasks = await run(join(tools, 'tasklist.exe'), ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])
  // "node.exe","1234",... If there is none, it prints a sentence
  const [, command] = new RegExp(`^"([^"]+)","${pid}"`, 'm').exec(tasks) ?? []

  return command == null ? undefined : { pid, command }
}

/**
 * The processes with a socket at a port. `lsof -F` prints a field a line, by its first letter: `p` a process, and below
 * it `n` each of its sockets, as in `n127.0.0.1:8080`. A connected one has `->` and the other end after that.
 */
function lsofPids (text: string, port: number): Set<number> {
  const pids = new Set<number>()
  let pid = Number.NaN

  for (const line of text.split('\n')) {
    pid = line.startsWith('p') ? Number(line.slice(1)) : pid

    if (line.startsWith('n') && line.split('->')[0].endsWith(`:${port}`)) {
      pids.add(pid)
    }
  }

  return pids
}

/**
 * The processes with a socket at a port: `netstat -ano` prints protocol, local and remote address, for TCP the state,
 * and the process. The state is translated on many systems, but only a socket that listens has the remote port 0.
 */
function netstatPids (text: string, protocol: Protocol, port: number): Set<number> {
  const pids = new Set<number>()

  for (const line of text.split('\n')) {
    const [name, local = '', remote = '', ...rest] = line.trim().split(/\s+/)

    if (name === protocol.toUpperCase() && local.endsWith(`:${port}`) && /:[0*]$/.test(remote)) {
      pids.add(Number(rest.at(-1)))
    }
  }

  return pids
}

function only (pids: ReadonlySet<number>): number | undefined {
  const [pid] = pids

  // 0: nobody's any more
  return pids.size === 1 && Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
}

async function runTool (file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, [...args], {
    timeout: TIMEOUT,
    maxBuffer: MAX_OUTPUT,
    windowsHide: true
  })

  return stdout
}
