import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'

/** How often to look whether something has begun to work, in milliseconds. */
const INTERVAL = 100

/** A daemon that can be killed and started again. */
export class Daemon {
  readonly #command: readonly string[]
  readonly #env: NodeJS.ProcessEnv
  readonly #output: string
  #child: ChildProcess | undefined

  /**
   * @param command - the program and its arguments. It stays in the foreground.
   * @param output - the path of a file for what it prints
   */
  constructor (command: readonly string[], env: NodeJS.ProcessEnv, output: string) {
    this.#command = command
    this.#env = env
    this.#output = output
  }

  /** The most memory that it has had since it was started, in bytes. 0 while it does not run. */
  get peakMemory (): number {
    const pid = this.#child?.pid
    const status = pid == null ? 'VmHWM: 0 kB' : readFileSync(`/proc/${pid}/status`, 'utf8')

    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024
  }

  start (): void {
    const output = openSync(this.#output, 'a')

    // the kernel kills it when this process is gone, however that ended
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', ...this.#command], {
      env: this.#env,
      stdio: ['ignore', output, output]
    })
    this.#child.on('error', () => {})
    closeSync(output)
  }

  /** As if the power went. */
  async kill (): Promise<void> {
    const child = this.#child
    this.#child = undefined

    if (child != null && child.exitCode == null && child.signalCode == null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }

  /** @throws it has ended by itself, with what it printed */
  async waitUntil (works: () => Promise<boolean>): Promise<void> {
    while (!await works()) {
      if (this.#child?.exitCode != null) {
        throw new Error(`${this.#command.join(' ')} ended with ${this.#child.exitCode}: ${
          readFileSync(this.#output, 'utf8').slice(-2000)}`)
      }

      await delay(INTERVAL)
    }
  }
}
