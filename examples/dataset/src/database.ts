import type { Answer, Request, Result } from './messages.ts'

/** A database in a worker of its own, which runs one query at a time. */
export class RemoteDatabase {
  readonly #url: string
  #worker: Worker | undefined
  #cancel: ((reason: Error) => void) | undefined

  /** @param url - of a file of SQLite, on a server that sends ranges, or below `/ipfs/` */
  constructor (url: string) {
    this.#url = url
  }

  /** @throws {Error} the database cannot be read, SQLite refuses the query, or it was stopped */
  async query (sql: string): Promise<Result> {
    if (this.#worker == null) {
      this.#worker = new Worker('database-worker.js', { type: 'module' })

      try {
        await this.#ask({ open: this.#url })
      } catch (err) {
        // the next query tries again
        this.stop()
        throw err
      }
    }

    return this.#ask({ sql })
  }

  /** End the query that runs, if one does. The next one opens the database again. */
  stop (): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#cancel?.(new Error('The query was stopped'))
  }

  async #ask (request: Request): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const worker = this.#worker

    this.#cancel = reject
    worker?.addEventListener('message', ({ data }: MessageEvent<Answer>) => { resolve(data) }, { once: true })
    worker?.addEventListener('error', ({ message }) => {
      reject(new Error(`SQLite cannot be started: ${message}`))
    }, { once: true })
    worker?.postMessage(request)

    const answer = await promise

    if ('error' in answer) {
      throw new Error(answer.error)
    }

    return answer
  }
}
