import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** Names of `ipfs`, of restic, and of Node, whose main thread has one of its own. */
const NAME = /^Name:\t(ipfs|restic|node|MainThread|node-MainThread)$/m

/** How often the memory of a process is sampled, in milliseconds. */
const LOOK = 5

export interface CommandOutcome {
  wall: number
  /** Processor time of all processes of the command, in milliseconds. */
  cpu: number
  /** The most resident memory of `ipfs`, of restic or of Node, in bytes. */
  peak: number
  stdout: string
}

/** The environment to run the command on a repo: it asks nobody, and keeps its compiled code in `home`. */
export function commandEnvironment (repo: string, home: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // a user's process has none from the outside, and fills its own in the first run
    NODE_COMPILE_CACHE: undefined,
    IPFSZ_PATH: repo,
    IPFSZ_BOOTSTRAP: 'none',
    HOME: home,
    XDG_CACHE_HOME: home
  }
}

/**
 * Run a shell line with `ipfs` or our command in it. Memory is sampled, because no process can ask for the peak of
 * another one after it has ended.
 */
export async function runCommand (line: string, env: NodeJS.ProcessEnv): Promise<CommandOutcome> {
  const cpuBefore = childrenCpu()
  const start = performance.now()
  const child = spawn('bash', ['-c', `set -o pipefail; ${line}`], { env })
  const stdout: Buffer[] = []
  let stderr = ''
  let peak = 0
  const timer = setInterval(() => { peak = Math.max(peak, peakOfCommand(child.pid as number)) }, LOOK)

  child.stdout.on('data', chunk => stdout.push(chunk))
  child.stderr.on('data', chunk => { stderr += String(chunk) })
  const [code] = await once(child, 'close')
  clearInterval(timer)

  if (code !== 0) {
    throw new Error(`${line} ended with ${code}: ${stderr}`)
  }

  return {
    wall: performance.now() - start,
    cpu: childrenCpu() - cpuBefore,
    peak,
    stdout: Buffer.concat(stdout).toString().trim()
  }
}

/** Processor time of all ended children, in milliseconds: the fields cutime and cstime of proc(5). */
export function childrenCpu (): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')

  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** The peak of the command that a shell started, or of the shell itself if the command replaced it. */
function peakOfCommand (shell: number): number {
  try {
    const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ').filter(Boolean)

    return Math.max(0, ...[`${shell}`, ...children].map(pid => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')

      return NAME.test(status) ? Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024 : 0
    }))
  } catch {
    // the process has just ended
    return 0
  }
}
