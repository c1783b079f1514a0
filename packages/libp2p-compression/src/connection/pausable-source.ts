import type { MessageStream } from '@libp2p/interface'

/** Pauses and resumes a stream: never twice in a row, and never after it has closed. */
export class PausableSource {
  readonly #stream: Pick<MessageStream, 'pause' | 'resume'>
  #paused = false

  constructor (stream: Pick<MessageStream, 'pause' | 'resume'>) {
    this.#stream = stream
  }

  pause (): void {
    if (!this.#paused) {
      this.#paused = true
      ifOpen(() => { this.#stream.pause() })
    }
  }

  resume (): void {
    if (this.#paused) {
      this.#paused = false
      ifOpen(() => { this.#stream.resume() })
    }
  }
}

/** Ignores the error of a stream that has closed meanwhile. */
function ifOpen (call: () => void): void {
  try {
    call()
  } catch (err) {
    if ((err as Error).name !== 'StreamStateError') {
      throw err
    }
  }
}
