import { CommanderError } from 'commander'
import { DifferentError, exitCode, explain } from './errors.ts'
import { withFullDisk } from './full-disk.ts'
import { Output } from './terminal/output.ts'
import { createProgram } from './program/program.ts'
import { lostPlace } from './lost-place.ts'
import type { GlobalOptions } from './program/program.ts'
import type { Io } from './io.ts'

/**
 * Run the command that the arguments name. It uses nothing of the process but `io`.
 *
 * @param argv - as in `process.argv`
 * @returns the exit code
 */
export async function main (argv: string[], io: Io): Promise<number> {
  const program = createProgram(io, argv.slice(2))

  try {
    await program.parseAsync(argv)

    return 0
  } catch (err) {
    if (err instanceof CommanderError) {
      // commander has printed the error; --help and --version exit with 0
      return err.exitCode === 0 ? 0 : 2
    }

    const error = interruption(err, io.signal) ?? (err instanceof Error ? err : new Error(String(err)))
    const { repo, json = false, verbose = false } = program.opts<GlobalOptions>()

    if (!(error instanceof DifferentError)) {
      const message = await withFullDisk(explain(error), error, { repo, command: program.args[0] }, io)
      const output = new Output(io, { json, verbose, given: argv.slice(2) })
      output.error(`${message}${await lostPlace(error, repo, io)}`, error)
    }

    return exitCode(error)
  }
}

/** The reason of the signal, if it is why this was thrown: other errors may be around it. */
function interruption (thrown: unknown, { reason, aborted }: AbortSignal): Error | undefined {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if (aborted && at === reason) {
      return at
    }
  }

  return undefined
}
