import { readFileSync } from 'node:fs'

/** The peak resident memory so far, in bytes. Not maxRSS on Linux: it starts with the parent's peak. */
export function peakMemory (): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : ''
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS

  return Number(kilobytes) * 1024
}
