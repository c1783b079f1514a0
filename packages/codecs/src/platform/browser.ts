// Room: what differs between Node and browsers. `imports` in package.json chooses.
import type { Thread } from './thread.ts'
import type { ZlibResult } from './node.ts'

/** A browser has no zlib. */
export function hasZlib (): boolean {
  return false
}

export function hasZlibDictionaries (): boolean {
  return false
}

export async function runZlib (): Promise<ZlibResult> {
  throw new Error('There is no zlib on this platform')
}

export function isSame (): boolean {
  throw new Error('There is no Buffer on this platform')
}

export function zstdBound (size: number): number {
  return size
}

export function zstdInTask (): undefined {}

export function zstdHere (): undefined {}

export function zstdCompressKept (): undefined {}
export function zstdCompressKeptDictionary (): undefined {}
export function zstdKeptInTask (): undefined {}

export function zstdDecompressKept (): undefined {}

export const zlibConstants = {}

// oxlint-disable-next-line require-yield -- the same type as in node.ts
export async function * streamZlib (): AsyncGenerator<Uint8Array> {
  throw new Error('There is no zlib on this platform')
}

/** A browser has no addons. */
export function hasAddon (): boolean {
  return false
}

export function loadAddon (name: string): never {
  throw new Error(`There is no ${name} on this platform`)
}

/** How many threads can run in parallel. */
export function parallelism (): number {
  return navigator.hardwareConcurrency
}

export function hasWorkers (): boolean {
  return typeof Worker === 'function' && typeof URL.createObjectURL === 'function'
}

/** Start a Web Worker. Its source is a string: a file would need configuration in every bundler. */
export function startThread (source: string): Thread {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  const worker = new Worker(url)
  const revoke = (): void => { URL.revokeObjectURL(url) }

  const thread: Thread = {
    onMessage: () => {},
    onFailure: () => {},
    post: (message, transfer) => { worker.postMessage(message, transfer as Transferable[]) },
    end: () => {
      revoke()
      worker.terminate()
    },
    keep: () => {},
    release: () => {}
  }

  worker.addEventListener('message', ({ data }) => {
    revoke()
    thread.onMessage(data)
  })

  worker.addEventListener('messageerror', event => { thread.onFailure(event) })

  worker.addEventListener('error', event => {
    // report it to the caller, not to the page
    event.preventDefault()
    thread.onFailure(event.error ?? new Error(event.message))
  })

  return thread
}
