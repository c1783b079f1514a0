import { createProgram } from '../packages/cli/dist/program/program.js'

/** A command or the whole program, as commander has it. */
export type Command = ReturnType<typeof createProgram>

/** The program whose commands are written down: it runs nothing. */
export function documentedProgram (): Command {
  return createProgram({
    stdin: process.stdin,
    stdinIsPiped: false,
    stdout: process.stdout,
    stderr: process.stderr,
    env: {},
    cwd: '/',
    now: Date.now,
    signal: new AbortController().signal
  })
}
