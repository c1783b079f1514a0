import { PassThrough } from 'node:stream'
import { createProgram } from '../src/program/program.ts'
import type { Io } from '../src/io.ts'
import type { Command } from 'commander'

/** The command line of `ipfsz`, without a process. */
export function newProgram (columns?: number, io: Partial<Io> = {}): Command {
  return createProgram(ioOf(columns, io))
}

export function ioOf (columns?: number, io: Partial<Io> = {}): Io {
  const stream = (): PassThrough & { columns?: number | undefined } => Object.assign(new PassThrough(), { columns })

  return {
    stdin: new PassThrough(),
    stdinIsPiped: false,
    stdout: stream(),
    stderr: stream(),
    env: {},
    cwd: '/',
    now: () => 0,
    signal: new AbortController().signal,
    ...io
  }
}

/** All commands below one that have no commands below them. */
export function leavesOf (command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}
