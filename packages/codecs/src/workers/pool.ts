// Longer than others: calls and workers are two sides of one state, and nearly every method touches both.
import { WorkerCrashedError, WorkersUnavailableError } from '../errors.ts'
import type { Thread } from './thread.ts'
import type { Request, Response, Started } from './protocol.ts'

/** What a worker runs: one implementation of one codec. */
export interface Program {
  readonly codec: string
  readonly source: string
  readonly modules: readonly WebAssembly.Module[]
}

export interface WorkerPoolInit {
  /** The most workers at one time. */
  size: number
  /** A worker with nothing to do is ended after so many milliseconds. */
  idle: number
  /** @throws where a worker can't be started at all */
  start: (source: string) => Thread
}

/** After so many starts in a row that failed, no more are tried. */
const MAX_FAILED_STARTS = 3

interface Call {
  program: Program
  signal: AbortSignal | null | undefined
  /** Made when the call's turn has come, since it may copy. */
  request: () => Request
  resolve: (bytes: Uint8Array) => void
  reject: (err: unknown) => void
}

interface Worker {
  program: Program
  thread: Thread
  ready: boolean
  call?: Call | undefined
  idle?: ReturnType<typeof setTimeout> | undefined
}

/**
 * A bounded number of workers that all codecs share. A worker runs one program, and
 * one call at a time; it is started when a call needs it, makes way when another
 * program needs its place, and is ended when it has been idle for a while.
 */
export class WorkerPool {
  readonly #init: WorkerPoolInit
  /** The one that has been idle for longest before the others. */
  readonly #workers = new Set<Worker>()
  readonly #waiting: Call[] = []
  #failedStarts = 0

  constructor (init: WorkerPoolInit) {
    this.#init = init
  }

  /** How many workers there are now. */
  get workers (): number {
    return this.#workers.size
  }

  /**
   * Run one call. Aborting it takes it out of the queue, or ends its worker.
   *
   * @throws {WorkerCrashedError} its worker ended before it had answered
   * @throws {WorkersUnavailableError} no worker can be started
   */
  async run (program: Program, request: () => Request, signal?: AbortSignal | null): Promise<Uint8Array> {
    signal?.throwIfAborted()

    if (this.#failedStarts >= MAX_FAILED_STARTS) {
      throw new WorkersUnavailableError()
    }

    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const call: Call = { program, signal, request, resolve, reject }
    const onAbort = (): void => { this.#abort(call, signal?.reason) }

    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waiting.push(call)
    this.#next()

    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Give waiting calls to workers, in the order in which they came, as long as there are any. */
  #next (): void {
    while (this.#waiting.length > 0) {
      const [call] = this.#waiting

      // one signal may abort many calls, each of which is told in its turn
      if (call.signal?.aborted === true) {
        this.#waiting.shift()
        continue
      }

      let worker: Worker | undefined

      try {
        worker = this.#find(call.program)
      } catch (err) {
        this.#waiting.shift()
        this.#startFailed(call, err)
        continue
      }

      if (worker == null) {
        return
      }

      this.#waiting.shift()
      worker.call = call
      clearTimeout(worker.idle)
      worker.thread.keep()

      if (worker.ready) {
        this.#post(worker)
      }
    }
  }

  /**
   * A worker for a program: an idle one, a new one, or a new one in the place of an
   * idle one. None where all are at work.
   */
  #find (program: Program): Worker | undefined {
    const idle = [...this.#workers].filter(({ call }) => call == null)
    const found = idle.find(worker => worker.program.source === program.source)

    if (found != null) {
      return found
    }

    if (this.#workers.size >= this.#init.size) {
      if (idle.length === 0) {
        return undefined
      }

      this.#end(idle[0])
    }

    return this.#start(program)
  }

  #start (program: Program): Worker {
    const thread = this.#init.start(program.source)
    const worker: Worker = { program, thread, ready: false }

    thread.onMessage = message => { this.#receive(worker, message as Started | Response) }
    thread.onFailure = err => { this.#fail(worker, err) }
    thread.post({ modules: program.modules }, [])
    this.#workers.add(worker)

    return worker
  }

  #post (worker: Worker): void {
    const { call, thread } = worker

    try {
      const request = call?.request()

      if (request != null) {
        thread.post(request, [('compress' in request ? request.compress : request.decompress).buffer])
      }
    } catch (err) {
      // memory that can't be had, or that can't be transferred: the worker is none the worse for it
      this.#settle(worker)?.reject(err)
      this.#next()
    }
  }

  #receive (worker: Worker, message: Started | Response): void {
    // an answer may be on its way when a worker is ended
    if (!this.#workers.has(worker)) {
      return
    }

    if ('started' in message) {
      this.#started(worker, message)
      return
    }

    const call = this.#settle(worker)

    if ('bytes' in message) {
      call?.resolve(message.bytes)
    } else {
      call?.reject(Object.assign(new Error(message.failure), { name: message.name }))
    }

    this.#next()
  }

  #started (worker: Worker, { started, reason }: Started): void {
    if (started) {
      this.#failedStarts = 0
      worker.ready = true
      this.#post(worker)
      return
    }

    this.#end(worker)
    worker.call?.reject(new WorkersUnavailableError(`${worker.program.codec} does not run in a worker: ${reason}`))
    this.#next()
  }

  /** Take the call from a worker, which is idle from now on. */
  #settle (worker: Worker): Call | undefined {
    const { call } = worker
    worker.call = undefined
    this.#workers.delete(worker)
    this.#workers.add(worker)
    worker.idle = setTimeout(() => { this.#end(worker) }, this.#init.idle)
    // neither an idle worker nor its timer keeps a process alive
    worker.thread.release(worker.idle)

    return call
  }

  #fail (worker: Worker, err: unknown): void {
    if (!this.#workers.has(worker)) {
      return
    }

    const { call, ready, program } = worker
    this.#end(worker)

    if (ready) {
      call?.reject(new WorkerCrashedError(program.codec, { cause: err }))
    } else {
      this.#startFailed(call, err)
    }

    this.#next()
  }

  /** Perhaps the one could not be started alone, for want of memory. Where none can be, the others do not wait for it. */
  #startFailed (call: Call | undefined, cause: unknown): void {
    this.#failedStarts++
    const failed = this.#failedStarts < MAX_FAILED_STARTS ? [] : this.#waiting.splice(0)

    for (const each of call == null ? failed : [call, ...failed]) {
      each.reject(new WorkersUnavailableError('No worker can be started', { cause }))
    }
  }

  #abort (call: Call, reason: unknown): void {
    const position = this.#waiting.indexOf(call)

    if (position !== -1) {
      this.#waiting.splice(position, 1)
    }

    const worker = [...this.#workers].find(worker => worker.call === call)

    if (worker != null) {
      // what runs in it can't be interrupted
      this.#end(worker)
    }

    call.reject(reason)
    this.#next()
  }

  #end (worker: Worker): void {
    this.#workers.delete(worker)
    clearTimeout(worker.idle)
    worker.thread.end()
  }
}
