import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NoInputError } from '../../benchmark.ts'

/** How long a response may take, in seconds: those of large files share the machine with many others. */
const TIMEOUT = 120

/** Makes wrk print what it counted as JSON. */
const SCRIPT = `done = function (summary)
  local errors = summary.errors
  io.write(string.format('RESULT {"bytes":%.0f,"microseconds":%.0f,"errors":%d}\\n', summary.bytes,
    summary.duration, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`

export interface Load {
  url: string
  connections: number
  seconds: number
  headers: Readonly<Record<string, string>>
}

/** What arrived. */
export interface Loaded {
  /** Bytes of responses, with their headers, whole or not. */
  bytes: number
  seconds: number
}

/** Asks a server for one URL again and again, over many connections: wrk, which takes little processor time itself. */
export class LoadGenerator {
  readonly #script: string

  private constructor (script: string) {
    this.#script = script
  }

  /**
   * @param directory - for its script
   * @throws {NoInputError} it is not installed
   */
  static async open (directory: string): Promise<LoadGenerator> {
    if (!await isInstalled('wrk')) {
      throw new NoInputError('There is no wrk to measure with: on Debian, apt-get install wrk')
    }

    const script = join(directory, 'result.lua')
    await writeFile(script, SCRIPT)

    return new LoadGenerator(script)
  }

  async run ({ url, connections, seconds, headers }: Load): Promise<Loaded> {
    const { stdout } = await promisify(execFile)('wrk', [
      '--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--timeout', `${TIMEOUT}s`,
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      '--script', this.#script, url
    ])
    const result = /^RESULT (.*)$/m.exec(stdout)?.[1]
    const { bytes, microseconds, errors } = JSON.parse(result ?? '{}') as Record<string, number>

    if (errors !== 0) {
      throw new Error(`${errors} requests of ${url} failed: ${stdout}`)
    }

    return { bytes, seconds: microseconds / 1e6 }
  }
}

/** Whether a program is on the PATH. */
export async function isInstalled (program: string): Promise<boolean> {
  try {
    await promisify(execFile)('sh', ['-c', `command -v ${program}`])

    return true
  } catch {
    return false
  }
}
