import { CommanderError } from 'commander'
import { exitCode, explain } from './errors.ts'
import { Output } from './output.ts'
import { createProgram } from './program.ts'

/** How long a command that is done may take to end by itself, in milliseconds. */
const END_AFTER = 50

/**
 * Run the command that the arguments name, and set the exit code.
 *
 * @param argv - as in `process.argv`
 */
export async function main (argv: string[]): Promise<void> {
  const controller = new AbortController()
  // the first Ctrl-C ends cleanly, a second one at once
  process.once('SIGINT', () => { controller.abort() })
  process.once('SIGTERM', () => { controller.abort() })
  process.stdout.on('error', endWithStdout)

  const program = createProgram(controller.signal)

  try {
    await program.parseAsync(argv)
    endSoon()
  } catch (err) {
    if (err instanceof CommanderError) {
      // it has said what is wrong; asking for help is no mistake
      process.exitCode = err.exitCode === 0 ? 0 : 2
      return
    }

    const error = err instanceof Error ? err : new Error(String(err))
    const { verbose = false } = program.opts<{ verbose?: boolean }>()

    new Output({ json: false, verbose }).error(explain(error), error)
    process.exitCode = exitCode(error)

    if (controller.signal.aborted) {
      // a source that stalls must not keep the process
      process.exit()
    }

    endSoon()
  }
}

/** When a node has ended, timers of it go on for a second. Everything that is to be said is said first. */
function endSoon (): void {
  setTimeout(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) {
      process.exit()
    }

    endSoon()
  }, END_AFTER).unref()
}

/** Where whoever reads stdout has enough, as `head` does, that is no failure. Everything else is. */
function endWithStdout (err: NodeJS.ErrnoException): never {
  if (err.code === 'EPIPE') {
    process.exit(0)
  }

  process.stderr.write(`ipfsz: stdout cannot be written to: ${err.message}\n`)
  process.exit(1)
}
