import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { ChildProcess } from 'node:child_process'
import type { Host } from './storage.ts'
import type { Wan } from './wan.ts'

/** Start a program of Node on a host, and wait until it prints a line that ends with `ready`. */
export async function startProcess (
  { site, node }: Host,
  wan: Pick<Wan, 'on'>,
  program: readonly string[],
  env: NodeJS.ProcessEnv
): Promise<ChildProcess> {
  const [command, args] = wan.on(site, node, [process.execPath, ...program])
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })

  await new Promise<void>((resolve, reject) => {
    lines.on('line', line => {
      if (line.endsWith('ready')) {
        resolve()
      }
    })
    lines.once('close', () => { reject(new Error(`${program.join(' ')} ended: see what it printed above`)) })
  })

  return child
}
