import { main } from './main.ts'

/** How long to wait for the process to end by itself once the command is done, in milliseconds. */
const END_AFTER = 50

/**
 * Run the command in a process of its own: its streams, its signals, its exit code.
 *
 * @param argv - as in `process.argv`
 */
export async function runProcess (argv: string[]): Promise<void> {
  const controller = new AbortController()

  // the first Ctrl-C ends cleanly, a second one at once; SIGHUP is for a terminal that was closed
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => { controller.abort() })
  }

  process.stdout.on('error', endWithStdout)
  // a terminal that was closed takes no progress any more, and what is half written is to be deleted all the same
  process.stderr.on('error', () => {})

  process.exitCode = await main(argv, {
    // a getter: reading process.stdin opens it
    get stdin () { return process.stdin },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    signal: controller.signal
  })

  if (controller.signal.aborted && process.exitCode !== 0) {
    // a source that stalls must not keep the process
    process.exit()
  }

  endSoon()
}

/** A libp2p node leaves timers that run for a second after it has stopped. Output is written in full first. */
function endSoon (): void {
  setTimeout(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) {
      process.exit()
    }

    endSoon()
  }, END_AFTER).unref()
}

/** A reader of stdout that has enough, such as `head`, is no failure. Every other error is. */
function endWithStdout (err: NodeJS.ErrnoException): never {
  if (err.code === 'EPIPE') {
    process.exit(0)
  }

  process.stderr.write(`ipfsz: stdout cannot be written to: ${err.message}\n`)
  process.exit(1)
}
