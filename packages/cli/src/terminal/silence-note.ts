import type { Output } from './output.ts'

/** Milliseconds. A fetch fails after a minute of silence by default. */
const PATIENCE = 10_000

/** Says once, where no progress bar does, that nothing has arrived yet of what is fetched. */
export class SilenceNote {
  readonly #output: Pick<Output, 'note' | 'showsProgress'>
  #timer: NodeJS.Timeout | undefined

  constructor (output: Pick<Output, 'note' | 'showsProgress'>) {
    this.#output = output
  }

  /** Something was asked for. Only the first time counts. */
  begin (what: string): void {
    if (!this.#output.showsProgress) {
      this.#timer ??= setTimeout(() => {
        this.#output.note(`nothing has arrived for ${PATIENCE / 1000} s: still waiting for ${what}`)
      }, PATIENCE).unref()
    }
  }

  /** Something has arrived, or nothing is waited for any more. */
  end (): void {
    clearTimeout(this.#timer)
  }
}
