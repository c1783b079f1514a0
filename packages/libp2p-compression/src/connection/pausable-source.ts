import type { MessageStream } from '@libp2p/interface'

/** A stream that is told to wait and to go on, each only once, and nothing after it was closed. */
export class PausableSource {
  readonly #stream: Pick<MessageStream, 'pause' | 'resume'>
  #paused = false

  constructor (stream: Pick<MessageStream, 'pause' | 'resume'>) {
    this.#stream = stream
  }

  pause (): void {
    if (!this.#paused) {
      this.#paused = true
      whereOpen(() => { this.#stream.pause() })
    }
  }

  resume (): void {
    if (this.#paused) {
      this.#paused = false
      whereOpen(() => { this.#stream.resume() })
    }
  }
}

/** A stream that was closed meanwhile says so by an error. */
function whereOpen (tell: () => void): void {
  try {
    tell()
  } catch (err) {
    if ((err as Error).name !== 'StreamStateError') {
      throw err
    }
  }
}
