import { FRAME_SIZE } from '../constants.ts'

/** Frames that are kept: 16 MiB at most. */
const MAX_FRAMES = 128
/** A frame that is not full, and the block that fills it. */
const MAX_SIZE = 2 * FRAME_SIZE

/**
 * The frames that were decompressed last. The memory of the oldest is used again for the next: allocating it takes as
 * long as decompressing does.
 */
export class FrameCache {
  /** The one that was used last is last. */
  readonly #frames = new Map<string, { memory: Buffer, content: Uint8Array }>()

  /** @returns the content, valid until `load` is called */
  get (key: string): Uint8Array | undefined {
    const frame = this.#frames.get(key)

    if (frame != null) {
      this.#frames.delete(key)
      this.#frames.set(key, frame)
    }

    return frame?.content
  }

  /** Keep a frame. @param read - puts it into the memory, or takes other memory if it does not fit */
  load (key: string, read: (memory: Buffer) => Uint8Array): Uint8Array {
    const memory = this.#takeMemory()
    const content = read(memory)

    if (content.byteLength <= MAX_SIZE) {
      this.#frames.set(key, { memory, content })
    }

    return content
  }

  clear (): void {
    this.#frames.clear()
  }

  #takeMemory (): Buffer {
    const [oldest] = this.#frames

    if (this.#frames.size < MAX_FRAMES || oldest == null) {
      return Buffer.allocUnsafeSlow(MAX_SIZE)
    }

    this.#frames.delete(oldest[0])

    return oldest[1].memory
  }
}
