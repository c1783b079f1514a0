import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'

const CLI = join(import.meta.dirname, '../../packages/cli/bin/ipfsz.js')
/** Modules that measure a process from within, and write a file when it ends. */
const PRELOADS = [
  new URL('../../test/integration/preload/max-rss.ts', import.meta.url),
  new URL('count-requests.ts', import.meta.url)
]

/** What a command did. */
export interface Ran {
  code: number | null
  stdout: Buffer
  stderr: string
  seconds: number
  /** The most memory of its process, in bytes. */
  memory: number
  /** How many of its HTTP requests got which status, and how many failed with which error. */
  requests: Record<string, number>
}

/** A node of the store: a repo, and the commands that run on it, each in a process of its own. */
export class SoakNode {
  readonly name: string
  readonly #directory: string
  readonly #env: NodeJS.ProcessEnv

  /**
   * @param name - of its repo, below the directory
   * @param env - added to what its commands need
   */
  constructor (name: string, directory: string, env: NodeJS.ProcessEnv) {
    this.name = name
    this.#directory = directory
    this.#env = env
  }

  async run (...args: string[]): Promise<Ran> {
    const [peak, requests] = ['peak', 'requests'].map(what => join(this.#directory, `${this.name}.${what}`))
    const since = performance.now()
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: this.#directory,
      env: {
        PATH: process.env.PATH,
        HOME: this.#directory,
        IPFSZ_PATH: join(this.#directory, this.name),
        // no peer outside of this machine is contacted
        IPFSZ_BOOTSTRAP: 'none',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        NODE_OPTIONS: PRELOADS.map(url => `--import=${url}`).join(' '),
        MAX_RSS_FILE: peak,
        REQUESTS_FILE: requests,
        ...this.#env
      },
      stdio: ['ignore', 'pipe', 'pipe']
    })
    const [stdout, stderr, [code]] = await Promise.all([
      buffer(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null]>
    ])

    return {
      code,
      stdout,
      stderr,
      seconds: (performance.now() - since) / 1000,
      memory: Number(await readFile(peak, 'utf8')) * 1024,
      requests: JSON.parse(await readFile(requests, 'utf8')) as Record<string, number>
    }
  }
}
