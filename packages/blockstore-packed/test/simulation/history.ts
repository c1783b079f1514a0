import type { SimulatedProcess } from './scheduler.ts'

/** A put or a delete of one block. Times are those of the history's clock. */
export interface Operation {
  process: SimulatedProcess
  start: number
  /** Since when it has no further effect. */
  end: number
  isAcknowledged: boolean
}

/** What was put and deleted, and what must be there because of that. */
export class History {
  #now = 0
  readonly #puts = new Map<number, Operation[]>()
  readonly #deletes = new Map<number, Operation[]>()

  now (): number {
    return ++this.#now
  }

  put (block: number, process: SimulatedProcess): Operation {
    return this.#begin(this.#puts, block, process)
  }

  delete (block: number, process: SimulatedProcess): Operation {
    return this.#begin(this.#deletes, block, process)
  }

  acknowledge (operation: Operation): void {
    operation.isAcknowledged = true
    operation.end = this.now()
  }

  /** A process does nothing any more. */
  end (process: SimulatedProcess): void {
    for (const operations of [...this.#puts.values(), ...this.#deletes.values()]) {
      for (const operation of operations) {
        if (operation.process === process && operation.end === Infinity) {
          operation.end = this.now()
        }
      }
    }
  }

  /** Whether a block must be readable for who began to read at `start`. */
  mustExist (block: number, start: number): boolean {
    const deletes = this.#deletes.get(block) ?? []

    return (this.#puts.get(block) ?? []).some(put => put.isAcknowledged && put.end < start &&
      deletes.every(({ end }) => end < put.start))
  }

  /** Whether a block must not be there for who began to look at `start`. */
  mustBeGone (block: number, start: number): boolean {
    const puts = this.#puts.get(block) ?? []

    return puts.length === 0 || (this.#deletes.get(block) ?? []).some(deleted => deleted.isAcknowledged &&
      deleted.end < start && puts.every(({ end }) => end < deleted.start))
  }

  #begin (operations: Map<number, Operation[]>, block: number, process: SimulatedProcess): Operation {
    const operation = { process, start: this.now(), end: Infinity, isAcknowledged: false }
    const list = operations.get(block) ?? []
    list.push(operation)
    operations.set(block, list)

    return operation
  }
}
