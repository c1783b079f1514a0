import { platform } from 'node:process'

/** How often it is looked whether the shell is still there, in milliseconds. */
const INTERVAL = 1000

/**
 * Call back once the shell that npx runs this command in has ended. npx passes SIGTERM on to that shell, which dies of
 * it and tells nobody: a gateway that was killed would go on. The end of any other parent says nothing: a daemon that a
 * shell has in the background outlives it.
 */
export function whenNpxEnds (env: Readonly<Record<string, string | undefined>>, end: () => void): void {
  // what npx runs passes its variables on, and `npx -c` runs any line
  const isOurs = env.npm_lifecycle_event === 'npx' && /^'?ipfsz'?$/.test(env.npm_lifecycle_script ?? '')

  if (!isOurs || platform === 'win32') {
    return
  }

  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== shell) {
      clearInterval(timer)
      end()
    }
  }, INTERVAL).unref()
}
