import { readFileSync } from 'node:fs'

/** The most resident memory so far, in bytes. What the system calls the usage of a process begins with that of its parent. */
export function peakMemory (): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : ''
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS

  return Number(kilobytes) * 1024
}
