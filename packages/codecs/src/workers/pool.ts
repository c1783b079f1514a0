// Room: the workers that codecs share.
//
// Longer than other files: calls and workers are two sides of one state, and nearly every method changes both.
import { CorruptFrameError, WorkerCrashedError, WorkersUnavailableError } from '../errors.ts'
import type { Thread } from '../platform/thread.ts'
import type { Failure, Request, Response, Started } from './protocol.ts'

/** The program of a worker: one implementation of one codec. */
export interface Program {
  readonly codec: string
  readonly source: string
  readonly modules: readonly WebAssembly.Module[]
}

interface WorkerPoolInit {
  /** Maximum number of workers at a time. */
  size: number
  /** After how long to end an idle worker, in milliseconds. */
  idle: number
  /** @throws if no worker can be started */
  start: (source: string) => Thread
}

/** After how many failed starts in a row to give up. */
const MAX_FAILED_STARTS = 3

interface Call {
  program: Program
  signal: AbortSignal | null | undefined
  /** Called when a worker is free, since it may copy. */
  request: () => Request
  resolve: (bytes: Uint8Array) => void
  reject: (err: unknown) => void
}

interface Worker {
  program: Program
  thread: Thread
  ready: boolean
  /** Whether it was started for a call that is about to come, and has not had one. */
  isAnnounced: boolean
  call?: Call | undefined
  idle?: ReturnType<typeof setTimeout> | undefined
}

/**
 * A limited number of workers for all codecs. A worker runs one program, one call at a time. It
 * starts when a call needs it, or is about to. It ends after some idle time, or when another
 * program needs its place.
 */
export class WorkerPool {
  readonly #init: WorkerPoolInit
  /** The longest idle worker first. */
  readonly #workers = new Set<Worker>()
  readonly #waiting: Call[] = []
  #failedStarts = 0

  constructor (init: WorkerPoolInit) {
    this.#init = init
  }

  get workers (): number {
    return this.#workers.size
  }

  /**
   * Run one call. Aborting it removes it from the queue, or ends its worker.
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

  /**
   * Start workers for calls that are about to come, so that they need not wait for them: at most as many as there
   * are calls and free places. If there is neither a place nor a worker for them, one takes the place of the worker of
   * another program that has been idle longest, as the first call would: others are used again soon, or were announced
   * too. A failure is left to the calls.
   */
  prepare (program: Program, calls: number): void {
    if (this.#failedStarts >= MAX_FAILED_STARTS) {
      return
    }

    const own = [...this.#workers].filter(worker => worker.program.source === program.source).length

    if (calls > 0 && own === 0 && this.#workers.size >= this.#init.size) {
      const idle = [...this.#workers].find(({ call, isAnnounced }) => call == null && !isAnnounced)

      if (idle != null) {
        this.#end(idle)
      }
    }

    try {
      for (let missing = calls - own; missing > 0 && this.#workers.size < this.#init.size; missing--) {
        const worker = this.#start(program)
        worker.isAnnounced = true
        this.#rest(worker)
      }
    } catch {
      // the calls find out
    }
  }

  /** Assign waiting calls to workers, in order, while there are free ones. */
  #next (): void {
    while (this.#waiting.length > 0) {
      const [call] = this.#waiting

      // a signal shared by many calls reaches one after another
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
      worker.isAnnounced = false
      clearTimeout(worker.idle)
      worker.thread.keep()

      if (worker.ready) {
        this.#post(worker)
      }
    }
  }

  /**
   * A worker for a program: an idle one, a new one, or a new one that replaces an idle worker of
   * another program. Undefined if all are busy.
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
    const worker: Worker = { program, thread, ready: false, isAnnounced: false }

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
        const { buffer } = 'compress' in request ? request.compress : request.decompress
        thread.post(request, request.dictionary == null ? [buffer] : [buffer, request.dictionary.buffer])
      }
    } catch (err) {
      // there is too little memory, or it cannot be transferred: the worker is fine
      this.#settle(worker)?.reject(err)
      this.#next()
    }
  }

  #receive (worker: Worker, message: Started | Response): void {
    // a worker may have answered just before it was ended
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
      call?.reject(errorOf(message, worker.program.codec))
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

  /** Take the call from a worker and make the worker idle. */
  #settle (worker: Worker): Call | undefined {
    const { call } = worker
    worker.call = undefined
    this.#workers.delete(worker)
    this.#workers.add(worker)
    this.#rest(worker)

    return call
  }

  /** End a worker that has no call after some time. */
  #rest (worker: Worker): void {
    worker.idle = setTimeout(() => { this.#end(worker) }, this.#init.idle)
    // neither an idle worker nor its timer keeps a process alive
    worker.thread.release(worker.idle)
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

  /** One worker may fail to start for lack of memory. After several failures, reject all waiting calls too. */
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
      // a running call cannot be interrupted
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

/** An error of a worker as this thread would throw it. Other classes than this are told by their names. */
function errorOf ({ failure, name, needsDictionary = false }: Failure, codec: string): Error {
  return name === CorruptFrameError.name
    ? new CorruptFrameError(codec, failure, { needsDictionary })
    : Object.assign(new Error(failure), { name })
}
