import { readFileSync, writeFileSync } from 'node:fs'

/** Writes the peak memory of the process, in KiB, to the file that $MAX_RSS_FILE names. */
process.on('exit', () => {
  writeFileSync(String(process.env.MAX_RSS_FILE), String(peak()))
})

/** Linux counts the parent's memory, from before the exec, in maxRSS, but not in VmHWM. */
function peak (): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
