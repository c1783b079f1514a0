import { RemoteDatabase } from './database.ts'
import type { Result } from './messages.ts'

/** A block that the service worker has fetched. */
export interface Fetched {
  /** The plain CID of the file or directory that it was fetched for. */
  root: string
  size: number
}

/** One way in which the database is stored: counts what each query fetches of it. */
export class Side {
  readonly element = document.createElement('section')
  readonly #database: RemoteDatabase
  readonly #count = document.createElement('p')
  readonly #total = document.createElement('p')
  #blocks = 0
  #bytes = 0
  #allBlocks = 0
  #allBytes = 0
  /** Start time of the running query, on the clock of `performance`. */
  #start: number | undefined
  #milliseconds = 0

  /** @param address - CID, or CID/path */
  constructor (title: string, address: string) {
    const heading = document.createElement('h2')
    heading.textContent = title
    this.element.className = 'side'
    this.element.append(heading, this.#count, this.#total)
    const path = address.split('/').map(encodeURIComponent).join('/')
    this.#database = new RemoteDatabase(new URL(`/ipfs/${path}`, location.href).href)
  }

  /** A block of it has arrived. */
  add ({ size }: Fetched): void {
    this.#blocks++
    this.#bytes += size
    this.#allBlocks++
    this.#allBytes += size
    this.#show()
  }

  async run (sql: string): Promise<Result> {
    this.#start = performance.now()
    this.#blocks = 0
    this.#bytes = 0
    this.#show()

    try {
      return await this.#database.query(sql)
    } finally {
      this.#show()
      this.#start = undefined
    }
  }

  stop (): void {
    if (this.#start != null) {
      this.#database.stop()
    }
  }

  #show (): void {
    // a block may be counted after the query has ended
    this.#milliseconds = this.#start == null ? this.#milliseconds : performance.now() - this.#start
    const seconds = (this.#milliseconds / 1000).toFixed(2)
    this.#count.textContent = `This query: ${amount(this.#blocks, this.#bytes)} in ${seconds} s`
    this.#total.textContent = `So far: ${amount(this.#allBlocks, this.#allBytes)}`
  }
}

function amount (blocks: number, bytes: number): string {
  return `${blocks} ${blocks === 1 ? 'block' : 'blocks'}, ${(bytes / 1e6).toFixed(2)} MB`
}
