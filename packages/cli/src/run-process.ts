import { fstatSync } from 'node:fs'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { UsageError, WorkingDirectoryError } from './errors.ts'
import { whenNpxEnds } from './lost-npx.ts'
import { main } from './main.ts'
import { typedCommand } from './terminal/typed-command.ts'

/** The file descriptor of stdin. */
const STDIN = 0
/** What ends the command: Ctrl-C, kill, a terminal that is closed, and on Windows Ctrl-Break. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const
/** Up to how many bytes glibc uses the memory of allocations again at first. Larger ones that are freed raise it. */
const LEARNT = 1024 * 1024

/** Run the command with the streams, signals and exit code of this process. */
export async function runProcess (argv: string[]): Promise<void> {
  const controller = new AbortController()
  let endsWithReader = true

  reuseMemory()

  // the first signal ends the command cleanly, a second one at once, whichever it is
  const interrupt = (): void => {
    SIGNALS.forEach(signal => process.off(signal, interrupt))
    controller.abort()
  }

  SIGNALS.forEach(signal => process.on(signal, interrupt))
  whenNpxEnds(process.env, interrupt)

  process.stdout.on('error', (err: NodeJS.ErrnoException) => {
    // as with `head`, which closes it when it has enough
    if (err.code !== 'EPIPE') {
      process.stderr.write(`ipfsz: cannot write to stdout: ${err.message}\n`)
      process.exit(1)
    }

    if (endsWithReader) {
      process.exit(0)
    }
  })
  // a closed terminal fails writes of progress: go on, to delete half-written files
  process.stderr.on('error', () => {})

  process.once('beforeExit', endEarly)
  process.exitCode = await main(argv, {
    // a getter, because reading process.stdin opens it
    get stdin () { return openStdin() },
    get stdinIsPiped () { return isPiped(STDIN) },
    stdout: process.stdout,
    outliveReader () { endsWithReader = false },
    stderr: process.stderr,
    env: process.env,
    command: typedCommand(argv[1], process.env),
    get cwd () { return workingDirectory() },
    now: Date.now,
    signal: controller.signal
  })
  process.off('beforeExit', endEarly)

  if (controller.signal.aborted && process.exitCode !== 0) {
    // a stalled source must not keep the process alive
    process.exit()
  }

  exitWhenWritten()
}

/** With nothing left to wait for, Node would end as if all was done. */
function endEarly (): void {
  process.stderr.write('ipfsz: exited before its work was done. This is a bug in ipfsz: please report it\n')
  process.exitCode = 1
}

/**
 * Have glibc use freed memory again. It maps new pages for each large allocation, which the system clears, until one as
 * large was freed (M_MMAP_THRESHOLD in mallopt(3)): a command allocates and frees megabytes again and again. Memory
 * that is never written takes none. But glibc keeps twice as much for each thread: with 32 MiB, adding 39,323 files
 * took 261 MB in place of 246.
 */
function reuseMemory (): void {
  freeBytes(Buffer.allocUnsafeSlow(LEARNT))
}

/** Stdin. Node reads nothing from a directory, as if it were an empty file. */
function openStdin (): typeof process.stdin {
  if (fstatSync(STDIN).isDirectory()) {
    throw new UsageError('stdin is a directory: pass its path as an argument, or pipe a file into ipfsz')
  }

  return process.stdin
}

function workingDirectory (): string {
  try {
    return process.cwd()
  } catch (err) {
    throw new WorkingDirectoryError({ cause: err })
  }
}

/** Whether a file descriptor is a pipe or a file: not a terminal, /dev/null, or closed. */
function isPiped (fd: number): boolean {
  try {
    const stats = fstatSync(fd)

    // Node makes sockets for the pipes of its children
    return stats.isFIFO() || stats.isFile() || stats.isSocket()
  } catch {
    return false
  }
}

/**
 * Exit once all output is written. It waits neither for timers, of which those of libp2p run a second after a stop, nor
 * for Node to free its memory piece by piece.
 */
function exitWhenWritten (): void {
  whenWritten(process.stdout, () => {
    // first the listener above says on stderr if stdout failed
    setImmediate(() => { whenWritten(process.stderr, () => { process.exit() }) })
  })
}

/**
 * Call `done` when all that was written to a stream has been taken: an empty write comes after what was written before.
 * The end of a stream would too, but Node shuts its socket down then. In a shell that Node started, the next program
 * has the same socket, and was killed by SIGPIPE. Bun ends only the stream, and its empty writes do not wait.
 */
function whenWritten (stream: NodeJS.WriteStream, done: () => void): void {
  if ('Bun' in globalThis) {
    stream.end(done)
  } else {
    stream.write('', done)
  }
}
