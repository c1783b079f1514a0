// Room: worker threads, and the other side of them: `serve.ts`. A program is a file whose name ends in `.thread.ts`.
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ThreadFailedError } from '../errors.ts'
import type { Reply } from './serve.ts'
import type { Transferable } from 'node:worker_threads'

/** Threads at most, on any number of cores: each has a heap of its own. */
const MAX_THREADS = 8

/** The memory of a thread's new objects, in MiB. By default it grows to 48, which makes nothing faster here. */
const YOUNG_MEMORY = 6

/** Deno 2.9 loses messages of 2 MiB to a thread whose memory is limited, without an error. */
const isDeno = 'Deno' in globalThis

/** How many threads to use, unless the caller says. */
export function defaultThreads (): number {
  return Math.min(MAX_THREADS, availableParallelism())
}

/**
 * The program of a thread, which lies beside the module that starts it: in the sources, in the built package, and in
 * the bundle of the command, where `scripts/bundle-command.ts` puts it.
 *
 * @param name - of the file, without what follows the last dot
 * @param from - `import.meta.url`
 */
export function threadProgram (name: string, from: string): URL {
  return new URL(`./${name}${extname(from)}`, from)
}

export interface ThreadPoolInit {
  program: URL
  /** How many threads there are at most. Each starts when a call needs it. */
  size: number
  /** What each thread is given when it starts. */
  data?: unknown
  /**
   * The memory of each thread's objects, in MiB. Not that of buffers.
   *
   * @default as much as the main thread has
   */
  memory?: number | undefined
}

const NONE: ReadonlySet<Thread> = new Set()

/** Threads that run one program. Who makes a pool closes it: until then the process does not end. */
export class ThreadPool {
  readonly #init: ThreadPoolInit
  readonly #threads: Thread[] = []

  constructor (init: ThreadPoolInit) {
    this.#init = init
  }

  /**
   * The thread that has the fewest calls to answer.
   *
   * @param busy - threads that are not to be taken: fewer than the pool has
   */
  thread (busy: ReadonlySet<Thread> = NONE): Thread {
    const allowed = this.#threads.filter(thread => !busy.has(thread))
    const free = allowed.find(({ calls }) => calls === 0)

    if (free != null) {
      return free
    }

    if (this.#threads.length < this.#init.size) {
      const thread = new Thread(this.#init)
      this.#threads.push(thread)

      return thread
    }

    return allowed.reduce((least, thread) => thread.calls < least.calls ? thread : least)
  }

  /** End all threads. Their calls are rejected. */
  async close (): Promise<void> {
    await Promise.all(this.#threads.splice(0).map(async thread => thread.end()))
  }
}

interface Call {
  resolve: (value: unknown) => void
  reject: (err: unknown) => void
}

/** One thread. It answers its calls in order. */
export class Thread {
  readonly #worker: Worker
  readonly #calls: Call[] = []
  #failure: ThreadFailedError | undefined

  constructor ({ program, data, memory }: ThreadPoolInit) {
    // without the flags of the process: some would change how the program is read
    this.#worker = new Worker(program, {
      workerData: data,
      execArgv: [],
      resourceLimits: {
        maxYoungGenerationSizeMb: YOUNG_MEMORY,
        ...memory == null || isDeno ? {} : { maxOldGenerationSizeMb: memory }
      }
    })
    this.#worker.on('message', (reply: Reply) => { this.#settle(reply) })
    this.#worker.on('messageerror', err => { this.#fail(err) })
    this.#worker.on('error', err => { this.#fail(err) })
    this.#worker.on('exit', code => { this.#fail(new Error(`it exited with code ${code}`)) })
  }

  /** How many calls it has not answered. */
  get calls (): number {
    return this.#calls.length
  }

  /**
   * Call the program.
   *
   * @param transfer - what the thread takes over
   * @throws {ThreadFailedError} the program threw, or the thread ended: for lack of memory, for example
   */
  async call<Request, Result> (request: Request, transfer: readonly Transferable[] = []): Promise<Result> {
    if (this.#failure != null) {
      throw this.#failure
    }

    this.#worker.postMessage(request, transfer)

    return new Promise((resolve, reject) => {
      this.#calls.push({ resolve: resolve as Call['resolve'], reject })
    })
  }

  async end (): Promise<void> {
    this.#fail(new Error('it was ended'))
    await this.#worker.terminate()
  }

  #settle (reply: Reply): void {
    const call = this.#calls.shift()

    if ('failure' in reply) {
      call?.reject(new ThreadFailedError({ cause: reply.failure }))
    } else {
      call?.resolve(reply.result)
    }
  }

  #fail (cause: unknown): void {
    this.#failure ??= new ThreadFailedError({ cause })
    this.#calls.splice(0).forEach(({ reject }) => { reject(this.#failure) })
  }
}
