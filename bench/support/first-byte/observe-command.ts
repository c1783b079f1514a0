import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { atExit } from '../at-exit.ts'
import { COMMAND } from '../network/command.ts'

const OBSERVER = fileURLToPath(new URL('observe.cjs', import.meta.url))

/** When a command reached each step, in milliseconds since 1970. One that it did not take is missing. */
export interface Steps {
  /** Its process was started. */
  spawned: number
  /** Node runs the command's code. */
  started: number
  /** The repo is touched. */
  repo?: number
  /** The code of a node, or of the daemon's client, is loaded. */
  network?: number
  /** Connections begin. */
  dials: number[]
  /** The first of them is there. */
  connected?: number
  /** The root has arrived. */
  root?: number
  /** The first frame is there, and begins to be decompressed. */
  frame: number
  decompressed: number
  /** The first byte was read from its stdout. */
  printed: number
}

/**
 * Run `ipfsz`, and note when it reaches each step on the way to its first byte.
 *
 * @param repo - the directory of its repo
 * @param directory - for what its process reports
 * @param env - of its process
 */
export async function observeCommand (
  args: readonly string[],
  repo: string,
  directory: string,
  env: NodeJS.ProcessEnv
): Promise<Steps> {
  const times = join(directory, 'times.json')
  const spawned = now()
  const child = spawn(process.execPath, ['--require', OBSERVER, COMMAND, ...args], {
    env: { ...env, FIRST_BYTE_REPO: repo, FIRST_BYTE_TIMES: times },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  child.once('exit', atExit(() => { child.kill('SIGKILL') }))

  const exit = once(child, 'close') as Promise<[number | null]>
  const stderr = text(child.stderr)
  let printed = 0
  child.stdout.on('data', () => { printed ||= now() })
  const [code] = await exit

  if (code !== 0) {
    throw new Error(`ipfsz ${args.join(' ')} failed: ${await stderr}`)
  }

  const observed = JSON.parse(await readFile(times, 'utf8')) as Omit<Steps, 'spawned' | 'printed'>

  if (observed.decompressed == null) {
    throw new Error(`ipfsz ${args.join(' ')} decompressed the file in a way that observe.cjs does not see`)
  }

  return { spawned, printed, ...observed }
}

/** In milliseconds since 1970, with fractions. */
function now (): number {
  return performance.timeOrigin + performance.now()
}
