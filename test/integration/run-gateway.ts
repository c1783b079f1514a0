import { onTestFinished } from 'vitest'
import type { RunResult, Sandbox } from './run-cli.ts'

export interface RunningGateway {
  url: string
  metricsUrl: string
  subdomainUrl: string
  /** With `--fetch`, unless nothing is kept. */
  cacheDirectory?: string
  /** End it as Ctrl-C does. */
  stop: () => Promise<RunResult>
}

/** Run a gateway in this process, on a free port, until the test ends. */
export async function startGateway (sandbox: Sandbox, ...args: string[]): Promise<RunningGateway> {
  return start(sandbox, ['gateway', '--listen', '127.0.0.1:0', ...args])
}

/** The same, until it is stopped: for several tests. */
export async function serveGateway (sandbox: Sandbox): Promise<RunningGateway> {
  return run(sandbox, ['gateway', '--listen', '127.0.0.1:0']).started
}

/** Run a command that starts a gateway in this process, until the test ends. */
export async function start (sandbox: Sandbox, args: readonly string[]): Promise<RunningGateway> {
  const { started, stop } = run(sandbox, args)
  onTestFinished(async () => { await stop() })

  return started
}

function run (
  sandbox: Sandbox,
  args: readonly string[]
): { started: Promise<RunningGateway>, stop: RunningGateway['stop'] } {
  const ended = new AbortController()
  const ready = Promise.withResolvers<string>()
  let printed = ''
  const result = sandbox.run([...args, '--json'], {
    signal: ended.signal,
    onPrint: text => {
      printed += text

      if (printed.includes('"event":"ready"')) {
        ready.resolve(printed)
      }
    }
  })
  const stop = async (): Promise<RunResult> => {
    ended.abort()

    return result
  }

  // a gateway that does not start fails the test with what it printed
  const started = Promise.race([ready.promise, result.then(({ stderr }) => { throw new Error(stderr) })])
    .then(lines => {
      const line = lines.split('\n').find(line => line.includes('"event":"gateway"')) ?? '{}'

      return { ...JSON.parse(line) as Omit<RunningGateway, 'stop'>, stop }
    })

  return { started, stop }
}
