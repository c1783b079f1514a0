import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { environment } from './kubo.ts'

/** How often the memory of a process is sampled, in milliseconds. */
const LOOK = 5

export interface CommandOutcome {
  wall: number
  /** Processor time of all processes of the command, in milliseconds. */
  cpu: number
  /** The most resident memory of `ipfs`, in bytes. */
  peak: number
  stdout: string
}

/**
 * Run a shell line with `ipfs` in it, on a repo without daemon. Memory is sampled, because
 * no process can ask for the peak of another one after it has ended.
 */
export async function runKubo (line: string, repo: string): Promise<CommandOutcome> {
  const cpuBefore = childrenCpu()
  const start = performance.now()
  const child = spawn('bash', ['-c', `set -o pipefail; ${line}`], { env: environment(repo) })
  const stdout: Buffer[] = []
  let stderr = ''
  let peak = 0
  const timer = setInterval(() => { peak = Math.max(peak, peakOfIpfs(child.pid as number)) }, LOOK)

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

/** The peak of the `ipfs` that a shell started, or of the shell itself if `ipfs` replaced it. */
function peakOfIpfs (shell: number): number {
  try {
    const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ').filter(Boolean)

    return Math.max(0, ...[`${shell}`, ...children].map(pid => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')

      return /^Name:\tipfs$/m.test(status) ? Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024 : 0
    }))
  } catch {
    // the process has just ended
    return 0
  }
}
